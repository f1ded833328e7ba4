"""Roots of increasing functions: found, and with few values."""

from __future__ import annotations

import math

import pytest

from sigprop.typical.roots import increasing_root


@pytest.mark.parametrize("start", [-30.0, 0.1, 0.5, 200.0])
@pytest.mark.parametrize("width", [1e-3, 1.0])
def test_root_from_anywhere(start: float, width: float) -> None:
    assert increasing_root(lambda x: x**3 + x - 2.0, start, width, 1e-12) == pytest.approx(1.0)
    root = increasing_root(math.atan, start - 0.3, width, 1e-12)
    assert abs(root) < 1e-12


def test_close_guesses_cost_four_values() -> None:
    calls = []

    def function(x: float) -> float:
        calls.append(x)
        return math.sinh(x - 1.0)

    assert increasing_root(function, 1.0007, 1e-3, 1e-10) == pytest.approx(1.0, abs=1e-10)
    assert len(calls) <= 4


def test_plateaus_and_steps() -> None:
    clipped = increasing_root(lambda x: max(-40.0, 3.0 * x - 1.0), -500.0, 0.5, 1e-10)
    assert clipped == pytest.approx(1.0 / 3.0, abs=1e-10)
    step = increasing_root(lambda x: -1.0 if x < 0.7 else 2.0, 0.0, 0.5, 1e-9)
    assert step == pytest.approx(0.7, abs=1e-8)


def test_root_at_the_start() -> None:
    assert increasing_root(lambda x: x, 0.0, 1.0, 1e-12) == 0.0
