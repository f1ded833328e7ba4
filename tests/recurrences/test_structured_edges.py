"""Structured recurrences at their edges: first steps, silent units, equal layers."""

import math
import pickle

import numpy as np
import pytest

from sigprop.recurrences import DiagonalLRU, RotRNN, from_layer

HORIZONS = ["mean_lag", "half_energy", "burn_in", ("tail", 3), "e_fold", "participation"]

SILENT = [
    DiagonalLRU(4, 1.0, 1.0),
    DiagonalLRU(4, 1.0, 1.0, first_step="unit"),
    DiagonalLRU(4, 1.0, 1.0, normalization=("ar1", 0.5)),
    RotRNN(1, 2, 1.0, 1.0, "ring"),
    from_layer([0.5, 0.2], [[0.0], [0.0]]),
]


def _mean_energies(scaling, first_scale, scale_of):
    """Mean energies over r^2 at 4000 midpoints of [0.25, 0.81], step after step."""
    q = 0.25 + (0.81 - 0.25) * (np.arange(4000) + 0.5) / 4000
    energy, means = np.zeros_like(q), []
    for t, square in enumerate(scaling):
        entering = first_scale if t == 0 else scale_of(q)
        energy = q * energy + square * entering
        means.append(float(energy.mean()))
    return np.array(means)


class TestUnitFirstStep:
    @pytest.mark.parametrize("steps", [1, 2, 5, 300])
    def test_white_inputs_need_no_scaling(self, steps):
        # Largest error measured: 1.1e-15.
        lru = DiagonalLRU(2, 0.5, 0.9, first_step="unit")
        assert lru.input_schedule(steps) == pytest.approx(np.ones(steps), rel=1e-12)
        rotations = RotRNN(2, 4, first_step="unit")
        assert rotations.input_schedule(steps, 0.25) == pytest.approx(np.ones(steps), rel=1e-12)

    @pytest.mark.parametrize("target", [1.0, 3.0])
    @pytest.mark.parametrize("rho", [None, 0.7])
    def test_schedule_holds_the_energy(self, rho, target):
        def scale_of(q):
            # Full phase: the mean of |1 - rho lambda|^2 is 1 + rho^2 q.
            return 1.0 - q if rho is None else (1 - q) * (1 + rho**2 * q) / (1 - rho**2 * q)

        scale = "gamma" if rho is None else ("ar1", rho)
        lru = DiagonalLRU(2, 0.5, 0.9, normalization=scale, first_step="unit")
        energies = _mean_energies(lru.input_schedule(40, target), 1.0, scale_of)
        # Largest error measured: 1.4e-9, that of 4000 midpoints.
        assert energies == pytest.approx(np.full(40, target), rel=1e-8)
        # A layer that scales its first input as well needs another schedule.
        other = DiagonalLRU(2, 0.5, 0.9, normalization=scale).input_schedule(40, target)
        assert abs(_mean_energies(other, 1.0, scale_of)[0] - target) > 0.1 * target

    def test_rotations_take_any_target(self):
        rotations = RotRNN(2, 4, 0.5, 0.9, "ring", first_step="unit")
        scaling = rotations.input_schedule(40, 2.0)
        energies = _mean_energies(scaling, 0.25, lambda q: 0.25 * (1.0 - q))
        assert energies == pytest.approx(np.full(40, 2.0), rel=1e-8)

    def test_without_normalization_the_first_step_is_as_all_others(self):
        unit = DiagonalLRU(2, 0.5, 0.9, normalization=None, first_step="unit")
        plain = DiagonalLRU(2, 0.5, 0.9, normalization=None)
        assert np.array_equal(unit.input_schedule(9), plain.input_schedule(9))

    def test_a_unit_step_stays_on_the_unit_circle(self):
        lru = DiagonalLRU(2, 1.0, 1.0, first_step="unit")
        assert lru.stationary_energy() == lru.state_energy(7) == 1.0
        assert lru.stationary_energy("constant") == 1.0


