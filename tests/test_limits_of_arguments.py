"""Arguments at and beyond their limits: named, and no warning on the way."""

import numpy as np
import pytest

import sigprop
from sigprop.theory import real_inputs_critical
from sigprop.theory.real_cross_moments import real_cross_moment


def test_half_precision_integers_are_integers():
    assert sigprop.rnn_energy(np.float16(4), np.float16(3)) == sigprop.rnn_energy(4, 3)
    with pytest.raises(ValueError, match="n must"):
        sigprop.rnn_energy(np.float16(2.5), 3)


@pytest.mark.parametrize("field", ["complex", "real"])
def test_depths_beyond_all_memory_are_refused_by_name(field):
    huge = 10**400
    for function, name in (
        (sigprop.exact.rnn_energy, "k"),
        (sigprop.exact.lru_energy, "t"),
        (sigprop.exact.rnn_energies, "kmax"),
        (sigprop.exact.lru_energies, "tmax"),
        (sigprop.exact.rnn_numerators, "kmax"),
        (sigprop.exact.lru_numerators, "tmax"),
    ):
        with pytest.raises(ValueError, match=f"{name} must be at most"):
            function(5, huge, field=field)


def test_digits_beyond_all_memory_are_refused_by_name():
    with pytest.raises(ValueError, match="digits must be at most"):
        sigprop.certified.rnn_energy(9, 3, digits=10**400)


def test_bools_are_refused_before_parity():
    with pytest.raises(TypeError, match="n must"):
        real_cross_moment(True, 1, 2)


@pytest.mark.parametrize("value", [None, "1", [1.0], True])
def test_scaled_depths_are_numbers(value):
    with pytest.raises(TypeError, match="c must"):
        sigprop.asymptotics.real_correction_integral_form(value)


@pytest.mark.parametrize("c", [5e-324, 1e-320, 1e-200, 1e-160])
def test_tiny_depths_are_no_nan(c):
    assert 0.0 <= float(real_inputs_critical.cross_moment_integral(c)) <= c
    assert float(real_inputs_critical.constant_input_profile(c)) == pytest.approx(c, rel=1e-6)
