"""S5: the energy of its modes, the three laws of C, samples."""

import math
import pickle

import mpmath
import numpy as np
import pytest

import sigprop
from sigprop.recurrences import Recurrence
from sigprop.recurrences.s5 import C_INITS, S5
from sigprop.recurrences.state_space import legs_normal_modes

LAWS = ("white", "constant", ("ar1", 0.9), (1.0, 0.5))


def s5(**changes):
    return S5(**{"state_size": 8, "input_size": 3, "blocks": 2, **changes})


class TestEnergies:
    def test_defaults(self):
        layer = S5()
        assert (layer.state_size, layer.input_size, layer.blocks) == (256, 128, 8)
        # Bilinear: the mean energy of a mode with |A| input 1 is E dt, alpha = 1/2.
        bilinear = S5(discretization="bilinear")
        want = 0.5 * (0.1 - 0.001) / math.log(100.0)
        assert bilinear.stationary_energy() == pytest.approx(want, rel=1e-12)

    def test_outputs_by_the_law_of_c(self):
        # E y^2 = 2m/H, 2m, P m: a spread of P H/2 = 1.6e4 at the default sizes.
        m = S5().stationary_energy()
        want = {
            "lecun_normal": 2.0 * m / 128,
            "trunc_standard_normal": 2.0 * m,
            "complex_normal": 256 * m,
        }
        for name in C_INITS:
            assert S5(c_init=name).output_energy() == pytest.approx(want[name], rel=1e-14)
        ratio = want["complex_normal"] / want["lecun_normal"]
        assert ratio == pytest.approx(16384.0, rel=1e-14)

    def test_against_high_precision(self):
        layer = s5()
        modes, _ = legs_normal_modes(4)
        with mpmath.workdps(40):
            log = mpmath.log(mpmath.mpf(0.1) / mpmath.mpf(0.001))

            def laplace(s):
                low, high = mpmath.mpf(0.001), mpmath.mpf(0.1)
                return mpmath.mpf(1) if s == 0 else (mpmath.e1(s * low) - mpmath.e1(s * high)) / log

            for k in (0, 4, 300):
                total = mpmath.mpf(0)
                for mode in modes:
                    omega = mpmath.mpf(mode.imag)
                    cross = mpmath.re(laplace(mpmath.mpf(2 * k + 1) / 2 + 1j * omega))
                    terms = laplace(mpmath.mpf(k)) - 2 * cross + laplace(mpmath.mpf(k + 1))
                    total += terms / (omega**2 + mpmath.mpf(1) / 4)
                want = 3 * total / 8 / 2
                assert float(layer.impulse_energy(k)) == pytest.approx(float(want), rel=1e-12)

    def test_constant_inputs(self):
        modes, _ = legs_normal_modes(4)
        want = 3.0 / 8.0 * np.mean(1.0 / np.abs(modes) ** 2)
        assert s5().stationary_energy("constant") == pytest.approx(want, rel=1e-13)


class TestObject:
    def test_is_a_recurrence(self):
        layer = s5()
        assert isinstance(layer, Recurrence)
        assert (layer.width, layer.block_size, layer.input_width) == (4, 4, 3)
        assert (layer.model, layer.field, layer.input_field) == ("s5", "complex", "real")
        assert pickle.loads(pickle.dumps(layer)) == layer

    @pytest.mark.parametrize(
        ("arguments", "text"),
        [
            ({"state_size": 10}, "state_size must be a multiple of 2 blocks = 4, got 10"),
            ({"c_init": "glorot"}, "c_init must be one of 'lecun_normal'"),
            ({"input_size": 0}, "input_size must be an integer >= 1"),
            ({"blocks": 0}, "blocks must be an integer >= 1"),
        ],
    )
    def test_out_of_range(self, arguments, text):
        with pytest.raises(ValueError, match=text):
            s5(**arguments)

    def test_layers_of_a_batch_come_in_turn(self):
        batch = s5().sample(np.random.default_rng(0), 2)
        rng = np.random.default_rng(0)
        for i in range(2):
            assert np.array_equal(batch[i].input_matrix, s5().sample(rng).input_matrix)


class TestMonteCarlo:
    @pytest.mark.parametrize("law", LAWS, ids=str)
    def test_simulated_energies(self, law):
        layer = s5(dt_min=0.02, dt_max=0.2)
        cells = sigprop.simulate(layer, [0, 5, 60], 3000, rng=2, inputs=law).cells
        assert all(abs(cell.z) < 4.0 for cell in cells)
        # Control: entries of B with variance 1/H, as the name LeCun suggests.
        suggested = 8.0 / 3.0
        errors = [abs(c.mean - suggested * c.exact) / c.standard_error for c in cells]
        assert max(errors) > 4.0

    @pytest.mark.parametrize("c_init", C_INITS)
    def test_outputs(self, c_init):
        layer = s5(c_init=c_init, dt_min=0.02, dt_max=0.2)
        rng = np.random.default_rng(5)
        layers = layer.sample(rng, 2500)
        x = layer.draw_inputs(rng, 2500, 15)
        state = layer.first_state(layers, x[:, 0])
        for t in range(1, 15):
            state = layer.step(layers, state, x[:, t])
        squares = np.mean(layers.output(state) ** 2, axis=1)
        error = squares.std() / math.sqrt(2500)
        assert abs(squares.mean() - layer.output_energy(14)) < 4.0 * error
        assert abs(squares.mean() - 0.5 * layer.output_energy(14)) > 4.0 * error  # control


def test_a_seed_is_no_generator():
    with pytest.raises(TypeError, match=r"rng must be a numpy\.random\.Generator, as"):
        S5(8, 3, 2).sample(0)
