"""Steps 1 to 4 of docs/theory_real.md: pairings, zonal expansion, weights and traces.

Everything is exact, integers, Fractions or polynomials, but for the traces in Young's
orthogonal form, which has square roots.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import sympy
from proof_kac import LOWERING, SUBSETS, KacModule, SuperTrace, add_to, corner, odd
from proof_pairings import (
    YoungForm,
    Zonal,
    loop_type,
    matchings,
    moment_by_pairings,
    moved,
    two_cycles,
)
from proof_shapes import (
    dimension,
    doubled,
    enumerate_weights,
    hook_product,
    jump1,
    jump2,
    jump3,
    late1,
    late2,
    late3,
    partitions,
    second_jump3,
    shrink,
    trace_value,
    transition_weight,
    weight,
    zonal_product,
)
from sympy.polys.fields import field
from sympy.polys.rings import ring

from sigprop.theory.real_pairings import pairing_polynomial

RING, P, Q, R, K = ring("p,q,r,k", sympy.ZZ)
ZERO = RING.zero


@pytest.fixture(scope="module")
def zonal():
    """Matchings of 2, 4, 6 and 8 letters with their spherical functions."""
    return {m: Zonal(m) for m in range(1, 5)}


def _hyperoctahedral(m):
    return 2**m * math.factorial(m)


# Pairings


@pytest.mark.parametrize("k", range(5))
def test_loops_of_two_matchings_are_the_free_indices(k):
    assert dict(moment_by_pairings(k, k)) == pairing_polynomial(k)


@pytest.mark.parametrize(("i", "j"), [(0, 0), (0, 2), (1, 1), (1, 3), (2, 2), (0, 4)])
def test_pairings_against_gaussian_moments_of_the_entries(i, j):
    """E tr((G^i)^T G^j) for n = 2, from the moments 1, 0, 1, 0, 3, 0, 15 of each entry."""
    entries = sympy.symbols("g:4")
    G = sympy.Matrix(2, 2, entries)
    trace = sympy.Poly(((G**i).T * G**j).trace(), *entries)
    moment = sum(
        c * math.prod(sympy.factorial2(e - 1) if e % 2 == 0 else 0 for e in powers)
        for powers, c in trace.terms()
    )
    assert moment == sum(c * 2**loops for loops, c in moment_by_pairings(i, j).items())


# Zonal expansion


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_matchings_are_multiplicity_free(m, zonal):
    """The projectors have the rank of V_{2 rho}, are idempotent, and add up to one."""
    scheme = zonal[m]
    count = len(scheme.matchings)
    total = sum(scheme.projectors.values())
    assert list(total) == [1] + [0] * (count - 1)
    for rho, column in scheme.projectors.items():
        # The diagonal of the projector is constant: its trace is count times one entry.
        assert count * column[0] == dimension(doubled(rho))
        assert sum(entry * entry for entry in column) == column[0]
        image = scheme.swaps.dot(column)
        assert list(image) == [scheme.sums[rho] * entry for entry in column]


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_zonal_expansion(m, zonal):
    """n^loops = |H_m| sum_rho omega^rho J_rho(1^n) / h(2 rho), as polynomials in n."""
    omegas = {rho: zonal[m].omega(rho) for rho in partitions(m)}
    for kind in partitions(m):
        for n in range(m + 1):  # degree m: m + 1 points decide
            expansion = sum(
                _hyperoctahedral(m) * omega[kind] * zonal_product(rho, n)
                / Fraction(hook_product(doubled(rho)))
                for rho, omega in omegas.items()
            )  # fmt: skip
            assert expansion == n ** len(kind)


def test_negative_control_schur_contents_do_not_expand_loops(zonal):
    omegas = {rho: zonal[2].omega(rho) for rho in partitions(2)}
    n = 3
    schur = {(2,): n * (n + 1), (1, 1): n * (n - 1)}
    expansion = sum(
        Fraction(8 * schur[rho], hook_product(doubled(rho))) * omega[2,]
        for rho, omega in omegas.items()
    )
    assert expansion != n


def _power_sums(m, scheme):
    """Z_rho = |H_m| sum omega p_sigma / z_{2 sigma}, by its coefficients of p_sigma."""
    result = {}
    for rho in partitions(m):
        omega = scheme.omega(rho) if m else {(): Fraction(1)}
        result[rho] = {}
        for kind, value in omega.items():
            size = math.prod(2 * part for part in kind)
            size *= math.prod(math.factorial(kind.count(part)) for part in set(kind))
            result[rho][kind] = _hyperoctahedral(m) * value / size
    return result


@pytest.mark.parametrize("m", [2, 3, 4])
def test_pieri_coefficients_are_transition_weights(m, zonal):
    """p_1 Z_mu = sum of a_{rho mu} Z_rho, with Kerov's a; and the norms of the projections."""
    larger, smaller = _power_sums(m, zonal[m]), _power_sums(m - 1, zonal[m - 1])
    for mu, expansion in smaller.items():
        product = {(*kind, 1): value for kind, value in expansion.items()}
        for rho in partitions(m):
            for row, left in shrink(rho):
                if left == mu:
                    for kind, value in larger[rho].items():
                        add_to(product, kind, -transition_weight(mu, row) * value)
        assert not product
    for rho in partitions(m):
        norms = [
            transition_weight(mu, row)
            * Fraction(hook_product(doubled(rho)), 2 * m * hook_product(doubled(mu)))
            for row, mu in shrink(rho)
        ]
        assert sum(norms) == 1
        for kind in partitions(m - 1):
            parts = [
                norm * (zonal[m - 1].omega(mu)[kind])
                for norm, (_, mu) in zip(norms, shrink(rho), strict=True)
            ]
            assert sum(parts) == zonal[m].omega(rho)[(*kind, 1)]


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_weights_from_matchings(m, zonal):
    """|H_m|/h(2 rho) sum over P with {a, b} of omega^rho(P, cP) = sum of a T, every d."""
    ends = ((2 * m - 2, 2 * m - 1),)
    for rho in partitions(m):
        omega = zonal[m].omega(rho)
        for d in range(1, 2 * m):
            c = two_cycles(m, d)
            total = sum(omega[loop_type(P, moved(c, P))] for P in matchings(2 * m, ends))
            assert total * _hyperoctahedral(m) / hook_product(doubled(rho)) == weight(rho, d)


