"""Importance sampling of the super-critical mean against exact means and plain simulation."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest

import sigprop
from sigprop.montecarlo._ritz_sampler import load_kernels
from sigprop.montecarlo.importance import (
    FamilyAllocation,
    _families,
    applies,
    check_range,
    family_allocation,
    mean_energy,
    merge_families,
    path_functional,
    ritz_log_weights_and_paths,
    tail_probability,
)

CHUNK = 256

# (field, width, depth, samples): the sample counts give a relative error below 4 %.
CELLS = (
    ("complex", 50, 30, 3000),
    ("complex", 100, 60, 1500),
    ("complex", 400, 150, 500),
    ("complex", 1000, 200, 250),
    ("real", 100, 40, 3000),
    ("real", 400, 100, 800),
)


def log_exact(field, n, k):
    return float(sigprop.log_rnn_energy(n, k, field=field))


def campaign(field, width, depth, samples, seed, **private):
    """Chunks of 256 with a stream each, and a pilot stream of its own."""

    def stream(*key):
        return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))

    if private:
        return _families(width, depth, samples, stream(0), field, **private)
    allocation = family_allocation(width, depth, stream(0, 0), field)
    return merge_families(
        ritz_log_weights_and_paths(
            width,
            depth,
            min(CHUNK, samples - start),
            stream(1, start // CHUNK),
            field,
            allocation=allocation,
            first=start,
        )
        for start in range(0, samples, CHUNK)
    )


def plain_log_energies(field, width, depth, samples, seed):
    """Width-free plain simulation of log ||W^k x||^2/n, written independently."""
    rng = np.random.default_rng(seed)
    planes = 2 if field == "complex" else 1
    paths = load_kernels(None, depth).log_energy_paths
    energies = []
    for start in range(0, samples, 500):
        count = min(500, samples - start)
        H = np.triu(rng.standard_normal((count, planes, depth + 1, depth)))
        H /= math.sqrt(planes * width)
        for j in range(depth):
            below = rng.chisquare(planes * (width - 1 - j), count) / (planes * width)
            H[:, 0, j + 1, j] = np.sqrt(below)
        energies.append(paths(H, depth)[:, -1])
    return np.concatenate(energies)


# ---------------------------------------------------------------- the mean


@pytest.mark.parametrize(("field", "width", "depth", "samples"), CELLS)
def test_mean_agrees_with_the_exact_one(field, width, depth, samples):
    estimate = mean_energy(campaign(field, width, depth, samples // 3, seed=1))
    assert abs(estimate.z_score(log_exact(field, width, depth))) < 3.0
    # A third of the samples of the 4 % error bar.
    assert estimate.relative_error < 0.04 * math.sqrt(3.0)
    assert estimate.trustworthy, estimate.reason
    # Measured .79 to .94 complex, .6 to .75 real.
    assert estimate.effective_samples > 0.4 * estimate.samples


@pytest.mark.slow
def test_intervals_cover_the_exact_mean():
    covered = 0
    for field, width, depth, samples in CELLS:
        exact = log_exact(field, width, depth)
        for seed in range(20):
            estimate = mean_energy(campaign(field, width, depth, samples, seed))
            low, high = estimate.log_interval(0.95)
            covered += low <= exact <= high
            assert estimate.relative_error <= 0.04
    # 114 expected; 107 is three standard deviations below.
    assert covered >= 107


@pytest.mark.slow
@pytest.mark.parametrize(("width", "depth"), [(400, 150), (1000, 200)])
def test_plain_simulation_misses_the_mean_that_importance_sampling_finds(width, depth):
    exact = log_exact("complex", width, depth)
    means = []
    for seed in range(3):
        logs = plain_log_energies("complex", width, depth, 5000, seed)
        means.append(np.mean(np.exp(logs - exact)))
    assert np.median(means) < 0.05


@pytest.mark.parametrize(
    ("field", "width", "depth", "samples"),
    [
        ("complex", 12, 8, 8000),
        ("complex", 20, 15, 6000),
        ("real", 20, 12, 8000),
        ("complex", 30, 60, 3000),  # depth beyond the width
        ("real", 16, 20, 6000),
        ("complex", 8, 8, 6000),  # the smallest width
    ],
)
def test_small_cells_are_unbiased(field, width, depth, samples):
    families = campaign(field, width, depth, samples, seed=4, block=None)
    estimate = mean_energy(families)
    # Measured .2 to 1 %.
    assert estimate.relative_error < 0.012
    assert abs(estimate.z_score(log_exact(field, width, depth))) < 3.5


def test_unbiased_for_any_block_and_far_beyond_the_critical_depth():
    for block in (18, 30):
        estimate = mean_energy(campaign("complex", 100, 60, 600, seed=5, block=block))
        assert abs(estimate.z_score(log_exact("complex", 100, 60))) < 3.0
    deep = mean_energy(campaign("complex", 50, 200, 300, seed=6))
    assert deep.relative_error < 0.02
    assert abs(deep.z_score(log_exact("complex", 50, 200))) < 3.0


@pytest.mark.parametrize(
    ("depth", "block", "samples"),
    [
        (60, 10, 600),  # K = sqrt(n) in place of 2.3 sqrt(n)
        (10, None, 1000),  # c = 1, below the range
    ],
)
def test_outside_its_range_the_method_fails(depth, block, samples):
    # The negative control of the coverage test: 10 intervals of 95 % each.
    exact = log_exact("complex", 100, depth)
    misses, ratios = 0, []
    for seed in range(10):
        estimate = mean_energy(campaign("complex", 100, depth, samples, seed, block=block))
        low, high = estimate.log_interval(0.95)
        misses += not low <= exact <= high
        assert not estimate.trustworthy
        ratios.append(math.exp(estimate.log_mean - exact))
    # Measured 5 and 5; within the range 10 intervals miss 4 times in a thousand runs.
    assert misses >= 4
    assert np.median(ratios) < 0.95


# ---------------------------------------------------------------- other functionals


@pytest.mark.parametrize(("field", "level"), [("complex", 7.0), ("real", 7.5)])
def test_tail_probabilities_agree_with_plain_simulation(field, level):
    width, depth, count = 100, 40, 6000
    logs = plain_log_energies(field, width, depth, count, seed=7)
    hits = int(np.sum(logs > level))
    families = campaign(field, width, depth, 2000, seed=8)
    tail = tail_probability(families, level)
    error = math.hypot(tail.standard_error, math.sqrt(hits) / count)
    assert hits > 40
    assert abs(tail.value - hits / count) < 3.5 * error
    # The control: without the weights the tail would hold most of the samples.
    unweighted = np.mean(families[0].log_energies[:, -1] > level)
    assert unweighted > 10.0 * tail.value
    if field == "complex":
        # Where 1e5 plain draws would hold one: 1.17e-5 in a run of 3000 samples (6 %).
        far = tail_probability(families, 13.0)
        assert far.value == pytest.approx(1.17e-5, rel=0.3)
        assert far.standard_error < 0.15 * far.value
        assert far.effective_samples > 100


def test_functionals_of_the_path_use_the_same_samples():
    families = campaign("complex", 50, 30, 600, seed=10)
    estimate = mean_energy(families)
    direct = path_functional(families, lambda paths: np.exp(paths[:, -1]))
    assert direct.value == pytest.approx(estimate.mean, rel=1e-12)
    assert direct.standard_error == pytest.approx(estimate.standard_error, rel=1e-12)
    assert direct.effective_samples == pytest.approx(estimate.effective_samples, rel=1e-12)
    deeper = mean_energy(families, depth=27)
    assert abs(deeper.z_score(log_exact("complex", 50, 27))) < 3.5


# ---------------------------------------------------------------- streams, chunks, backends


def arrays(families):
    return [array for f in families for array in (f.log_weights, f.log_energies)]


@pytest.mark.parametrize("field", ["complex", "real"])
def test_same_stream_same_samples(field):
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    first, second, other = (
        ritz_log_weights_and_paths(100, 40, 20, np.random.default_rng(seed), field)
        for seed in (1, 1, 2)
    )
    for a, b in zip(arrays(first), arrays(second), strict=True):
        assert np.array_equal(a, b)
    assert not np.array_equal(first[0].log_weights, other[0].log_weights)
    assert np.array_equal(state, np.random.get_state()[1])  # noqa: NPY002


def test_shapes_and_start_of_the_paths():
    (family,) = ritz_log_weights_and_paths(100, 40, 7, np.random.default_rng(1))
    assert family.name == "complex"
    assert family.log_weights.shape == (7,)
    assert family.log_energies.shape == (7, 41)
    assert np.all(family.log_energies[:, 0] == 0.0)
    assert np.all(np.isfinite(family.log_weights))
    real, pair = ritz_log_weights_and_paths(100, 40, 64, np.random.default_rng(1), "real")
    assert (real.name, pair.name) == ("real", "pair")
    assert len(real.log_weights) + len(pair.log_weights) == 64


def test_split_between_families_does_not_depend_on_the_chunks():
    allocation = FamilyAllocation(("real", "pair"), (47, 17))
    whole = allocation.counts(1000)
    for size in (1, 7, 256):
        parts = [
            allocation.counts(min(size, 1000 - start), start) for start in range(0, 1000, size)
        ]
        assert tuple(map(sum, zip(*parts, strict=True))) == whole
        assert all(sum(part) == min(size, 1000 - i * size) for i, part in enumerate(parts))
    assert whole == (734, 266)


def test_allocation_follows_the_spread_of_the_families():
    near = family_allocation(100, 30, np.random.default_rng(1), "real")
    far = family_allocation(100, 60, np.random.default_rng(1), "real")
    assert near.families == far.families == ("real", "pair")
    assert sum(near.shares) == sum(far.shares) == 64
    # Pairs carry a seventh of the mean at c = 3 and next to nothing at c = 6.
    assert near.shares[1] > far.shares[1] == 10
    generator = np.random.default_rng(1)
    assert family_allocation(100, 30, generator).shares == (64,)
    assert generator.random() == np.random.default_rng(1).random()


@pytest.mark.parametrize("field", ["complex", "real"])
def test_backends_turn_the_same_stream_into_the_same_samples(field):
    pytest.importorskip("numba")
    results = [
        ritz_log_weights_and_paths(100, 70, 24, np.random.default_rng(3), field, backend=name)
        for name in ("numba", "numpy")
    ]
    for a, b in zip(*map(arrays, results), strict=True):
        # Measured 2e-13.
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-10)


def test_without_numba_the_numpy_path_is_taken(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.delitem(sys.modules, "sigprop.montecarlo._ritz_numba", raising=False)
    monkeypatch.delattr(sigprop.montecarlo, "_ritz_numba", raising=False)
    plain = ritz_log_weights_and_paths(100, 70, 12, np.random.default_rng(3))
    named = ritz_log_weights_and_paths(100, 70, 12, np.random.default_rng(3), backend="numpy")
    for a, b in zip(arrays(plain), arrays(named), strict=True):
        assert np.array_equal(a, b)
    with pytest.raises(ImportError, match=r"needs numba: install sigprop\[fast\]"):
        ritz_log_weights_and_paths(100, 70, 2, np.random.default_rng(3), backend="numba")


def test_importing_does_not_load_numba():
    code = "import sys, sigprop.montecarlo.importance; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# ---------------------------------------------------------------- range and bad input


@pytest.mark.parametrize(
    ("field", "width", "depth", "inside"),
    [
        ("complex", 64, 20, True),
        ("complex", 64, 19, False),
        ("complex", 8, 8, True),
        ("complex", 7, 40, False),
        ("complex", 10_000, 250, True),
        ("complex", 10_000, 249, False),
        ("real", 64, 24, True),
        ("real", 64, 23, False),
        ("real", 10**9, 300, False),
        ("complex", 10**6, 10_001, False),
    ],
)
def test_range_is_enforced(field, width, depth, inside):
    assert applies(width, depth, field) is inside
    if inside:
        check_range(width, depth, field)
        return
    with pytest.raises(ValueError, match="method 'importance'") as caught:
        ritz_log_weights_and_paths(width, depth, 4, np.random.default_rng(1), field)
    assert "krylov" in str(caught.value) or "exact mean" in str(caught.value)
    with pytest.raises(ValueError, match="method 'importance'"):
        family_allocation(width, depth, np.random.default_rng(1), field)


def test_bad_arguments_are_named():
    rng = np.random.default_rng(1)
    with pytest.raises(ValueError, match="samples must be an integer >= 1, got 0"):
        ritz_log_weights_and_paths(64, 64, 0, rng)
    with pytest.raises(ValueError, match="first must be an integer >= 0"):
        ritz_log_weights_and_paths(64, 64, 1, rng, first=-1)
    with pytest.raises(ValueError, match="field must be one of"):
        ritz_log_weights_and_paths(64, 64, 1, rng, "quaternion")
    with pytest.raises(ValueError, match="backend must be one of"):
        ritz_log_weights_and_paths(64, 64, 1, rng, backend="jax")
    with pytest.raises(TypeError, match=r"generator must be a numpy\.random\.Generator, got int"):
        ritz_log_weights_and_paths(64, 64, 1, 7)
    with pytest.raises(TypeError, match="generator must be"):
        family_allocation(64, 64, np.random, "real")
    with pytest.raises(TypeError, match="depth must be an integer"):
        ritz_log_weights_and_paths(64, True, 1, rng)
    allocation = FamilyAllocation(("real", "pair"), (32, 32))
    with pytest.raises(ValueError, match="allocation must be one for complex weights"):
        ritz_log_weights_and_paths(64, 64, 1, rng, allocation=allocation)
