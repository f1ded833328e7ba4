"""The module S_{2 mu}(C^{2|2}) of gl(2|2) as a Kac module, and the trace of its couplings.

Letters 0, 1 are even (x, y) and 2, 3 odd (x', y').  The module of highest weight
(h1, h2 | s, s) has the basis F_I |k>: I a set of the four odd lowering operators
E_{2,0}, E_{3,0}, E_{2,1}, E_{3,1}, and |k> the k-th vector of the gl_2 module (h1, h2),
k = 0, ..., h1 - h2.  Numbers may be integers or elements of any commutative ring.
"""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

LOWERING = ((2, 0), (3, 0), (2, 1), (3, 1))
SUBSETS = [c for size in range(5) for c in itertools.combinations(range(4), size)]

State = tuple[tuple[int, ...], int]
"""The indices of the odd operators, and the level above the base of the module."""
Vector = dict[Any, Any]


def odd(letter: int) -> int:
    return int(letter >= 2)


def add_to(vector: Vector, key: Any, value: Any) -> None:
    total = vector.get(key, 0) + value
    if total == 0:
        vector.pop(key, None)
    else:
        vector[key] = total


class KacModule:
    """Matrix units E_ab of gl(2|2) on the basis F_I |base + level>."""

    def __init__(self, h1: Any, h2: Any, s: Any, base: Any) -> None:
        self.h1, self.h2, self.s, self.base = h1, h2, s, base
        self._known: dict[tuple[int, int, State], Vector] = {}

    def unit(self, a: int, b: int, state: State) -> Vector:
        """E_ab F_I |k>."""
        key = a, b, state
        if key not in self._known:
            self._known[key] = self._unit(a, b, state)
        return self._known[key]

    def _unit(self, a: int, b: int, state: State) -> Vector:
        operators, level = state
        if (a, b) in LOWERING:
            return self._lowered(LOWERING.index((a, b)), {state: 1})
        if not operators:
            return self._top(a, b, level)
        # E F w = [E, F} w + (-1)^{|E|} F E w, and [E_ab, E_cd} = d_bc E_ad - (-1)^{|E|} d_ad E_cb.
        first, rest = operators[0], (operators[1:], level)
        c, d = LOWERING[first]
        sign = -1 if odd(a) != odd(b) else 1
        result: Vector = {}
        if b == c:
            for key, value in self.unit(a, d, rest).items():
                add_to(result, key, value)
        if a == d:
            for key, value in self.unit(c, b, rest).items():
                add_to(result, key, -sign * value)
        for key, value in self._lowered(first, self.unit(a, b, rest)).items():
            add_to(result, key, sign * value)
        return result

    def _lowered(self, operator: int, vector: Vector) -> Vector:
        result: Vector = {}
        for (operators, level), value in vector.items():
            if operator not in operators:
                passed = sum(other < operator for other in operators)
                key = tuple(sorted((*operators, operator))), level
                add_to(result, key, value * (-1) ** passed)
        return result

    def _top(self, a: int, b: int, level: int) -> Vector:
        """gl_2 + gl_2 on |k>: the second acts by s times the trace, odd raising by zero."""
        k = self.base + level
        result: Vector = {}
        if (a, b) == (0, 0):
            add_to(result, ((), level), self.h1 - k)
        elif (a, b) == (1, 1):
            add_to(result, ((), level), self.h2 + k)
        elif (a, b) == (1, 0):
            add_to(result, ((), level + 1), 1)
        elif (a, b) == (0, 1):
            add_to(result, ((), level - 1), k * (self.h1 - self.h2 + 1 - k))
        elif a == b:
            add_to(result, ((), level), self.s)
        return result


def first_coupling(module: KacModule, vector: Vector) -> Vector:
    """L_a: the transpositions of letter a with all letters of the module; keys (state, A, B)."""
    result: Vector = {}
    for (state, A, B), value in vector.items():
        parity = len(state[0])
        for d in range(4):
            sign = (-1) ** (odd(d) + (odd(d) + odd(A)) * parity)
            for image, entry in module.unit(A, d, state).items():
                add_to(result, (image, d, B), sign * entry * value)
    return result


def second_coupling(module: KacModule, vector: Vector) -> Vector:
    """L_b: the transpositions of letter b with those of the module and with a."""
    result: Vector = {}
    for (state, A, B), value in vector.items():
        parity = len(state[0]) + odd(A)
        for d in range(4):
            sign = (-1) ** (odd(d) + (odd(d) + odd(B)) * parity)
            for image, entry in module.unit(B, d, state).items():
                add_to(result, (image, A, d), sign * entry * value)
        add_to(result, (state, B, A), (-1) ** (odd(A) * odd(B)) * value)
    return result


class Corner(NamedTuple):
    """Shape of 2 mu, contents of its two added boxes, and those the projectors remove."""

    h1: Any
    h2: Any
    s: Any
    content: Any
    first_others: tuple[Any, ...]
    second_others: tuple[Any, ...]

    def denominator(self) -> Any:
        result = 1
        for other in self.first_others:
            result = result * (self.content - other)
        for other in self.second_others:
            result = result * (self.content + 1 - other)
        return result


def corner(which: int, p: Any, q: Any, r: Any) -> Corner:
    """The domino of 2(p, q, 1^r) in its first row, second row, or at the bottom."""
    bottom = -(r + 2)
    if which == 1:
        others = 2 * q - 1, bottom
        return Corner(2 * p - 2, 2 * q, r, 2 * p - 2, others, others)
    if which == 2:
        others = 2 * p, bottom
        return Corner(2 * p, 2 * q - 2, r, 2 * q - 3, others, others)
    others = 2 * p, 2 * q - 1
    return Corner(2 * p, 2 * q, r - 1, -(r + 1), others, (*others, bottom))


def drift(operators: tuple[int, ...]) -> int:
    """Letters x or x' that F_I makes: E_{3,0} takes one away, E_{2,1} makes one."""
    return (2 in operators) - (1 in operators)


class SuperTrace:
    """Numerators of the supertrace of the projector at the domino, level by level."""

    def __init__(self, shape: Corner, base: Any) -> None:
        self.shape = shape
        self.module = KacModule(shape.h1, shape.h2, shape.s, base)

    def entry(self, operators: tuple[int, ...], level: int) -> Any:
        """Diagonal entry of prod (L_b - x') prod (L_a - x) at F_I |base + level> e_x e_y."""
        start = ((operators, level), 0, 1)
        vector: Vector = {start: 1}
        for coupling, others in (
            (first_coupling, self.shape.first_others),
            (second_coupling, self.shape.second_others),
        ):
            for other in others:
                image = coupling(self.module, vector)
                for key, value in vector.items():
                    add_to(image, key, -other * value)
                vector = image
        return vector.get(start, 0)

    def numerator(self, depth: int, lowest: int | None = None, highest: int | None = None) -> Any:
        """Supertrace over the vectors with level - drift = depth whose level is in range."""
        total = 0
        for operators in SUBSETS:
            level = depth + drift(operators)
            if (lowest is None or level >= lowest) and (highest is None or level <= highest):
                total = total + (-1) ** len(operators) * self.entry(operators, level)
        return total
