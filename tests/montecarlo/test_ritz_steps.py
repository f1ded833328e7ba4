"""Each step of Ritz importance sampling against an independent computation."""

from __future__ import annotations

import math
from dataclasses import replace

import mpmath
import numpy as np
import pytest
from scipy import integrate, stats

from sigprop.montecarlo import _ritz_numpy
from sigprop.montecarlo._ritz_chain import (
    Chain,
    _draw_chains,
    draw_chosen_chains,
    expected_norm,
    expected_overlap,
    log_density_at_ritz_value,
)
from sigprop.montecarlo._ritz_fill import _tilt_by_square, complete_matrix, fill_block
from sigprop.montecarlo._ritz_proposal import COMPLEX, PAIR, REAL, draw_ritz_values, make_plan
from sigprop.montecarlo._ritz_ratio import ChainSums, log_chain_ratio, log_peaked_integral
from sigprop.montecarlo._ritz_sampler import log_sum_of_parts
from sigprop.montecarlo._ritz_vectors import left_vectors, right_vectors

FAMILIES = (COMPLEX, REAL, PAIR)


def chains(plan, count, seed=0):
    rng = np.random.default_rng(seed)
    return _draw_chains(plan, draw_ritz_values(plan, count, rng), rng)


def one(chain, index):
    return chain.chosen(np.array([index]))


# ---------------------------------------------------------------- laws of the Ritz value


@pytest.mark.parametrize("family", FAMILIES)
def test_density_of_ritz_values_integrates_to_one_over_the_whole_set(family):
    # E[h(lam)/density] = integral of h over the line or the plane, here of a Gaussian.
    plan = make_plan(family, 20, 15)
    values = draw_ritz_values(plan, 200_000, np.random.default_rng(1))
    centre = 1.3
    bump = np.exp(-40.0 * (np.abs(values.value) - centre) ** 2)
    if family == REAL:
        exact = 2.0 * integrate.quad(lambda r: math.exp(-40.0 * (r - centre) ** 2), 0, 6)[0]
    else:
        exact = (
            2.0
            * math.pi
            * integrate.quad(lambda r: r * math.exp(-40.0 * (r - centre) ** 2), 0, 6)[0]
        )
    terms = bump * np.exp(-values.log_density)
    error = terms.std() / math.sqrt(len(terms))
    assert abs(terms.mean() - exact) < 4.0 * error
    assert error < 0.01 * exact


def test_angles_of_pairs_stay_in_the_quarter_plane():
    values = draw_ritz_values(make_plan(PAIR, 100, 40), 1000, np.random.default_rng(2)).value
    assert np.all(values.real > 0.0)
    assert np.all(values.imag > 0.0)


# ---------------------------------------------------------------- density ratio of the chain


def vector_density_ratio(plan, chain, first_square):
    """Proposal density / density under W of one chain given |l_0|^2, step by step."""
    n, D = plan.width, plan.dimension
    q, h = chain.coordinates[:, 0], chain.subdiagonal[:, 0]
    lam = chain.value[0]
    ratio = 1.0
    weight = 0.0
    for j in range(len(h)):
        weight += abs(q[j]) ** 2
        revealed = first_square * weight
        b = math.sqrt(1.0 - revealed)
        first = math.sqrt(first_square)
        be = h[j] * first * q[j + 1] / b
        rate = 0.5 * D * n
        noise = (
            (rate / (math.pi * revealed)) ** (0.5 * D)
            * math.exp(-rate * abs(be - lam * first * q[j] * b) ** 2 / revealed)
            * (h[j] * first / b) ** D
        )
        tail = stats.gamma.pdf(h[j] ** 2 - abs(be) ** 2, 0.5 * D * (n - j - 2), scale=1.0 / rate)
        plain = (
            (rate / (math.pi * weight)) ** (0.5 * D)
            * math.exp(-rate * abs(lam * q[j] - h[j] * q[j + 1]) ** 2 / weight)
            * h[j] ** D
        )
        plain_tail = stats.gamma.pdf(h[j] ** 2, 0.5 * D * (n - j - 1), scale=1.0 / rate)
        ratio *= noise * tail / (plain * plain_tail)
    law = stats.beta(0.5 * D + 1.0, 0.5 * D * (n - 1))
    return ratio * law.pdf(first_square)


