"""Energies of powers: matrices of known answer, plain NumPy, range, and what does not matter."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigprop.auditing import _wide_range, audit, profile
from sigprop.auditing.profile import log_energies, log_energies_of_moduli

pytestmark = pytest.mark.usefixtures("no_bands")

# Measured at most 9e-14 (orthogonal, k = 1024), 2e-15 for the others.
TOL = 1e-12
DEPTHS = [0, 1, 2, 3, 7, 64, 100, 1000, 1024]


def _measured(W, depths=DEPTHS, **options):
    return np.array([record.log_energy for record in audit(W, depths, **options).tensors])


def _orthogonal(n, seed=3):
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((n, n)))[0]


def test_jordan_block():
    k = np.array([*DEPTHS, 10**5])
    found = log_energies(np.array([[1.0, 1.0], [0.0, 1.0]]), k.tolist())
    assert np.abs(found - np.log((2.0 + k**2) / 2.0)).max() < TOL


def test_defective_block_of_modulus_below_one():
    k = np.array(DEPTHS[1:])
    found = _measured(np.array([[0.5, 1.0], [0.0, 0.5]]), k)[0]
    exact = 2.0 * k * math.log(0.5) + np.log((2.0 + (2.0 * k) ** 2) / 2.0)
    assert np.abs(found - exact).max() < TOL


def test_nilpotent_is_gone_at_its_index_and_not_before():
    found = _measured(np.diag([2.0, 3.0, 4.0], 1), [0, 1, 2, 3, 4, 5, 1000])[0]
    exact = [0.0, math.log(29.0 / 4.0), math.log((36.0 + 144.0) / 4.0), math.log(576.0 / 4.0)]
    assert np.abs(found[:4] - exact).max() < TOL
    assert (found[4:] == -np.inf).all()


def test_nilpotent_by_cancellation():
    assert _measured(np.array([[1, -1], [1, -1]]), [2])[0, 0] == -np.inf


def test_integers_never_wrap():
    k = np.array([1, 2, 31, 32, 63, 64, 100])
    found = _measured(2 * np.eye(5, dtype=np.int8), k)[0]
    assert np.abs(found - k * math.log(4.0)).max() < TOL


def test_entries_beyond_the_range_of_their_square():
    n, k = 3, np.array(DEPTHS[1:])
    found = log_energies(np.full((n, n), 1e200), k.tolist())
    # W = 1e200 n u u^T with a unit vector u. The logarithms are of the order 1e6.
    exact = 2.0 * k * (200.0 * math.log(10.0) + math.log(n)) - math.log(n)
    assert (np.abs(found / exact - 1.0) < 1e-15).all()


def test_scaled_orthogonal():
    found = _measured(0.9 * _orthogonal(48))[0]
    assert np.abs(found - np.array(DEPTHS) * math.log(0.81)).max() < TOL


def test_identity_one_by_one_and_zero_are_exact():
    assert (_measured(np.eye(7)) == 0.0).all()
    assert log_energies(np.eye(7), [10**6]) == 0.0
    assert np.abs(_measured([[0.5]])[0] + np.array(DEPTHS) * math.log(4.0)).max() < TOL
    assert _measured(np.zeros((3, 3)), [0, 1, 9])[0].tolist() == [0.0, -np.inf, -np.inf]


@pytest.mark.parametrize("field", ["real", "complex"])
def test_transposed_twin(field):
    W = _gaussian(40, field)
    assert np.abs(_measured(W) - _measured(W.T)).max() < TOL
    assert (_measured(W) == _measured(W.T.copy(), transpose=True)).all()


def test_a_stack_is_its_members():
    stack = np.stack([_gaussian(8, "real", seed) for seed in range(6)]).reshape(2, 3, 8, 8)
    records = audit(stack, [1, 7, 64]).tensors
    assert [record.key for record in records][:2] == ["W[0, 0]", "W[0, 1]"]
    for record, member in zip(records, stack.reshape(6, 8, 8), strict=True):
        assert record.log_energy == tuple(_measured(member, [1, 7, 64])[0])


def _gaussian(n, field, seed=0):
    rng = np.random.default_rng(seed)
    W = rng.standard_normal((n, n)) / math.sqrt(n)
    return W if field == "real" else (W + 1j * rng.standard_normal((n, n)) / math.sqrt(n)) / 2**0.5


@pytest.mark.parametrize("field", ["real", "complex"])
@pytest.mark.parametrize("n", [1, 2, 17, 96])
def test_every_depth_against_plain_products(n, field):
    W = _gaussian(n, field, seed=n)
    power, plain = np.eye(n), []
    for _ in range(200):
        power = power @ W
        plain.append(math.log(np.sum(np.abs(power) ** 2) / n))
    # Measured 2e-14.
    assert np.abs(log_energies(W, range(1, 201)) - plain).max() < TOL


def test_a_depth_does_not_depend_on_the_others_and_runs_agree_to_the_bit():
    W = _gaussian(50, "complex")
    many = log_energies(W, range(300))
    assert (many == log_energies(W, range(300))).all()
    assert [log_energies(W, [k])[0] for k in (1, 77, 299)] == [many[k] for k in (1, 77, 299)]
    assert audit(W, DEPTHS) == audit(np.asfortranarray(W), DEPTHS)


def test_depth_100000_of_a_growing_matrix():
    W = 3.0 * _orthogonal(16)
    # The relative error of the logarithm; W itself is orthogonal to 1e-16 only.
    assert abs(log_energies(W, [10**5])[0] / (10**5 * math.log(9.0)) - 1.0) < 1e-15


@given(st.integers(-1000, 1000), st.integers(1, 300))
def test_a_power_of_two_on_the_weights_is_exact(power, k):
    W = _gaussian(4, "real")
    shifted = log_energies(np.ldexp(W, power), [k])[0]
    assert shifted == pytest.approx(
        log_energies(W, [k])[0] + 2 * k * power * math.log(2.0), rel=1e-15, abs=1e-12
    )


class TestRange:
    """Entries whose ratio is beyond the float range, and then matters."""

    def test_a_small_part_survives_a_large_nilpotent_one(self):
        W = np.diag([1e150, 1e150, 1e150, 0.0, 0.0], 1)
        W[4, 4] = W[5, 5] = 1e-150
        k = np.array([4, 10, 1000])
        found = log_energies(W, k.tolist())
        exact = math.log(2.0 / 6.0) - 2.0 * k * 150.0 * math.log(10.0)
        assert (np.abs(found / exact - 1.0) < 1e-15).all()

    @pytest.mark.parametrize("factor", [1.0, 1.0j])
    def test_a_permutation_in_disguise(self, factor):
        W = factor * np.array([[0.0, 1e200], [1e-200, 0.0]])
        found = log_energies(W, [2, 3, 1000])
        assert np.abs(found - [0.0, math.log(1e200) * 2.0 - math.log(2.0), 0.0]).max() < 1e-12

    def test_subnormal_entries(self):
        W = np.diag([5e-324, 0.0])
        exact = 2000.0 * math.log(5e-324) - math.log(2.0)
        assert log_energies(W, [1000])[0] == pytest.approx(exact, rel=1e-15)

    @pytest.mark.parametrize("field", ["real", "complex"])
    def test_both_arithmetics_agree(self, field):
        W = _gaussian(12, field)
        depths = [1, 2, 5, 100]
        wide = profile._walk(
            _wide_range.from_matrix(W), depths, _wide_range.multiply, _wide_range.log_energy
        )
        assert np.abs(wide - log_energies(W, depths)).max() < TOL

    def test_without_the_second_arithmetic_the_small_part_would_be_lost(self):
        W = np.diag([1e150, 1e150, 1e150, 0.0, 0.0], 1)
        W[4, 4] = 1e-150
        with pytest.raises(profile._RangeLostError):
            profile._walk(profile._scaled(W), [4], profile._multiply, profile._log_energy)


def test_moduli_near_one_and_zero():
    log_moduli = np.array([-1e-12, -2e-12, -np.inf])
    found = log_energies_of_moduli(log_moduli, [0, 10**6, 10**12])
    x = np.array([0.0, 10.0**6, 10.0**12])
    exact = np.log((np.exp(-2e-12 * x) + np.exp(-4e-12 * x) + (x == 0)) / 3.0)
    assert np.abs(found - exact).max() < 1e-14
    assert log_energies_of_moduli(np.array([-np.inf]), [0, 1]).tolist() == [0.0, -np.inf]