# Traces in Young's orthogonal form


def _young_traces(rho):
    """(row of the corner, d, trace) for every corner and every d."""
    form = YoungForm(doubled(rho))
    m = sum(rho)
    for row, _ in shrink(rho):
        for d in range(1, 2 * m):
            yield row, d, form.trace(two_cycles(m, d), (row, row))


@pytest.mark.parametrize("rho", [rho for m in range(1, 6) for rho in partitions(m)], ids=str)
def test_traces_in_the_orthogonal_form(rho):
    for row, d, trace in _young_traces(rho):
        # Rounding of at most 576 x 576 products: measured below 2e-13.
        assert trace == pytest.approx(float(trace_value(rho, row, d)), abs=1e-11)


@pytest.mark.parametrize("rho", [(2, 2, 2), (3, 3), (5, 1)], ids=str)
def test_traces_in_the_orthogonal_form_of_twelve_letters(rho):
    """Among them (2, 2, 2), the smallest partition outside the hook: all traces vanish there."""
    form = YoungForm(doubled(rho))
    for row, _ in shrink(rho):
        for d in (1, 2, 4, 5, 6):
            trace = form.trace(two_cycles(6, d), (row, row))
            assert trace == pytest.approx(float(trace_value(rho, row, d)), abs=1e-11)
    assert rho != (2, 2, 2) or all(trace_value(rho, 2, d) == 0 for d in range(1, 12))


def test_negative_control_a_trace_at_the_wrong_step():
    rho = (3, 1)
    wrong = [
        d
        for row, d, trace in _young_traces(rho)
        if abs(trace - float(trace_value(rho, row, d + 1))) > 1e-6
    ]
    assert wrong


# gl(2|2)