def pair_density_ratio(plan, chain, first_square):
    """The same for real W and a complex value; at step 0 only Re q_1 and h_0 are free."""
    n = plan.width
    q, h = chain.coordinates[:, 0], chain.subdiagonal[:, 0]
    lam = chain.value[0]
    ratio = 1.0
    gram = np.zeros((2, 2))
    for j in range(len(h)):
        now = np.array([q[j].real, q[j].imag])
        gram = gram + np.outer(now, now)
        M = first_square * gram
        mean = (np.eye(2) - M) @ [(lam * q[j]).real, (lam * q[j]).imag]
        mean *= math.sqrt(first_square)
        reached = h[j] * math.sqrt(first_square) * np.array([q[j + 1].real, q[j + 1].imag])
        covariance = (M - M @ M) / n
        residual = lam * q[j] - h[j] * q[j + 1]
        residual = np.array([residual.real, residual.imag])
        free = 1 if j == 0 else 2
        jacobian = (h[j] * math.sqrt(first_square)) ** free
        ratio *= jacobian * stats.multivariate_normal.pdf(
            reached[:free], mean[:free], covariance[:free, :free]
        )
        ratio /= h[j] ** free * stats.multivariate_normal.pdf(
            residual[:free], np.zeros(free), gram[:free, :free] / n
        )
        form = reached @ np.linalg.solve(np.eye(2) - M, reached)
        ratio *= stats.gamma.pdf(h[j] ** 2 - form, 0.5 * (n - j - 3), scale=2.0 / n)
        ratio /= stats.gamma.pdf(h[j] ** 2, 0.5 * (n - j - 1), scale=2.0 / n)
    return ratio * stats.beta.pdf(first_square, 2.0, 0.5 * (n - 2))


def chain_sums(chain):
    return ChainSums(
        chain.weights[-1],
        chain.weights[-2],
        np.abs(np.sum(chain.coordinates**2, axis=0)),
        np.sum(np.log(chain.subdiagonal), axis=0),
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_closed_form_of_the_density_ratio_is_the_product_of_step_densities(family):
    plan = make_plan(family, 12, 9, block=5)
    all_chains = chains(plan, 2, seed=3)
    density = pair_density_ratio if family == PAIR else vector_density_ratio
    for index in range(2):
        chain = one(all_chains, index)
        sums = chain_sums(chain)
        top = 2.0 / (sums.weight + sums.skewness) if family == PAIR else 1.0 / sums.weight
        exact = integrate.quad(
            lambda z, chain=chain: density(plan, chain, z), 0.0, top[0], epsabs=0, epsrel=1e-8
        )[0]
        got = log_chain_ratio(plan, chain.square, sums)[0]
        # Measured below 1e-10; quad itself claims 1e-8.
        assert got == pytest.approx(math.log(exact), abs=1e-8)


def reference_integral(p, v, a, b, r):
    p, v, a, b, r = (mpmath.mpf(x) for x in (p, v, a, b, r))

    def log_integrand(z):
        return p * mpmath.log(z) + v * mpmath.log(1 - a * z) + v * mpmath.log(1 - b * z) + r * z

    low, high = mpmath.mpf(0), 1 / a
    for _ in range(120):
        peak = (low + high) / 2
        slope = p / peak - v * a / (1 - a * peak) - v * b / (1 - b * peak) + r
        low, high = (peak, high) if slope > 0 else (low, peak)
    width = 1 / mpmath.sqrt(
        p / peak**2 + v * (a / (1 - a * peak)) ** 2 + v * (b / (1 - b * peak)) ** 2
    )
    shift = log_integrand(peak)
    edges = [peak + width * t for t in (*range(-60, 61, 4), 100, 200, 400)]
    angles = [mpmath.asin(mpmath.sqrt(a * z)) for z in edges if 0 < a * z < 1]

    def integrand(angle):
        z = mpmath.sin(angle) ** 2 / a
        if not 0 < a * z < 1:
            return mpmath.mpf(0)
        jacobian = 2 * mpmath.sin(angle) * mpmath.cos(angle) / a
        return mpmath.exp(log_integrand(z) - shift) * jacobian

    integral = mpmath.quad(integrand, [mpmath.mpf(0), *angles, mpmath.pi / 2], maxdegree=5)
    return float(mpmath.log(integral) + shift)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    ("width", "depth", "block"),
    [(8, 8, None), (50, 30, None), (10**5, 1000, 50), (10**7, 10_000, 1500)],
)
def test_integral_over_the_scale_of_the_left_vector_at_all_widths(
    family, width, depth, block, monkeypatch
):
    plan = make_plan(family, width, depth, block)
    chain = chains(plan, 1, seed=4)
    seen = []
    monkeypatch.setattr(
        "sigprop.montecarlo._ritz_ratio.log_peaked_integral",
        lambda *arguments: seen.append(arguments) or np.zeros(1),
    )
    log_chain_ratio(plan, chain.square, chain_sums(chain))
    power, exponent, steep, flat, rate = seen[0]
    got = log_peaked_integral(power, exponent, steep, flat, rate)[0]
    with mpmath.workdps(30):
        exact = reference_integral(power, exponent, steep[0], flat[0], rate[0])
    # Measured 5e-13 up to width 1e5 and 2e-11 at 1e7, where the terms are of size 1e7.
    assert got == pytest.approx(exact, abs=1e-10)