class TestSilentLayers:
    @pytest.mark.parametrize("layer", SILENT, ids=repr)
    def test_no_question_about_the_inputs_has_an_answer(self, layer):
        for kind in HORIZONS:
            with pytest.raises(ValueError, match=r"horizon does not exist.*impulse energies"):
                layer.horizon(kind)
        with pytest.raises(ValueError, match=r"input_schedule does not exist.*input scale"):
            layer.input_schedule(3)

    def test_their_energies_are_zero(self):
        for layer in (SILENT[0], SILENT[2], SILENT[3], SILENT[4]):
            assert layer.stationary_energy() == layer.stationary_energy("constant") == 0.0

    def test_a_state_without_memory_has_horizons(self):
        lru = DiagonalLRU(4, 0.0, 0.0)
        want = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
        assert [lru.horizon(kind) for kind in HORIZONS] == want


class TestUndrivenUnits:
    @pytest.mark.parametrize("kind", HORIZONS, ids=str)
    @pytest.mark.parametrize("idle", [2.0, 1.0, 0.9, 0.0])
    def test_horizons_are_those_of_the_driven_units(self, kind, idle):
        layer = from_layer([0.5, idle], [[1.0], [0.0]])
        assert layer.horizon(kind) == from_layer([0.5]).horizon(kind)

    def test_energies_are_those_of_the_driven_units(self):
        layer = from_layer([0.5, 2.0], [[1.0], [0.0]], [[1.0, 1.0]])
        alone = from_layer([0.5], [[1.0]], [[1.0]])
        lags = [0, 3, 5000]
        assert np.array_equal(2.0 * layer.impulse_energy(lags), alone.impulse_energy(lags))
        assert np.array_equal(layer.output_energy(), alone.output_energy())
        assert np.array_equal(layer.output_energy(5000), alone.output_energy(5000))
        assert layer.input_schedule(4, 0.5) == pytest.approx(alone.input_schedule(4), rel=1e-15)
        gradient = layer.gradient_energy("eigenvalue")
        assert 2.0 * gradient == pytest.approx(alone.gradient_energy("eigenvalue"), rel=1e-15)

    def test_outputs_do_not_see_a_unit_without_weights(self):
        layer = from_layer([0.5, 2.0], None, [[1.0, 0.0]])
        assert np.array_equal(layer.output_energy(), from_layer([0.5], C=[[1.0]]).output_energy())
        with pytest.raises(ValueError, match="modulus >= 1"):
            from_layer([0.5, 2.0], None, [[1.0, 1e-3]]).output_energy()


class TestEqualLayers:
    def test_equal_content_is_equal(self):
        layer = from_layer([0.5, 0.25j], [[1.0], [0.0]], [[1.0, -0.0]])
        same = from_layer([0.5, 0.25j], [[1.0], [-0.0]], [[1.0, 0.0]])
        assert layer == same
        assert hash(layer) == hash(same)
        assert pickle.loads(pickle.dumps(layer)) == layer

    def test_other_content_is_not(self):
        layer = from_layer([0.5, 0.25], [[1.0], [0.0]], [[1.0, 0.0]])
        others = [
            from_layer([0.5, 0.26], [[1.0], [0.0]], [[1.0, 0.0]]),
            from_layer([0.5, 0.25], [[1.0], [0.1]], [[1.0, 0.0]]),
            from_layer([0.5, 0.25], [[1.0], [0.0]], [[1.0, 0.1]]),
            from_layer([0.5, 0.25], [[1.0], [0.0]]),
            from_layer([0.5, 0.25], None, [[1.0, 0.0]]),
            layer.with_inputs("constant"),
        ]
        assert all(layer != other for other in others)
        assert len({layer, *others}) == 7
        assert layer != "layer"

    def test_repr_sums_up(self):
        layer = from_layer([0.5, 2.0], [[1.0], [0.0]], inputs=("ar1", 0.5))
        assert repr(layer) == (
            "LayerRecurrence(width=2, moduli=0.5..2, B.shape=(2, 1), inputs=('ar1', 0.5))"
        )


def test_depths_beyond_the_last_get_no_advice_that_does_not_apply():
    lru = DiagonalLRU(4, 0.9, 0.99)
    assert math.isclose(float(lru.state_energy(2**53 - 1)), 1.0)
    with pytest.raises(ValueError, match=r"depth must hold integers") as caught:
        lru.state_energy(2**53)
    assert "sigprop." not in str(caught.value)


def test_a_seed_is_no_generator():
    with pytest.raises(TypeError, match=r"rng must be a numpy.random.Generator"):
        DiagonalLRU(4).sample(0)