@pytest.mark.parametrize("letters", [2, 3, 4])
def test_supertrace_of_a_permutation_is_a_product_over_cycles(letters):
    """Only two cycles that part a and b survive; d - 1 counts the x in the first."""
    x, y = 2, 5
    plain = np.array([x, y, x, y])
    marks = [plain] * (letters - 2) + [np.array([1, 0, 0, 0]), np.array([0, 1, 0, 0])]
    for image in itertools.permutations(range(letters)):
        total = 0
        for word in itertools.product(range(4), repeat=letters):
            if any(word[image[s]] != word[s] for s in range(letters)):
                continue  # not on the diagonal
            crossed = sum(
                odd(word[s]) * odd(word[t]) * (image[s] > image[t])
                for s in range(letters)
                for t in range(s + 1, letters)
            )
            sign = (-1) ** (crossed + sum(map(odd, word)))
            total += sign * math.prod(int(marks[s][word[s]]) for s in range(letters))
        cycle = {letters - 2}
        while not cycle >= {image[s] for s in cycle}:
            cycle |= {image[s] for s in cycle}
        rest = set(range(letters)) - cycle
        first = min(rest, default=0)
        other = {first}
        while not other >= {image[s] for s in other}:
            other |= {image[s] for s in other}
        parted = letters - 1 in other and len(cycle) + len(other) == letters
        assert total == (x ** (len(cycle) - 1) * y ** (len(other) - 1) if parted else 0)


def test_the_kac_module_is_a_module():
    """[E_ab, E_cd} = d_bc E_ad - (-1)^{|ab||cd|} d_ad E_cb on every basis vector, any level."""
    module = KacModule(P, Q, R, K)

    def act(a, b, vector):
        result = {}
        for state, value in vector.items():
            for image, entry in module.unit(a, b, state).items():
                add_to(result, image, entry * value)
        return result

    for operators in SUBSETS:
        start = {(operators, 0): RING.one}
        for a, b, c, d in itertools.product(range(4), repeat=4):
            sign = (-1) ** ((odd(a) + odd(b)) * (odd(c) + odd(d)))
            difference = act(a, b, act(c, d, start))
            terms = [(sign, act(c, d, act(a, b, start)))]
            if b == c:
                terms.append((1, act(a, d, start)))
            if a == d:
                terms.append((-sign, act(c, b, start)))
            for factor, vector in terms:
                for state, value in vector.items():
                    add_to(difference, state, -factor * value)
            assert not difference
    assert len(SUBSETS) == 2 ** len(LOWERING)


def _dimension_of_module(shape):
    """Dimension of S_lambda(C^{2|2}): Jacobi and Trudi with (1+t)^2/(1-t)^2 = sum of h_k t^k."""

    def complete(k):
        return 0 if k < 0 else sum(math.comb(2, x) * (k - x + 1) for x in range(min(k, 2) + 1))

    size = range(len(shape))
    return sympy.Matrix([[complete(shape[i] - i + j) for j in size] for i in size]).det()


def test_dimension_of_the_modules():
    """16 (h1 - h2 + 1) for (h1, h2, 2^s) with h2 >= 2, and zero with a third row above 2."""
    for h1, h2, s in itertools.product(range(2, 8), range(2, 8), range(4)):
        if h1 >= h2:
            assert _dimension_of_module((h1, h2, *[2] * s)) == 16 * (h1 - h2 + 1)
    assert _dimension_of_module((4, 4, 4)) == 0
    assert _dimension_of_module((6, 4, 4, 2)) == 0
    # A row alone is smaller than its Kac module: the corner that is done by hand.
    assert _dimension_of_module((4,)) == 16 < 16 * 5


def _expected(which, depth, p, q, r):
    """The numerators of the page: zero, the one or two at the edge, then constant."""
    if which == 1:
        return {-1: -(2 * (p - q) - 1)}.get(depth, 2 if depth >= 0 else 0)
    if which == 2:
        return {0: -(2 * (p - q) + 1)}.get(depth, 2 if depth >= 1 else 0)
    edge = (2 * q + r) * (2 * p + r - 1)
    second = edge - 2 * (2 * (p - q) - 1)
    return {-1: -edge, 0: second}.get(depth, 4 if depth >= 1 else 0)