# ---------------------------------------------------------------- laws given the chain


def conditioned_blocks(plan, chain, count, seed):
    """H_K given the chain without any tilt: normal columns projected on q H_K = lam q."""
    rng = np.random.default_rng(seed)
    q, h, lam = chain.coordinates[:, 0], chain.subdiagonal[:, 0], chain.value[0]
    K = len(q)
    H = np.zeros((count, K, K), dtype=q.dtype)
    for j in range(K):
        w = rng.standard_normal((count, j + 1)).astype(q.dtype)
        if plan.is_complex:
            w = (w + 1j * rng.standard_normal((count, j + 1))) / math.sqrt(2.0)
        w /= math.sqrt(plan.width)
        wanted = lam * q[j] - (h[j] * q[j + 1] if j < K - 1 else 0.0)
        missing = wanted - w @ q[: j + 1]
        w += missing[:, np.newaxis] * q[: j + 1].conj() / np.sum(np.abs(q[: j + 1]) ** 2)
        H[:, : j + 1, j] = w
        if j < K - 1:
            H[:, j + 1, j] = h[j]
    return H


def right_vector(H, lam):
    values = np.full((len(H), 1), lam, dtype=complex)
    return right_vectors(H, values)[:, :, 0]


@pytest.mark.parametrize("family", [COMPLEX, REAL])
def test_conditional_means_of_norm_and_overlap(family):
    plan = make_plan(family, 12, 9, block=5)
    chain = one(chains(plan, 3, seed=5), 2)
    H = conditioned_blocks(plan, chain, 40_000, seed=6)
    u = right_vector(H, chain.value[0])
    norm = np.sum(np.abs(u) ** 2, axis=1)
    error = norm.std() / math.sqrt(len(norm))
    assert error < 0.02 * norm.mean()
    assert abs(norm.mean() - expected_norm(plan, chain)[0]) < 4.0 * error
    if family == REAL:
        overlap = np.abs(u @ chain.coordinates[:, 0]) ** 2
        error = overlap.std() / math.sqrt(len(overlap))
        assert abs(overlap.mean() - expected_overlap(plan, chain)[0]) < 4.0 * error


