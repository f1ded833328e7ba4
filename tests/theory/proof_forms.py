"""Polynomial differential forms on R^n, the triple sum, and traces of G on S^p x Lambda^r."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

Key = tuple[tuple[int, ...], tuple[int, ...]]
"""Exponents of x_1 ... x_n, and the increasing indices of the thetas."""
Form = dict[Key, Any]
Operator = Callable[[Form], Form]


def add(*terms: tuple[Any, Form]) -> Form:
    """A linear combination."""
    total: Form = {}
    for factor, form in terms:
        for key, value in form.items():
            total[key] = total.get(key, 0) + factor * value
    return {key: value for key, value in total.items() if value != 0}


def _linear(action: Callable[[Key], Iterator[tuple[Key, Any]]]) -> Operator:
    def operator(form: Form) -> Form:
        total: Form = {}
        for key, value in form.items():
            for image, factor in action(key):
                total[image] = total.get(image, 0) + factor * value
        return {key: value for key, value in total.items() if value != 0}

    return operator


def _shifted(powers: tuple[int, ...], i: int, by: int) -> tuple[int, ...]:
    return (*powers[:i], powers[i] + by, *powers[i + 1 :])


def _with(thetas: tuple[int, ...], i: int) -> tuple[tuple[int, ...], int]:
    passed = sum(t < i for t in thetas)
    return (*thetas[:passed], i, *thetas[passed:]), (-1) ** passed


def _without(thetas: tuple[int, ...], i: int) -> tuple[tuple[int, ...], int]:
    place = thetas.index(i)
    return thetas[:place] + thetas[place + 1 :], (-1) ** place


@_linear
def d(key):
    """theta . d/dx."""
    powers, thetas = key
    for i, power in enumerate(powers):
        if power and i not in thetas:
            more, sign = _with(thetas, i)
            yield (_shifted(powers, i, -1), more), sign * power


@_linear
def iota(key):
    """x . d/dtheta."""
    powers, thetas = key
    for i in thetas:
        fewer, sign = _without(thetas, i)
        yield (_shifted(powers, i, 1), fewer), sign


@_linear
def eps(key):
    """x . theta."""
    powers, thetas = key
    for i in range(len(powers)):
        if i not in thetas:
            more, sign = _with(thetas, i)
            yield (_shifted(powers, i, 1), more), sign


@_linear
def delta(key):
    """d/dx . d/dtheta."""
    powers, thetas = key
    for i in thetas:
        if powers[i]:
            fewer, sign = _without(thetas, i)
            yield (_shifted(powers, i, -1), fewer), sign * powers[i]


@_linear
def square(key):
    """R^2 = x . x."""
    powers, thetas = key
    for i in range(len(powers)):
        yield (_shifted(powers, i, 2), thetas), 1


@_linear
def laplacian(key):
    powers, thetas = key
    for i, power in enumerate(powers):
        if power > 1:
            yield (_shifted(powers, i, -2), thetas), power * (power - 1)


def chain(form: Form, *operators: Operator) -> Form:
    """Apply operators, the first one first."""
    for operator in operators:
        form = operator(form)
    return form


def basis(n: int, degree: int, thetas: int) -> Iterator[Key]:
    """The monomial forms of S^degree x Lambda^thetas."""
    for chosen in itertools.combinations_with_replacement(range(n), degree):
        powers = tuple(chosen.count(i) for i in range(n))
        for odd in itertools.combinations(range(n), thetas):
            yield powers, odd


def contraction_p(J: int) -> Operator:
    """P_J = Delta^J R^{2J} / (2^J J!)."""

    def operator(form: Form) -> Form:
        image = chain(form, *[square] * J, *[laplacian] * J)
        return add((Fraction(1, 2**J * math.factorial(J)), image))

    return operator


def contraction_q(J: int) -> Operator:
    """Q_J = delta Delta^{J-1} eps R^{2J-2} / (2^{J-1} (J-1)!), zero for J = 0."""

    def operator(form: Form) -> Form:
        if J == 0:
            return {}
        image = chain(form, *[square] * (J - 1), eps, *[laplacian] * (J - 1), delta)
        return add((Fraction(1, 2 ** (J - 1) * math.factorial(J - 1)), image))

    return operator


def substituted(G: list[list[int]], key: Key) -> Form:
    """Gamma(G) of a monomial form: x_j -> sum_i G_ij x_i and the same for theta."""
    n = len(G)
    powers, thetas = key
    form: Form = {((0,) * n, ()): 1}
    for j, power in enumerate(powers):
        for _ in range(power):
            form = add(
                *(
                    (G[i][j], {(_shifted(k, i, 1), t): value for (k, t), value in form.items()})
                    for i in range(n)
                )
            )
    for j in reversed(thetas):
        terms = []
        for i in range(n):
            image = {}
            for (k, t), value in form.items():
                if i not in t:
                    more, sign = _with(t, i)
                    image[k, more] = sign * value
            terms.append((G[i][j], image))
        form = add(*terms)
    return form


def trace_with(G: list[list[int]], degree: int, thetas: int, operator: Operator) -> Any:
    """Trace of Gamma(G) B over S^degree x Lambda^thetas."""
    total = 0
    for key in basis(len(G), degree, thetas):
        for other, value in operator({key: 1}).items():
            total += value * substituted(G, other).get(key, 0)
    return total


# The triple sum


def orthogonal_dimension(n: Any, a: int, s: int) -> Any:
    """dim [a, 1^s] (a-1)! s! of O(n): (n+2a-2) (n+a-2)! / ((a+s) (n+a-s-2) (n-s-2)!)."""
    factors = [n + t for t in range(-s - 1, a - 1) if t != a - s - 2]
    return (n + 2 * a - 2) * math.prod(factors) * Fraction(1, a + s)


def scalars(n: Any, a: int, i: int, J: int) -> tuple[Any, Any]:
    """The pair L, K of the triple sum."""
    if J == 0:
        return 1, 0
    K = math.comb(i + J - 1, J - 1) * math.prod(n + 2 * a + 2 * t - 2 for t in range(i + 1, i + J))
    if i == 0:
        return 0, K
    return math.comb(i + J - 1, J) * math.prod(n + 2 * a + 2 * t - 2 for t in range(i, i + J)), K


def triple_sum(n: Any, i: int, j: int, contracted: bool | None = None) -> Any:
    """C_{i,j}(n) by orthogonal groups; `contracted` keeps J, J' >= 1 (True) or J = J' = 0."""
    m, other = i + 1, j + 1
    total = Fraction(0)
    for N in range(2 - m % 2, min(m, other) + 1, 2):
        J, J_other = (m - N) // 2, (other - N) // 2
        if contracted is not None and contracted != (J > 0):
            continue
        for half in range(N // 2 + 1):
            rest = N - 2 * half
            if rest == 0:
                product = _both(n, 0, half, N, J, J_other)
                total += math.factorial(N - 1) * product
            for a in range(1, rest + 1):
                s = rest - a
                factor = math.prod(range(a, a + 2 * half)) * _both(n, a, half, N, J, J_other)
                if half:
                    first, second = (scalars(n, a, half, x)[0] for x in (J, J_other))
                    factor += (s + 1) * math.prod(range(a, a + 2 * half - 1)) * first * second
                total += orthogonal_dimension(n, a, s) * factor
    return total


def _both(n: Any, a: int, half: int, N: int, J: int, J_other: int) -> Any:
    L, K = scalars(n, a, half, J)
    L_other, K_other = scalars(n, a, half, J_other)
    return (L + N * K) * (L_other + N * K_other)
