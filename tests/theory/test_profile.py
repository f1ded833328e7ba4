"""The functions of c behind the critical forms, against mpmath."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from sigprop import asymptotics
from sigprop.theory import profile

DIGITS = 80  # the closed forms cancel up to c^-8 near zero and e^-h beyond
GRID = np.concatenate([np.geomspace(1e-3, 100.0, 60), [1.4142, 1.4143, 8.999, 9.0, 9.0001, 11.0]])


def _h(c):
    return c * c / 2


def _profile(c):
    return mpmath.sinh(_h(c)) / _h(c)


def _integral(c):
    r = c / mpmath.sqrt(2)
    gauss = mpmath.sqrt(mpmath.pi / 2) * (mpmath.erfi(r) + mpmath.erf(r))
    return gauss - 2 * mpmath.sinh(_h(c)) / c


def _sinh_integral(c):
    r = c / mpmath.sqrt(2)
    return mpmath.sqrt(mpmath.pi / 2) * (mpmath.erfi(r) - mpmath.erf(r)) / 2


def _langevin(c):
    return mpmath.coth(_h(c)) - 1 / _h(c)


def _e(c):
    return (_profile(c) - 1 - (mpmath.cosh(_h(c)) - 1) / 3) / _integral(c)


def _kappa(c):
    growth = _profile(c) / _integral(c) - 1 / c - c * _langevin(c)
    return _e(c) - c * _langevin(c) / 2 + c**3 / 6 + c * c * growth / 2


def _reference(function, grid):
    with mpmath.workdps(DIGITS):
        return [function(mpmath.mpf(float(c))) for c in grid]


def _relative_errors(values, reference):
    with mpmath.workdps(DIGITS):
        return [
            float(abs(mpmath.mpf(float(value)) / exact - 1))
            for value, exact in zip(values, reference, strict=True)
        ]


@pytest.mark.parametrize(
    ("function", "exact"),
    [
        (profile.scaled_critical_integral, lambda c: _integral(c) * mpmath.exp(-_h(c))),
        (profile.scaled_sinh_integral, lambda c: _sinh_integral(c) * mpmath.exp(-_h(c))),
        (profile.integral_share, lambda c: _integral(c) / (c * _profile(c))),
        (profile.profile_correction, _e),
        (lambda c: profile.coth_excess(0.5 * c * c), lambda c: _h(c) * _langevin(c)),
        (asymptotics.log_critical_profile, lambda c: mpmath.log(_profile(c))),
    ],
    ids=["I", "sinh integral", "J", "e", "coth", "log F"],
)
def test_relative_accuracy(function, exact):
    worst = max(_relative_errors(function(GRID), _reference(exact, GRID)))
    assert worst < 4e-15  # measured 2.2e-15, for e just beyond c = 9


def test_uniform_correction():
    values = asymptotics.uniform_correction(GRID)
    reference = _reference(_kappa, GRID)
    absolute = [abs(float(v - k)) for v, k in zip(values.tolist(), reference, strict=True)]
    assert max(absolute) < 1e-12  # measured 4.5e-13, where terms of size c^3/3 cancel
    low = GRID < 1.0
    assert max(_relative_errors(values[low], np.array(reference)[low])) < 4e-15  # 1.2e-15


def test_first_terms_near_zero():
    c = np.array([1e-12, 1e-6, 1e-4])
    np.testing.assert_allclose(asymptotics.log_critical_profile(c), c**4 / 24, rtol=1e-12)
    np.testing.assert_allclose(asymptotics.critical_integral(c), c, rtol=1e-15)
    np.testing.assert_allclose(asymptotics.profile_correction(c), -(c**7) / 2880, rtol=1e-12)
    np.testing.assert_allclose(asymptotics.uniform_correction(c), c**3 / 12, rtol=1e-7)
    np.testing.assert_allclose(profile.scaled_sinh_integral(c), c**3 / 6, rtol=1e-7)


def test_zero_and_huge_arguments_give_numbers():
    ends = np.array([0.0, 1e-300, 1e9, 1e150])
    assert asymptotics.critical_profile(0.0) == 1.0
    assert asymptotics.critical_integral(0.0) == 0.0
    assert asymptotics.log_critical_integral(0.0) == -np.inf
    assert asymptotics.profile_correction(0.0) == 0.0
    assert asymptotics.uniform_correction(0.0) == 0.0
    for function in (
        asymptotics.log_critical_profile,
        asymptotics.critical_profile,
        asymptotics.log_critical_integral,
        asymptotics.critical_integral,
        asymptotics.profile_correction,
        asymptotics.uniform_correction,
    ):
        assert not np.any(np.isnan(function(ends)))


def test_extremes_of_the_uniform_correction():
    values = asymptotics.uniform_correction(np.linspace(0.0, 50.0, 20001))
    # Quoted in the docstring and in docs/theory.md.
    assert values.min() == pytest.approx(-2.8579, abs=1e-4)
    assert values.max() == pytest.approx(0.0225, abs=1e-4)


@pytest.mark.parametrize(
    "function", [asymptotics.profile_correction, asymptotics.uniform_correction]
)
def test_domain(function):
    assert isinstance(function(1.0), np.float64)
    assert function([[1.0, 2.0]]).shape == (1, 2)
    with pytest.raises(ValueError, match=r"c must hold finite numbers >= 0 and <= .*, got -1"):
        function(-1.0)
    with pytest.raises(ValueError, match="nan"):
        function([1.0, float("nan")])
    with pytest.raises(TypeError, match="'one'"):
        function("one")