@pytest.mark.parametrize("family", FAMILIES)
def test_filled_block_has_the_ritz_value_and_both_vectors(family):
    plan = make_plan(family, 40, 25)
    chosen = draw_chosen_chains(plan, 6, np.random.default_rng(7)).chain
    filled = fill_block(plan, chosen, np.random.default_rng(8))
    q = chosen.coordinates.T
    lam = chosen.value[:, np.newaxis]
    left = (q[:, np.newaxis, :] @ filled.block)[:, 0]
    # Measured 2e-15 of the largest coordinate.
    assert np.abs(left - lam * q).max() < 1e-12 * np.abs(q).max()
    u = right_vectors(filled.block, lam.astype(complex))[:, :, 0]
    residual = (filled.block @ u[:, :, np.newaxis])[:, :, 0] - lam * u
    assert np.abs(residual).max() < 1e-9 * np.abs(u).max()
    np.testing.assert_allclose(filled.norm, np.sum(np.abs(u) ** 2, axis=1), rtol=1e-8)
    np.testing.assert_allclose(filled.overlap, np.abs(np.sum(q * u, axis=1)) ** 2, rtol=1e-6)
    below = np.arange(plan.block - 1)
    assert np.array_equal(filled.block[:, below + 1, below], chosen.subdiagonal.T)
    assert np.array_equal(np.tril(filled.block, -2), np.zeros_like(filled.block))


@pytest.mark.parametrize("family", [COMPLEX, REAL])
def test_fill_is_the_conditional_law_tilted_by_the_squared_norm(family):
    # Means under the tilted law against |u|^2-weighted means under the plain one.
    plan = make_plan(family, 12, 9, block=5)
    base = one(chains(plan, 3, seed=9), 1)
    count = 40_000
    many = Chain(
        *(
            np.repeat(array, count, axis=-1)
            for array in (
                base.square,
                base.value,
                base.coordinates,
                base.subdiagonal,
                base.weights,
            )
        )
    )
    filled = fill_block(plan, many, np.random.default_rng(10))
    H = conditioned_blocks(plan, base, count, seed=11)
    u = right_vector(H, base.value[0])
    norm = np.sum(np.abs(u) ** 2, axis=1)
    probes = (
        lambda block, norm: block[:, 1, 2].real,
        lambda block, norm: np.abs(block[:, 0, 3]) ** 2,
        lambda block, norm: 1.0 / norm,
        lambda block, norm: block[:, 0, 0].real * block[:, 1, 3].real,
        lambda block, norm: np.log(norm),
    )
    tilts = 0
    for probe in probes:
        drawn = probe(filled.block, filled.norm)
        plain = probe(H, norm)
        weighted = plain * norm / norm.mean()
        error = math.hypot(drawn.std(), (weighted - drawn.mean() * norm / norm.mean()).std())
        error /= math.sqrt(count)
        assert abs(drawn.mean() - weighted.mean()) < 4.0 * error
        tilts += abs(drawn.mean() - plain.mean()) > 6.0 * error
    # The control: without the tilt most of the probes would be rejected.
    assert tilts >= 2


@pytest.mark.parametrize("is_complex", [True, False])
def test_tilted_normal_has_the_moments_of_its_law(is_complex):
    count, mu, sigma = 200_000, 0.7, 0.9
    rng = np.random.default_rng(12)
    t = rng.standard_normal(count).astype(complex if is_complex else float)
    if is_complex:
        t = (t + 1j * rng.standard_normal(count)) / math.sqrt(2.0)
    tilted = _tilt_by_square(
        t,
        np.full(count, mu),
        np.full(count, sigma),
        rng.standard_exponential(count),
        rng.random((2, count)),
    )
    # E|t|^4 is 2 for complex t, 3 for real; the cross term gives the mean.
    fourth = 2.0 if is_complex else 3.0
    total = mu**2 + sigma**2
    mean = -(1.0 if is_complex else 2.0) * mu * sigma / total
    square = (mu**2 + fourth * sigma**2) / total
    assert tilted.real.mean() == pytest.approx(mean, abs=4.0 * tilted.real.std() / count**0.5)
    squares = np.abs(tilted) ** 2
    assert squares.mean() == pytest.approx(square, abs=4.0 * squares.std() / count**0.5)
    # The control: the untilted normal has neither moment.
    assert abs(t.real.mean() - mean) > 0.2
    assert abs((np.abs(t) ** 2).mean() - square) > 0.2