@pytest.mark.parametrize("which", [1, 2, 3])
def test_numerators_far_from_the_edge(which):
    """Identities in p, q, r and the level k: the supertrace is a constant."""
    assert SuperTrace(corner(which, P, Q, R), K).numerator(0) == (4 if which == 3 else 2)


@pytest.mark.parametrize("which", [1, 2, 3])
def test_numerators_at_the_edge(which):
    """Identities in p, q, r where levels below zero do not exist."""
    trace = SuperTrace(corner(which, P, Q, R), ZERO)
    for depth in range(-3, 3):
        assert trace.numerator(depth, lowest=0) == _expected(which, depth, P, Q, R)


@pytest.mark.parametrize(
    ("which", "gap"),
    [(1, 1), (3, 0), (2, 0), (2, 1), (3, 1), *itertools.product([1, 2, 3], [2, 3])],
)
def test_numerators_between_both_edges(which, gap):
    """Identities in q and r for small p - q: modules of gl_2 of dimension h1 - h2 + 1."""
    shape = corner(which, Q + gap, Q, R)
    top = {1: 2 * gap - 2, 2: 2 * gap + 2, 3: 2 * gap}[which]
    assert shape.h1 - shape.h2 == top
    trace = SuperTrace(shape, ZERO)
    for depth in range(-4, {1: gap - 1, 2: gap + 1, 3: gap}[which] + 1):
        expected = _expected(which, depth, Q + gap, Q, R)
        if (which, gap, depth) == (3, 0, 0):
            expected = 2 * (2 * Q + R) * (2 * Q + R - 1)
        assert trace.numerator(depth, lowest=0, highest=top) == expected


@pytest.mark.slow
@pytest.mark.parametrize("which", [1, 2, 3])
def test_numerators_further_from_the_edge(which):
    """Not needed by the proof: the general level covers them."""
    trace = SuperTrace(corner(which, P, Q, R), ZERO)
    for depth in range(3, 8):
        assert trace.numerator(depth, lowest=0) == _expected(which, depth, P, Q, R)


@pytest.mark.slow
@pytest.mark.parametrize(("which", "gap"), list(itertools.product([1, 2, 3], range(4, 8))))
def test_numerators_between_both_edges_further_apart(which, gap):
    test_numerators_between_both_edges(which, gap)


@pytest.mark.parametrize("which", [1, 2, 3])
def test_negative_control_wrong_contents_give_other_numerators(which):
    shape = corner(which, P, Q, R)
    wrong = shape._replace(second_others=(shape.second_others[0] + 1, *shape.second_others[1:]))
    depth = {1: -1, 2: 0, 3: -1}[which]
    assert SuperTrace(wrong, ZERO).numerator(depth, lowest=0) != _expected(which, depth, P, Q, R)
    # And levels that do not exist must not be counted.
    trace = SuperTrace(shape, ZERO)
    assert trace.numerator(depth) != _expected(which, depth, P, Q, R)


@pytest.mark.parametrize(("p", "q", "r"), [(3, 1, 1), (2, 2, 2), (4, 2, 0), (2, 2, 0), (3, 2, 1)])
def test_traces_of_every_cycle_length_from_the_module(p, q, r):
    """All d at once, both edges there: the module gives T, and the symmetry in d."""
    rho = (p, q, *[1] * r)
    m = p + q + r
    for row, mu in shrink(rho):
        which = min(row, 2) + 1
        shape = corner(which, p, q, r)
        trace = SuperTrace(shape, 0)
        ratio = Fraction(hook_product(doubled(rho)), hook_product(doubled(mu)))
        for d in range(1, 2 * m):
            depth = shape.h1 + shape.s + 1 - d
            number = trace.numerator(depth, lowest=0, highest=shape.h1 - shape.h2)
            assert ratio * number / shape.denominator() == trace_value(rho, row, d)


