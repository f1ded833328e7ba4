"""Steps 5 to 7 of docs/theory_real.md: from weights to the closed form, and the triple sum."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
import sympy
from proof_forms import (
    add,
    basis,
    chain,
    contraction_p,
    contraction_q,
    d,
    delta,
    eps,
    iota,
    laplacian,
    orthogonal_dimension,
    scalars,
    square,
    trace_with,
    triple_sum,
)
from proof_pairings import moment_by_pairings
from proof_shapes import (
    a1,
    a2,
    a3,
    certificate,
    closed_form,
    end_factor,
    enumerate_weights,
    g1,
    g2,
    g3,
    g3_hook,
    g_square,
    jump1,
    jump2,
    jump3,
    late1,
    late2,
    late3,
    line_factor,
    partitions,
    relation,
    second_jump3,
    three_rows,
    transition_weight,
    weight,
)
from sympy.polys.fields import field

from sigprop import exact
from sigprop.theory.real_cross_moments import real_cross_moment
from sigprop.theory.real_weights import exact_rnn_energy

FIELD, p, q, r, ell, D, n = field("p,q,r,ell,D,n", sympy.QQ)
ONE = FIELD.one
DEPTHS = [(i, j) for j in range(13) for i in range(j % 2, j + 1, 2)]


# Weights


def test_transition_weights_of_the_three_corners():
    for pp, qq, rr in itertools.product(range(1, 8), range(1, 8), range(5)):
        if pp > qq:
            assert transition_weight((pp - 1, qq, *[1] * rr), 0) == a1(*map(Fraction, (pp, qq, rr)))
        if pp >= qq > 1:
            smaller = (pp, qq - 1, *[1] * rr)
            assert transition_weight(smaller, 1) == a2(*map(Fraction, (pp, qq, rr)))
        if pp >= qq and rr > 0:
            smaller = (pp, qq, *[1] * (rr - 1))
            assert transition_weight(smaller, rr + 1) == a3(*map(Fraction, (pp, qq, rr)))


def test_transition_weights_times_traces():
    """The weights at d = m, term by term."""
    assert a1(p, q, r) * late1(p, q, r) == g1(p, q, r)
    assert a2(p, q, r) * late2(p, q, r) == g2(p, q, r)
    assert a3(p, q, r) * late3(p, q, r) == g3(p, q, r)
    assert a3(q, q, r) * (-2 * jump3(q, q, r)) == g_square(q, r) + g3(q, q, r)
    assert g3(p, ONE, r) == g3_hook(p, r)
    # rho = (p, 1): a T = (2p/(2p+1)) / (p(2p-1)) is the same formula at r = 0.
    assert 2 * p / (2 * p + 1) / (p * (2 * p - 1)) == g3_hook(p, 0 * r)


def test_rows_two_and_three_meet_at_the_atypical_corner():
    """For q = 1 the formulas of corner 3 at r = 0 are the traces of rho = (p, 1)."""
    at = (p, ONE, r)
    assert a3(*at).evaluate(r, 0) == (2 * p / (2 * p + 1)).evaluate(r, 0)
    assert jump3(*at).evaluate(r, 0) == (-1 / (2 * p)).evaluate(r, 0)
    assert late3(*at).evaluate(r, 0) == (1 / (p * (2 * p - 1))).evaluate(r, 0)
    assert second_jump3(*at).evaluate(r, 0) == (1 / (p * (2 * p - 1))).evaluate(r, 0)


def test_weights_of_equal_depths_are_probabilities():
    for m in range(1, 13):
        weights = [weight(rho, m) for rho in partitions(m)]
        assert min(weights) >= 0
        assert sum(weights) == 1
    # For depths that differ some are negative.
    assert min(weight(rho, 2) for rho in partitions(4)) < 0


def test_weights_vanish_outside_their_hook():
    for m, d_ in ((6, 3), (7, 4), (8, 8)):
        for rho in partitions(m):
            hook = three_rows(rho)
            inside = len(rho) == 1 or (hook is not None and 2 * hook[1] + hook[2] <= d_ + 1)
            assert inside or weight(rho, d_) == 0


# Certificate


def _from_first(p, q, r):
    """Coefficient of e(p, q, r) that the node (p-1, q, r) gives."""
    return certificate(p - 1, q, r) * relation(p - 1, q, r)[0]


def _from_second(p, q, r):
    return certificate(p, q - 1, r) * relation(p, q - 1, r)[1]


def _from_third(p, q, r):
    return certificate(p, q, r - 1) * relation(p, q, r - 1)[2]


def _norm(m):
    return 4 * m * m - 1


def _interior(p, q, r):
    return g1(p, q, r) + g2(p, q, r) + g3(p, q, r)


def test_the_relation_between_neighbours():
    """e(p+1,q,r), e(p,q+1,r), e(p,q,r+1) are e(p,q,r) times n+2p, n+2q-1, n-r-2."""
    first, second, third = relation(p, q, r)
    assert first * (n + 2 * p) + second * (n + 2 * q - 1) + third * (n - r - 2) == 0


def test_interior_coefficients_vanish():
    rest = _from_first(p, q, r) + _from_second(p, q, r) + _from_third(p, q, r)
    assert _interior(p, q, r) == rest


def test_faces():
    zero = 0 * r
    two_rows = _interior(p, q, zero) - _from_first(p, q, zero) - _from_second(p, q, zero)
    assert two_rows == 4 / _norm(p + q)
    hook = g1(p, ONE, r) + g3_hook(p, r) - _from_first(p, ONE, r) - _from_third(p, ONE, r)
    assert hook == -2 / _norm(p + 1 + r)
    both = g1(p, ONE, zero) + g3_hook(p, zero) - _from_first(p, ONE, zero)
    assert both == 2 / _norm(p + 1)


def _diagonal_term(ell, r):
    m = 2 * ell + r
    return (4 * (2 * m + 1) * (n - m - 1 + 3 * ell) + 2 * m) / _norm(m)


def test_diagonal_face():
    """(l, l, r) and the virtual (l, l+1, r-1) that a node reaches, over e(l, l, r-1)."""
    square_weight = g_square(ell, r) + g2(ell, ell, r) + g3(ell, ell, r)
    own = square_weight - _from_second(ell, ell, r) - _from_third(ell, ell, r)
    virtual = _from_second(ell, ell + 1, r - 1)
    assert own * (n - 1 - r) - virtual * (n + 2 * ell - 1) == _diagonal_term(ell, r)


def test_diagonal_corners():
    zero, one = 0 * r, ONE
    own = g_square(one, r) + g3_hook(one, r) - _from_third(one, one, r)
    virtual = _from_second(one, one + 1, r - 1)
    left = own * (n - 1 - r) - virtual * (n + 1)
    assert left == _diagonal_term(one, r) - 2 * (n - 1 - r) / _norm(2 + r)
    assert g2(ell, ell, zero) - _from_second(ell, ell, zero) == (4 + 8 * ell) / _norm(2 * ell)
    assert g3_hook(one, zero) == (4 - 2 + 8 * one) / _norm(2 * one)


# Depths that differ: the lines 2q + r = d and 2q + r = d + 1


def _line_d(p, q, r):
    own = a1(p, q, r) * jump1(p, q, r) + a2(p, q, r) * late2(p, q, r)
    own += a3(p, q, r) * second_jump3(p, q, r)
    return own - _from_second(p, q, r) - _from_third(p, q, r)


def _line_above(p, q, r):
    own = a2(p, q, r) * jump2(p, q, r) + a3(p, q, r) * jump3(p, q, r)
    return own - _from_second(p, q, r)


def test_two_lines_together():
    """Over a_{l+D} b_l d_{d-1-2l}, with r for d - 2l."""
    d_ = 2 * ell + r
    m = D + d_
    on = _line_d(ell + D, ell, r) * (n - 1 - r)
    above = _line_above(ell + D, ell + 1, r - 1) * (n + 2 * ell - 1)
    assert on + above == line_factor(n, m, d_, ell) / ((2 * m - d_) * _norm(m))


def test_ends_of_the_two_lines():
    zero = 0 * r
    # The faces q = 1 and r = 0 have the constants that they have elsewhere.
    assert _from_second(p, ONE, r) == -2 / _norm(p + 1 + r)
    assert _from_third(p, q, zero) == 4 / _norm(p + q)
    # 2q = d, r = 0.
    assert _line_d(p, q, zero) == (1 - 2 * (p - q)) / (2 * p * _norm(p + q))
    # q = 1 and r = d - 1, so that p = D.
    m, d_ = p + 1 + r, r + 1
    assert _line_above(p, ONE, r) == -end_factor(m, d_) / ((2 * m - d_) * d_ * _norm(m))


@pytest.mark.parametrize("name", ["constant", "row", "sign"])
def test_negative_control_a_perturbed_certificate_fails(name, monkeypatch):
    true = certificate

    def perturbed(p, q, r):
        right, m = true(p, q, r), p + q + r + 1
        scale = _norm(m) * (2 * p + r + 2) * (2 * q + r + 1) * (2 * p - 2 * q + 1)
        return {"constant": right + 1 / scale, "row": right + r / scale, "sign": -right}[name]

    monkeypatch.setitem(globals(), "certificate", perturbed)
    for identity in (test_interior_coefficients_vanish, test_faces, test_two_lines_together):
        with pytest.raises(AssertionError):
            identity()


# Sums


@pytest.mark.parametrize(("i", "j"), DEPTHS)
def test_closed_form_is_the_sum_of_weights(i, j):
    m = (i + j + 2) // 2
    for width in (*range(1, m + 2), 50) if m < 7 else (1, 3, 8, 50):
        assert closed_form(width, i, j) == enumerate_weights(m, i + 1, width)


@pytest.mark.parametrize(("i", "j"), [(i, j) for i, j in DEPTHS if i + j <= 8])
def test_closed_form_is_the_enumeration(i, j):
    counts = moment_by_pairings(i, j)
    for width in range(1, (i + j) // 2 + 4):  # more points than the degree (i + j)/2 + 1
        assert closed_form(width, i, j) == sum(c * width**e for e, c in counts.items())


def test_closed_form_is_that_of_the_package():
    for k, width in itertools.product(range(40), (1, 2, 3, 7, 64)):
        assert closed_form(width, k, k) == exact_rnn_energy(width, k) * width ** (k + 1)
    for (i, j), width in itertools.product(DEPTHS, (1, 3, 64)):
        assert closed_form(width, i, j) == real_cross_moment(width, i, j) * width ** (
            (i + j) // 2 + 1
        )


@pytest.mark.parametrize(("i", "j"), DEPTHS)
def test_closed_form_is_the_triple_sum(i, j):
    for width in range(1, (i + j) // 2 + 3):  # decides the polynomial in the width
        assert closed_form(width, i, j) == triple_sum(width, i, j)


def test_closed_form_is_the_triple_sum_at_depths_to_thirty():
    for i, j in ((30, 30), (29, 29), (10, 30), (1, 29), (17, 23)):
        for width in (1, 5, 33, 1000):
            assert closed_form(width, i, j) == triple_sum(width, i, j)


def test_moments_that_are_one_product():
    for h, width in itertools.product(range(1, 12), (1, 2, 5, 40)):
        assert closed_form(width, 0, 2 * h) == math.prod(width + 2 * t for t in range(h))
    for k in range(30):
        assert closed_form(1, k, k) == math.prod(range(1, 2 * k, 2))


def test_the_leading_power_counts_the_shorter_path():
    """C_{i,j} = (i + 1) n^(m-1) + ... for i < j, and n^m + 0 n^(m-1) + ... for i = j."""
    for i, j in DEPTHS:
        m = (i + j + 2) // 2
        digits = closed_form(10**40, i, j)
        top, rest = divmod(int(digits), 10 ** (40 * m))
        assert top == (i == j)
        assert rest // 10 ** (40 * (m - 1)) == (0 if i == j else i + 1)


# The triple sum


def _monomials(width, highest):
    for degree, thetas in itertools.product(range(highest + 1), range(width + 1)):
        for key in basis(width, degree, thetas):
            yield {key: Fraction(1)}, degree, thetas


def test_commutators_of_differential_forms():
    width = 3
    for form, degree, thetas in _monomials(width, 3):

        def both(one, other, sign, form=form):
            return add((1, chain(form, other, one)), (sign, chain(form, one, other)))

        assert both(d, iota, 1) == add((degree + thetas, form))
        assert both(iota, eps, 1) == square(form)
        assert both(d, delta, 1) == laplacian(form)
        assert both(eps, delta, 1) == add((width + degree - thetas, form))
        assert both(d, eps, 1) == both(d, laplacian, -1) == both(iota, square, -1) == {}
        assert both(d, square, -1) == add((2, eps(form)))
        assert both(laplacian, eps, -1) == add((2, d(form)))
        assert both(delta, square, -1) == add((2, iota(form)))


@pytest.mark.parametrize("J", [1, 2])
def test_contractions_have_the_same_commutator_with_d(J):
    """[d, P_J] = [d, Q_J] = Delta^J eps R^(2J-2) / (2^(J-1) (J-1)!)."""
    for form, _, _ in _monomials(2, 3):
        image = chain(form, *[square] * (J - 1), eps, *[laplacian] * J)
        expected = add((Fraction(1, 2 ** (J - 1) * math.factorial(J - 1)), image))
        for contraction in (contraction_p(J), contraction_q(J)):
            left = add((1, d(contraction(form))), (-1, contraction(d(form))))
            assert left == expected


@pytest.mark.parametrize("m", [1, 2, 3, 4, 5])
def test_contracted_power_sums_are_traces_on_forms(m):
    """Delta^J tr G^m / (2^J J!) = sum_r (-1)^r tr Gamma(G) ((r+1) Q_J - r P_J), n = 2."""
    entries = sympy.symbols("g:4")
    trace = (sympy.Matrix(2, 2, entries) ** m).trace()
    numbers = [[2, -1], [3, 5]]
    for J in range(m // 2 + (m % 2)):
        contracted = trace
        for _ in range(J):
            contracted = sum(sympy.diff(contracted, g, 2) for g in entries)
        scale = Fraction(1, 2**J * math.factorial(J))
        point = dict(zip(entries, itertools.chain(*numbers), strict=True))
        value = int(sympy.expand(contracted).subs(point))
        total, N = Fraction(0), m - 2 * J
        for s in range(min(N, 2) + 1):

            def operator(form, s=s, J=J):
                terms = (s + 1, contraction_q(J)(form)), (-s, contraction_p(J)(form))
                return add(*terms)

            total += (-1) ** s * trace_with(numbers, N - s, s, operator)
        assert total == scale * value


def _scalar(form, operator):
    """The number by which the operator multiplies the form."""
    image = operator(form)
    key, value = next(iter(form.items()))
    ratio = image.get(key, 0) / value
    assert image == add((ratio, form))
    return ratio


@pytest.mark.parametrize(("a", "s"), [(1, 0), (2, 0), (3, 0), (1, 1), (2, 1), (1, 2)])
@pytest.mark.parametrize("J", [1, 2])
def test_scalars_on_orthogonal_modules(a, s, J):
    """(1/N) iota (d P - Q d) is (m/N)(L + N K) on R^2i omega, (m/N) L on the other vector."""
    width = 4
    # omega = iota x_{s+2} ... x_{s+a} theta_1 ... theta_{s+1}: no trace, and iota kills it.
    powers = tuple(int(s + 1 <= x < s + a) for x in range(width))
    omega = iota({(powers, tuple(range(s + 1))): Fraction(1)})
    assert omega
    assert iota(omega) == laplacian(omega) == delta(omega) == {}

    for half in range(3):
        N = a + s + 2 * half
        m = N + 2 * J
        L, K = scalars(width, a, half, J)

        def operator(form, N=N):
            both = (1, d(contraction_p(J)(form))), (-1, contraction_q(J)(d(form)))
            return add((Fraction(1, N), iota(add(*both))))

        assert _scalar(chain(omega, *[square] * half), operator) == Fraction(m * (L + N * K), N)
        if half:
            first = chain(omega, eps, *[square] * (half - 1))
            other = add((a + s, first), (-1, chain(omega, d, *[square] * half)))
            assert iota(other) == {}
            assert _scalar(other, operator) == Fraction(m * L, N)


def test_the_two_products_collapse():
    """N(i+J)(Z+2J) - J(N-2i)(Z-N) = (N+2J)(iZ+NJ): the scalar on R^2i omega."""
    i, J, N, Z = sympy.symbols("i J N Z")
    left = N * (i + J) * (Z + 2 * J) - J * (N - 2 * i) * (Z - N)
    assert sympy.expand(left - (N + 2 * J) * (i * Z + N * J)) == 0


def test_dimensions_of_orthogonal_modules():
    """They add up to the dimension of the hook of GL_n, as the branching rule says."""
    for width, N in itertools.product(range(1, 9), range(1, 7)):
        for leg in range(N):
            hook = Fraction(
                math.prod(range(width - leg, width - leg + N)),
                N * math.factorial(leg) * math.factorial(N - 1 - leg),
            )
            parts = [(N - leg - 2 * i, leg) for i in range(N)]
            parts += [(N - leg + 1 - 2 * i, leg - 1) for i in range(1, N)] if leg else []
            total = sum(
                orthogonal_dimension(width, a, s) / (math.factorial(a - 1) * math.factorial(s))
                for a, s in parts
                if a >= 1
            )
            assert hook == total + (leg == 0 and N % 2 == 0)


def test_uncontracted_part_is_the_complex_energy():
    for k, width in itertools.product(range(12), (1, 2, 5, 30)):
        part = triple_sum(width, k, k, contracted=False)
        assert part == exact.rnn_energy(width, k) * width ** (k + 1)
        remainder = triple_sum(width, k, k, contracted=True)
        assert remainder >= 0
        assert (remainder > 0) == (k >= 2)