def test_density_at_the_ritz_value_of_a_pair_is_bivariate_normal():
    plan = make_plan(PAIR, 30, 20, block=6)
    chain = one(chains(plan, 1, seed=13), 0)
    q = chain.coordinates[:, 0]
    rows = np.stack([q.real, q.imag])
    target = chain.value[0] * q[-1]
    exact = stats.multivariate_normal.logpdf(
        [target.real, target.imag], np.zeros(2), rows @ rows.T / plan.width
    )
    assert log_density_at_ritz_value(plan, chain)[0] == pytest.approx(exact, abs=1e-9)


# ---------------------------------------------------------------- spectrum and paths


@pytest.mark.parametrize("is_complex", [True, False])
def test_sum_of_parts_against_spectral_projectors(is_complex):
    rng = np.random.default_rng(14)
    H = np.triu(rng.standard_normal((3, 7, 7)), -1) / 2.0
    if is_complex:
        H = H + 1j * np.triu(rng.standard_normal((3, 7, 7)), 0) / 2.0
    depth = 11
    sums = log_sum_of_parts(H, _ritz_numpy.eigenvalues(H), depth)
    for matrix, got in zip(H, sums, strict=True):
        values, vectors = np.linalg.eig(matrix)
        start = np.linalg.solve(vectors, np.eye(7)[0])  # e_0 in the eigenbasis
        parts = np.abs(values) ** (2 * depth) * np.abs(start) ** 2
        exact = np.log(np.sum(parts * np.sum(np.abs(vectors) ** 2, axis=0)))
        assert got == pytest.approx(exact, abs=1e-9)


def test_left_and_right_vectors_solve_their_equations():
    rng = np.random.default_rng(15)
    H = np.triu(rng.standard_normal((4, 6, 6)), -1)
    values = np.linalg.eigvals(H).astype(complex)
    q, u = left_vectors(H, values), right_vectors(H, values)
    left = np.swapaxes(H, 1, 2) @ q - values[:, np.newaxis] * q
    right = H @ u - values[:, np.newaxis] * u
    assert np.abs(left).max() < 1e-8 * np.abs(q).max()
    assert np.abs(right).max() < 1e-8 * np.abs(u).max()


@pytest.mark.parametrize(("width", "depth"), [(30, 12), (12, 12), (12, 11), (10, 25)])
@pytest.mark.parametrize("family", [COMPLEX, REAL])
def test_paths_are_the_powers_of_the_matrix(family, width, depth):
    plan = make_plan(family, width, depth)
    rng = np.random.default_rng(16)
    chosen = draw_chosen_chains(plan, 3, rng)
    matrices = complete_matrix(plan, fill_block(plan, chosen.chain, rng).block, rng)
    assert matrices.shape[2:] == (min(depth + 1, width), min(depth, width))
    side = max(matrices.shape[2:])
    for sample, path in zip(matrices, _ritz_numpy.log_energy_paths(matrices, depth), strict=True):
        H = np.zeros((side, side), dtype=complex)
        H[: sample.shape[1], : sample.shape[2]] = sample[0] + (
            1j * sample[1] if len(sample) == 2 else 0.0
        )
        state = np.eye(side)[0].astype(complex)
        for t in range(depth + 1):
            assert path[t] == pytest.approx(np.log(np.sum(np.abs(state) ** 2)), abs=1e-10)
            state = H @ state