def _hook_ratio(which, p, q, r):
    """h(2 rho) / h(2 mu) for rho = (p, q, 1^r)."""
    gap = 2 * p - 2 * q
    if which == 1:
        boxes = (2 * p - 1) * (2 * p - 2) * (gap - 1) / (gap + 1)
        return boxes * (2 * p + r + 1) * (2 * p + r) / ((2 * p + r - 1) * (2 * p + r - 2))
    if which == 2:
        boxes = (2 * q - 2) * (2 * q - 3) * (gap + 3) / (gap + 1)
        return boxes * (2 * q + r) * (2 * q + r - 1) / ((2 * q + r - 2) * (2 * q + r - 3))
    return r * (r + 1) * (2 * p + r + 1) * (2 * q + r) / ((2 * p + r - 1) * (2 * q + r - 2))


def test_ratios_of_hook_products():
    for p, q, r in itertools.product(range(1, 7), range(1, 7), range(5)):
        rho = (p, q, *[1] * r)
        corners = {1: p > q, 2: q > 1, 3: r > 0}
        for which in (w for w, there in corners.items() if there and p >= q):
            row = {1: 0, 2: 1, 3: r + 1}[which]
            mu = dict(shrink(rho))[row]
            ratio = Fraction(hook_product(doubled(rho)), hook_product(doubled(mu)))
            assert ratio == _hook_ratio(which, *map(Fraction, (p, q, r)))


def test_numerators_times_ratios_are_the_traces():
    """T = (h(2 rho)/h(2 mu)) numerator / denominator is the table of the page, in p, q, r."""
    _, p, q, r = field("p,q,r", sympy.ZZ)
    tables = {
        1: {-1: jump1, 0: late1},
        2: {0: jump2, 1: late2},
        3: {-1: jump3, 0: second_jump3, 1: late3},
    }
    for which, values in tables.items():
        factor = _hook_ratio(which, p, q, r) / corner(which, p, q, r).denominator()
        for depth, value in values.items():
            assert factor * _expected(which, depth, p, q, r) == value(p, q, r)
    factor = _hook_ratio(3, q, q, r) / corner(3, q, q, r).denominator()
    assert factor * 2 * (2 * q + r) * (2 * q + r - 1) == -2 * jump3(q, q, r)


def test_the_atypical_corner():
    """rho = (p, 1), mu = (p): the vector of V_{(2p, 2)} that S_{2p} fixes, on pairs of letters."""
    _, N = field("N", sympy.ZZ)
    y, z = -1 / N, 2 / (N * (N - 1))
    assert 1 + N * y == 0
    assert 2 * y + (N - 1) * z == 0
    norm = 1 + 2 * N * y**2 + N * (N - 1) / 2 * z**2
    later = 2 * z + 4 * y**2 + 4 * (N - 2) * y * z + (N * (N - 1) / 2 - 1 - 2 * (N - 2)) * z**2
    first = 2 * y + N * y**2 + 2 * (N - 1) * y * z + (N - 1) * (N - 2) / 2 * z**2
    assert later / norm == 2 / (N * (N - 1))
    assert first / norm == -1 / N
    # The two counts of pairs, for real cycles and letters.
    for p in range(1, 5):
        size = 2 * p
        vector = {
            pair: [2 / Fraction(size * (size - 1)), Fraction(-1, size), Fraction(1)][
                sum(letter >= size for letter in pair)
            ]
            for pair in itertools.combinations(range(size + 2), 2)
        } if size > 1 else {}  # fmt: skip
        for d in range(1, size + 2):
            c = two_cycles(p + 1, d)
            product = sum(
                value * vector[tuple(sorted((c[s], c[t])))] for (s, t), value in vector.items()
            )
            norm = sum(value * value for value in vector.values())
            assert product / norm == trace_value((p, 1), 1, d)


@pytest.mark.parametrize(
    ("i", "j"), [(i, j) for j in range(7) for i in range(j % 2, min(j, 8 - j) + 1, 2)]
)
def test_weights_sum_to_the_enumeration(i, j):
    m, counts = (i + j + 2) // 2, moment_by_pairings(i, j)
    for n in range(1, m + 2):
        assert enumerate_weights(m, i + 1, n) == sum(c * n**e for e, c in counts.items())