@pytest.mark.parametrize("family", [COMPLEX, REAL])
def test_compiled_paths_equal_the_numpy_ones(family):
    numba_paths = pytest.importorskip("sigprop.montecarlo._ritz_numba")
    rng = np.random.default_rng(17)
    for width, depth in [(200, 70), (20, 33)]:
        plan = make_plan(family, width, depth)
        chosen = draw_chosen_chains(plan, 3, rng)
        matrices = complete_matrix(plan, fill_block(plan, chosen.chain, rng).block, rng)
        expected = _ritz_numpy.log_energy_paths(matrices, depth)
        got = numba_paths.log_energy_paths(matrices, depth)
        # Measured 1e-13: only the order of the sums differs.
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("family", FAMILIES)
def test_compiled_eigenvalues_equal_those_of_lapack(family):
    compiled = pytest.importorskip("sigprop.montecarlo._ritz_numba")
    rng = np.random.default_rng(18)
    for width, depth in [(8, 8), (100, 60), (1000, 200)]:
        plan = make_plan(family, width, depth)
        blocks = fill_block(plan, draw_chosen_chains(plan, 3, rng).chain, rng).block
        got, expected = compiled.eigenvalues(blocks), _ritz_numpy.eigenvalues(blocks)
        gaps = np.abs(got[:, :, np.newaxis] - expected[:, np.newaxis, :])
        # Measured 3e-11 (K = 73, inner eigenvalues, which are ill-conditioned).
        assert gaps.min(axis=1).max() < 1e-8
        assert gaps.min(axis=2).max() < 1e-8
        sums = [log_sum_of_parts(blocks, values, depth) for values in (got, expected)]
        np.testing.assert_allclose(*sums, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    "block",
    [
        np.zeros((4, 4)),
        np.eye(4),
        np.diag(np.ones(3), -1),  # nilpotent
        np.diag(np.ones(3), -1) + np.eye(4)[:, ::-1] * np.eye(4)[0][:, np.newaxis],  # a cycle
        np.diag(np.ones(3), -1) + np.triu(np.ones((4, 4))),
    ],
    ids=["zero", "identity", "nilpotent", "cycle", "ones"],
)
def test_compiled_eigenvalues_of_special_blocks(block):
    compiled = pytest.importorskip("sigprop.montecarlo._ritz_numba")
    got = compiled.eigenvalues(block[np.newaxis])[0]
    expected = np.linalg.eigvals(block)
    # A nilpotent block of size 4 has eigenvalues known to 1e-4 only.
    gaps = np.abs(got[:, np.newaxis] - expected)
    assert gaps.min(axis=0).max() < 1e-3
    assert gaps.min(axis=1).max() < 1e-3


def test_block_on_which_the_iteration_stalls_goes_to_lapack(monkeypatch):
    compiled = pytest.importorskip("sigprop.montecarlo._ritz_numba")
    monkeypatch.setattr(compiled, "_hessenberg_eigenvalues", lambda block, values: False)
    H = np.triu(np.random.default_rng(19).standard_normal((2, 5, 5)), -1)
    assert np.array_equal(compiled.eigenvalues(H), _ritz_numpy.eigenvalues(H))


def test_compiling_works_without_a_writable_cache_folder(monkeypatch):
    numba = pytest.importorskip("numba")
    compiled = pytest.importorskip("sigprop.montecarlo._ritz_numba")
    njit = numba.njit

    def refuse_cache(*, cache=False, **options):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return njit(**options)

    monkeypatch.setattr(numba, "njit", refuse_cache)
    doubled = compiled._compiled(lambda x: 2.0 * x)
    assert doubled(1.5) == 3.0


def test_plan_cuts_the_block_to_depth_and_width():
    assert make_plan(COMPLEX, 400, 150).block == 46
    assert make_plan(COMPLEX, 400, 30).block == 30
    assert make_plan(COMPLEX, 8, 8).block == 4
    assert replace(make_plan(REAL, 400, 150), block=3).block == 3
