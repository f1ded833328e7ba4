"""RotRNN: energies, horizons and samples; the RotRNN and the LRU as one another."""

import json
import math
import pickle
from dataclasses import replace
from pathlib import Path

import mpmath
import numpy as np
import pytest

import sigprop
from sigprop.recurrences import DiagonalLRU, NoFormulaError, Recurrence, from_layer, one_mode
from sigprop.recurrences.converters import lru_to_rotrnn, rotrnn_to_lru
from sigprop.recurrences.rotrnn import RotRNN
from sigprop.theory.input_laws import autocorrelation

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "structured.json").read_text())
LAWS = ("white", "constant", ("ar1", 0.9), (1.0, 0.5, 0.2))
ENDS = (0.9, 0.999)
PHASE = math.pi / 10.0

# Measured: 8e-14 far beyond the memory (exp(-680)), at most 9e-15 elsewhere.
DIGITS = 1e-12


def laplace(s, ends=ENDS):
    """Return E exp(-s nu), nu log-uniform, by exponential integrals."""
    low, high = -mpmath.log(mpmath.mpf(ends[1])), -mpmath.log(mpmath.mpf(ends[0]))
    if s == 0:
        return mpmath.mpf(1)
    return (mpmath.e1(s * low) - mpmath.e1(s * high)) / mpmath.log(high / low)


def mean(function, ends=ENDS):
    """Return the mean of a function of nu by quadrature in ln(nu)."""
    low, high = -mpmath.log(mpmath.mpf(ends[1])), -mpmath.log(mpmath.mpf(ends[0]))
    points = mpmath.linspace(mpmath.log(low), mpmath.log(high), 9)
    total = mpmath.quad(lambda y: function(mpmath.exp(y)), points)
    return total / mpmath.log(high / low)


def close(value, want, rel=DIGITS):
    return abs(float(value) - float(want)) <= rel * abs(float(want))


class TestReferences:
    @pytest.mark.parametrize("entry", REFERENCE["rotrnn"], ids=lambda e: f"{e['gamma']}-{e['k']}")
    def test_decay_factors(self, entry):
        gamma = float(entry["gamma"])
        rot = RotRNN(2, 4, gamma, gamma, decay="ring")
        assert close(rot.decay_factor(entry["k"]), entry["Q"])
        if gamma < 1.0:
            assert close(RotRNN(2, 4, gamma, gamma).decay_factor(entry["k"]), entry["Q"])

    def test_values(self):
        values = REFERENCE["values"]
        rot = RotRNN(1, 2)
        assert close(rot.decay_factor(10), values["RotRNN gamma in[.9,.999] nu log-unif: E g^20"])
        lag = values["RotRNN ditto: mean lag E g^2/(1-g^2)"]
        assert close(rot.horizon("mean_lag"), lag)

    def test_horizons(self):
        rot = RotRNN(4, 16)
        assert round(rot.horizon("mean_lag"), 1) == 105.8
        assert [rot.horizon(k) for k in ("half_energy", ("burn_in", 0.9), "burn_in")] == [
            28.0,
            293.0,
            482.0,
        ]
        assert rot.horizon(("tail", 1024)) == pytest.approx(9.8e-3, rel=5e-3)
        assert rot.horizon(("tail", 16384)) < 1e-15
        assert rot.horizon("e_fold") == pytest.approx(-0.5 / math.log(0.999), rel=1e-15)


class TestHighPrecision:
    @pytest.mark.parametrize("ends", [ENDS, (0.5, 0.99999), (0.95, 0.9501)])
    def test_white_inputs(self, ends):
        rot = RotRNN(2, 4, *ends)
        for k in (0, 1, 30, 1000, 10**5):
            with mpmath.workdps(40):
                q = laplace(2 * k, ends) - laplace(2 * k + 2, ends)
                s = 1 - laplace(2 * k + 2, ends)
                if float(q) < 1e-290:
                    continue
                assert close(4 * rot.impulse_energy(k), q)
                assert close(rot.head_energy(k), s)
                assert close(rot.decay_factor(k), laplace(2 * k, ends))

    @pytest.mark.parametrize("k", [10**5, 200_000, 340_000])
    def test_far_beyond_the_memory(self, k):
        with mpmath.workdps(50):
            want = laplace(2 * k) - laplace(2 * k + 2)
        # exp(-200) to exp(-680), where the mean lives on a hair of the law.
        assert close(2 * RotRNN(1, 2).impulse_energy(k), want)

    @pytest.mark.parametrize("law", [law for law in LAWS if law != "white"], ids=str)
    def test_coloured_inputs(self, law):
        rot = RotRNN(3, 4, max_phase=PHASE)
        t = 40
        with mpmath.workdps(30):
            total = mpmath.mpf(0)
            for d, r in enumerate(autocorrelation(law, t + 1)):
                angle = d * mpmath.mpf(PHASE)
                phase = mpmath.sin(angle) / angle if d else mpmath.mpf(1)
                # Sums of E gamma^(2k + d) (1 - gamma^2) over k telescope.
                inner = laplace(d) - laplace(2 * (t - d) + d + 2)
                total += (2 if d else 1) * mpmath.mpf(float(r)) * phase * inner
            assert close(rot.head_energy(t, law), total)

    @pytest.mark.parametrize("rho", [-0.5, 0.5, 0.99, 1.0])
    def test_coloured_limits(self, rho):
        rot = RotRNN(3, 4, max_phase=PHASE)
        with mpmath.workdps(30):
            half = mpmath.mpf(PHASE) / 2

            def kernel(nu):
                s = mpmath.mpf(rho) * mpmath.exp(-nu)
                y, x = (1 + s) * mpmath.sin(half), (1 - s) * mpmath.cos(half)
                return mpmath.atan2(y, x) / half

            want = mean(kernel)
        law = "constant" if rho == 1.0 else ("ar1", rho)
        assert close(4 * rot.stationary_energy(law), want)

    @pytest.mark.parametrize("parameter", RotRNN.gradient_parameters)
    def test_gradients(self, parameter):
        rot = RotRNN(2, 4)
        factors = {
            "gamma": lambda nu: mpmath.mpf(1),
            "gamma_log": lambda nu: nu**2 * mpmath.exp(-2 * nu),
            "theta": lambda nu: mpmath.exp(-2 * nu),
        }
        with mpmath.workdps(30):
            if parameter == "state":
                assert close(rot.gradient_energy("state", 10), laplace(20))
                assert rot.gradient_energy("state") == 0.0
                return
            factor = factors[parameter]

            def limit(nu):
                q = mpmath.exp(-2 * nu)
                return factor(nu) * (1 + q) / (1 - q) ** 2

            def finite(nu):
                q = mpmath.exp(-2 * nu)
                return factor(nu) * (1 - q) * sum(k * k * q ** (k - 1) for k in range(1, 8))

            assert close(4 * rot.gradient_energy(parameter), mean(limit))
            assert close(4 * rot.gradient_energy(parameter, 7), mean(finite))


class TestTransient:
    DEPTHS = np.array([0, 1, 5, 50, 1000])

    def test_one_decay(self):
        gamma = 0.95
        scaled = RotRNN(3, 6, gamma, gamma)
        unit = RotRNN(3, 6, gamma, gamma, first_step="unit")
        assert np.allclose(
            scaled.head_energy(self.DEPTHS), 1.0 - gamma ** (2.0 * self.DEPTHS + 2.0), rtol=1e-13
        )
        assert np.array_equal(unit.head_energy(self.DEPTHS), np.ones(5))
        assert unit.layer_energy(3) == 3.0
        assert unit.state_energy(3) == 1.0 / 6.0

    def test_equal_to_that_of_the_lru(self):
        rot = RotRNN(2, 8, *ENDS, decay="ring")
        lru = DiagonalLRU(16, *ENDS)
        lags = np.array([0, 3, 100, 10**5])
        assert np.allclose(rot.head_energy(self.DEPTHS), lru.state_energy(self.DEPTHS), rtol=1e-13)
        assert np.allclose(8 * rot.impulse_energy(lags), lru.impulse_energy(lags), rtol=1e-13)
        for law in LAWS:
            restricted = RotRNN(2, 8, *ENDS, "ring", PHASE)
            same = DiagonalLRU(16, *ENDS, PHASE)
            ours = restricted.head_energy(self.DEPTHS, law)
            assert np.allclose(ours, same.state_energy(self.DEPTHS, law), rtol=1e-13)
            limit = 8 * restricted.stationary_energy(law)
            assert limit == pytest.approx(same.stationary_energy(law), rel=1e-13)
        for parameter, name in (("gamma_log", "nu_log"), ("theta", "theta"), ("state", "state")):
            factor = 1 if parameter == "state" else 8
            ours = factor * rot.gradient_energy(parameter, 20)
            assert ours == pytest.approx(lru.gradient_energy(name, 20), rel=1e-13)

    def test_of_one_drawn_layer_without_any_mean(self):
        # Deterministic in P, angles and B: the same norm for every draw, step by step.
        rot = RotRNN(1, 6, 0.9, 0.9, input_size=3)
        layer = rot.sample(np.random.default_rng(0))
        quenched = self._white(layer)
        want = 1.0 - 0.9 ** (2.0 * np.arange(8) + 2.0)
        assert np.allclose(quenched, want, rtol=1e-12)
        unit = RotRNN(1, 6, 0.9, 0.9, input_size=3, first_step="unit")
        assert np.allclose(self._white(unit.sample(np.random.default_rng(0))), 1.0, rtol=1e-12)

    @staticmethod
    def _white(layer, steps=8):
        """Return E||x_t||^2 of a layer from its covariance, step by step."""
        a = layer.transition[0]
        b = layer.input_matrix @ layer.input_matrix.T
        first = layer.scale if layer.first_scale is None else layer.first_scale
        covariance = first[0] ** 2 * b
        energies = []
        for _ in range(steps):
            energies.append(np.trace(covariance))
            covariance = a @ covariance @ a.T + layer.scale[0] ** 2 * b
        return np.array(energies)

    def test_from_any_energy(self):
        rot = RotRNN(2, 4)
        depths = np.arange(6)
        assert np.allclose(rot.head_energy_from(1.0, depths), 1.0, rtol=1e-13)
        assert np.allclose(rot.head_energy_from(0.0, depths), rot.head_energy(depths), rtol=1e-15)
        want = 1.0 + 4.0 * rot.decay_factor(depths + 1)
        assert np.allclose(rot.head_energy_from(5.0, depths), want, rtol=1e-14)
        frozen = RotRNN(2, 4, 1.0, 1.0, "ring")
        assert frozen.head_energy_from(2.0, 7) == 2.0
        assert frozen.stationary_energy() == 0.0

    def test_full_phase_sees_no_colour(self):
        rot = RotRNN(2, 4)
        for law in LAWS:
            assert np.array_equal(rot.state_energy(self.DEPTHS, law), rot.state_energy(self.DEPTHS))
            assert rot.stationary_energy(law) == pytest.approx(0.25, rel=1e-14)

    def test_the_schedule_holds_the_energy(self):
        rot = RotRNN(2, 4)
        schedule = rot.input_schedule(100, target=0.25)
        q = rot.impulse_energy(np.arange(100))
        energies = [schedule[: t + 1] @ q[t::-1] for t in range(100)]
        assert np.allclose(energies, 0.25, rtol=1e-13)
        assert schedule[0] > 1.0  # the unscaled first input, relative to xi

    def test_colour_of_one_layer_depends_on_its_angles_alone(self):
        # B = I shares its trace over the planes evenly, so that no mean over B is left.
        layer = RotRNN(1, 6, 0.9, 0.9, max_phase=1.0).sample(np.random.default_rng(3))
        modes = layer.log_decay[0] + 1j * layer.angle[0]
        lru = rotrnn_to_lru(layer)
        given = from_layer(
            log_eigenvalues=lru.log_eigenvalue, B=lru.scale[:, None] * lru.input_matrix
        )
        for law in (*LAWS, ("ar1", -0.3)):
            lags = autocorrelation(law, 13)
            curves = np.exp(one_mode.log_coloured_energies(modes, lags, np.array([12.0])))
            want = (1.0 - 0.9**2) * curves.mean()
            assert 6 * given.state_energy(12, law) == pytest.approx(want, rel=1e-12)


class TestObject:
    def test_is_a_recurrence(self):
        rot = RotRNN(2, 4)
        assert isinstance(rot, Recurrence)
        assert (rot.width, rot.units_per_head, rot.units_per_layer) == (8, 4, 8)
        assert (rot.model, rot.average, rot.field) == ("rotrnn", "annealed", "real")
        assert pickle.loads(pickle.dumps(rot)) == rot
        assert hash(rot) == hash(RotRNN(2, 4))
        assert rot.with_inputs("constant").inputs == "constant"

    @pytest.mark.parametrize(
        ("arguments", "text"),
        [
            ({"head_size": 3}, "head_size must be even, got 3"),
            ({"heads": 0}, "heads must be an integer >= 1"),
            ({"gamma_max": 1.0}, "decay 'ring' takes 0 and 1"),
            ({"gamma_min": 0.0}, "0 < gamma_min <= gamma_max < 1"),
            ({"gamma_min": -0.1, "decay": "ring"}, "0 <= gamma_min <= gamma_max <= 1"),
            ({"decay": "uniform"}, "decay must be one of 'log_uniform', 'ring'"),
            ({"max_phase": 7.0}, "max_phase must lie in"),
            ({"first_step": "none"}, "first_step must be one of"),
            ({"output_law": "none"}, "output_law must be one of"),
            ({"input_size": 0}, "input_size must be an integer >= 1"),
        ],
    )
    def test_out_of_range(self, arguments, text):
        with pytest.raises(ValueError, match=text):
            RotRNN(**{"heads": 2, "head_size": 4, **arguments})

    def test_questions_without_an_answer(self):
        rot = RotRNN(2, 4, max_phase=1.0, first_step="unit")
        with pytest.raises(NoFormulaError, match=r"estimate it with sigprop\.simulate"):
            rot.state_energy(3, "constant")
        with pytest.raises(ValueError, match="needs output_size"):
            rot.output_energy(3)
        with pytest.raises(ValueError, match="needs output_size"):
            rot.output_energy()
        with pytest.raises(TypeError, match=r"rng must be a numpy\.random\.Generator, as"):
            rot.sample(0)
        with pytest.raises(ValueError, match="depth must be at most"):
            RotRNN(2, 4, max_phase=1.0).state_energy(10**7, "constant")
        with pytest.raises(ValueError, match="infinite"):
            RotRNN(2, 4, 0.5, 1.0, "ring").gradient_energy("theta")
        with pytest.raises(ValueError, match="initial must be >= 0"):
            rot.head_energy_from(-1.0, 3)

    def test_covariance_of_the_inputs(self):
        layer = RotRNN(2, 4, input_size=3).sample(np.random.default_rng(0))
        assert np.allclose(layer.covariance_factor(np.eye(3)), 1.0)
        sigma = np.diag([1.0, 2.0, 6.0])
        b = layer.input_matrix[:4]
        want = np.trace(b @ sigma @ b.T) / np.trace(b @ b.T)
        assert layer.covariance_factor(sigma)[0] == pytest.approx(want, rel=1e-14)
        draws = RotRNN(500, 2, input_size=3).sample(np.random.default_rng(1))
        factors = draws.covariance_factor(sigma)
        error = factors.std() / math.sqrt(500)
        assert abs(factors.mean() - 3.0) < 4.0 * error
        assert abs(factors.mean() - 2.0) > 4.0 * error  # control
        with pytest.raises(ValueError, match="covariance must have shape"):
            layer.covariance_factor(np.eye(2))

    def test_steps_are_the_formula(self):
        rot = RotRNN(2, 4, input_size=3, output_size=3)
        layer = rot.sample(np.random.default_rng(0))
        rng = np.random.default_rng(1)
        x, u = rng.standard_normal(8), rng.standard_normal(3)
        want = np.concatenate(
            [
                layer.transition[h] @ x[4 * h : 4 * h + 4]
                + layer.scale[h] * layer.input_matrix[4 * h : 4 * h + 4] @ u
                for h in range(2)
            ]
        )
        assert np.allclose(layer.step(x, u), want, rtol=1e-14)
        far = x
        for _ in range(20):
            far = layer.step(far)
        assert np.allclose(layer.advance(x, 20), far, rtol=1e-12)
        assert np.allclose(layer.output(x, u), layer.output_matrix @ x + layer.feedthrough * u)
        with pytest.raises(ValueError, match="no output matrix"):
            RotRNN(2, 4).sample(rng).output(x)

    def test_layers_of_a_batch_come_in_turn(self):
        rot = RotRNN(2, 4, input_size=3)
        batch = rot.sample(np.random.default_rng(0), 3)
        rng = np.random.default_rng(0)
        assert len(batch) == 3
        for i in range(3):
            assert np.array_equal(batch[i].basis, rot.sample(rng).basis)
        with pytest.raises(TypeError, match="no length"):
            len(batch[0])


class TestMonteCarlo:
    DEPTHS = (0, 3, 30)

    @pytest.mark.parametrize(
        ("rot", "law"),
        [
            (RotRNN(2, 4), "white"),
            (RotRNN(2, 4, decay="ring"), "white"),
            (RotRNN(2, 4, first_step="unit", input_size=3), "white"),
            (RotRNN(2, 4, max_phase=PHASE), "constant"),
            (RotRNN(2, 4, max_phase=PHASE, input_size=3), ("ar1", 0.9)),
            (RotRNN(2, 4, max_phase=PHASE), (1.0, 0.5, 0.2)),
        ],
        ids=lambda value: value.decay if isinstance(value, RotRNN) else str(value),
    )
    def test_simulated_energies(self, rot, law):
        cells = sigprop.simulate(rot, self.DEPTHS, 1500, rng=11, inputs=law).cells
        assert all(abs(cell.z) < 4.0 for cell in cells)
        # Control: the stationary value is not the value on the way there, nor half of it later.
        wrong = rot.stationary_energy(law) * (0.8 if rot.first_step == "unit" else 1.0)
        assert max(abs(c.mean - wrong) / c.standard_error for c in cells) > 4.0

    def test_outputs(self):
        for law, variance in (("both_sizes", 1.0 / 10.0), ("state_size", 1.0 / 8.0)):
            rot = RotRNN(2, 4, input_size=3, output_size=2, output_law=law)
            assert rot.output_energy(10**5) == pytest.approx(2.0 * variance, rel=1e-12)
            assert rot.output_energy() == pytest.approx(2.0 * variance, rel=1e-14)
            partial = RotRNN(2, 4, max_phase=1.0, input_size=3, output_size=2, output_law=law)
            limit = partial.output_energy(None, ("ar1", 0.5))
            assert limit == pytest.approx(partial.output_energy(10**5, ("ar1", 0.5)), rel=1e-11)
            assert limit > 1.1 * partial.output_energy()  # control: the law matters
            rng = np.random.default_rng(5)
            layers = rot.sample(rng, 2000)
            x = rot.draw_inputs(rng, 2000, 5)
            state = rot.first_state(layers, x[:, 0])
            for t in range(1, 5):
                state = rot.step(layers, state, x[:, t])
            squares = layers.output(state)[:, 0] ** 2
            error = squares.std() / math.sqrt(2000)
            assert abs(squares.mean() - rot.output_energy(4)) < 4.0 * error
            assert abs(squares.mean() - rot.output_energy(10**5)) > 4.0 * error  # control

    @pytest.mark.parametrize("parameter", ["gamma", "gamma_log", "theta"])
    def test_gradients_of_samples(self, parameter):
        rot = RotRNN(1, 4, 0.5, 0.99)
        rng = np.random.default_rng(9)
        layers = rot.sample(rng, 2000)
        x = rot.draw_inputs(rng, 2000, 13)
        quarter = replace(layers, angle=np.full_like(layers.angle, math.pi / 2.0))
        quarter = replace(quarter, log_decay=np.zeros_like(layers.log_decay))
        state = layers.first_state(x[:, 0])
        change = np.zeros_like(state)
        for t in range(1, 13):
            # d(gamma A) is gamma A times 1/gamma, -nu, or the quarter turn of every plane.
            turned = quarter.step(state) if parameter == "theta" else state
            factor = {"gamma": 1.0 / layers.decay, "gamma_log": layers.log_decay, "theta": 1.0}
            change = layers.step(change + factor[parameter] * turned)
            state = layers.step(state, x[:, t])
        energies = np.mean(change**2, axis=1)
        error = energies.std() / math.sqrt(2000)
        assert abs(energies.mean() - rot.gradient_energy(parameter, 12)) < 4.0 * error
        assert abs(energies.mean() - rot.gradient_energy(parameter, 20)) > 4.0 * error  # control

    def test_impulses_and_decays_of_samples(self):
        rot = RotRNN(1, 4)
        rng = np.random.default_rng(10)
        layers = rot.sample(rng, 2000)
        state = rng.standard_normal((2000, 4))
        share = np.sum(layers.advance(state, 25) ** 2, axis=1) / np.sum(state**2, axis=1)
        error = share.std() / math.sqrt(2000)
        assert abs(share.mean() - rot.gradient_energy("state", 25)) < 4.0 * error
        assert abs(share.mean() - rot.gradient_energy("state", 50)) > 4.0 * error  # control
        first = layers.first_state(state)
        energies = np.mean(layers.advance(first, 25) ** 2, axis=1)
        error = energies.std() / math.sqrt(2000)
        assert abs(energies.mean() - rot.impulse_energy(25)) < 4.0 * error
        assert abs(energies.mean() - rot.impulse_energy(0)) > 4.0 * error  # control

    def test_from_a_state_of_any_energy(self):
        rot = RotRNN(1, 4)
        rng = np.random.default_rng(12)
        layers = rot.sample(rng, 2000)
        x = rot.draw_inputs(rng, 2000, 10)
        state = rng.standard_normal((2000, 4))  # energy 4 of the head
        for t in range(10):
            state = layers.step(state, x[:, t])
        energies = np.sum(state**2, axis=1)
        error = energies.std() / math.sqrt(2000)
        assert abs(energies.mean() - rot.head_energy_from(4.0, 9)) < 4.0 * error
        assert abs(energies.mean() - rot.head_energy_from(0.0, 9)) > 4.0 * error  # control


class TestConverters:
    @staticmethod
    def run(layer, inputs):
        state = layer.first_state(inputs[0])
        outputs, norms = [layer.output(state, inputs[0])], [np.linalg.norm(state)]
        for u in inputs[1:]:
            state = layer.step(state, u)
            outputs.append(layer.output(state, u))
            norms.append(np.linalg.norm(state))
        return np.array(outputs), np.array(norms)

    @pytest.mark.parametrize("first_step", ["scaled", "unit"])
    @pytest.mark.parametrize("seed", range(3))
    def test_from_rotrnn_and_back(self, seed, first_step):
        rng = np.random.default_rng(seed)
        rot = RotRNN(3, 6, first_step=first_step, input_size=4, output_size=4)
        layer = rot.sample(rng)
        inputs = rng.standard_normal((300, 4))
        outputs, norms = self.run(layer, inputs)
        scale = np.abs(outputs).max()
        lru = rotrnn_to_lru(layer)
        pairs = lru_to_rotrnn(lru)
        assert (lru.eigenvalue.size, pairs.heads, pairs.head_size) == (18, 18, 2)
        for other in (lru, pairs, rotrnn_to_lru(pairs)):
            same, same_norms = self.run(other, inputs)
            # Measured: 2e-15 of the scale.
            assert np.abs(same - outputs).max() < 1e-12 * scale
            assert np.allclose(same_norms, norms, rtol=1e-12)
        # The complex output is real by itself, the eigenvalues come in pairs.
        state = lru.first_state(inputs[0])
        assert np.abs((lru.output_matrix @ state).imag).max() < 1e-14
        assert np.allclose(lru.eigenvalue[0::2], lru.eigenvalue[1::2].conj())

    @pytest.mark.parametrize("seed", range(3))
    def test_from_lru_and_back(self, seed):
        rng = np.random.default_rng(seed)
        lru = DiagonalLRU(7, 0.5, 0.999, input_size=4, output_size=4).sample(rng)
        inputs = rng.standard_normal((300, 4))
        outputs, norms = self.run(lru, inputs)
        scale = np.abs(outputs).max()
        rot = lru_to_rotrnn(lru)
        for other in (rot, rotrnn_to_lru(rot)):
            same, same_norms = self.run(other, inputs)
            assert np.abs(same - outputs).max() < 1e-12 * scale
            assert np.allclose(same_norms, norms, rtol=1e-12)
        assert np.allclose(rot.decay, np.abs(lru.eigenvalue), rtol=1e-15)
        # Control: with the other sign of the imaginary part the outputs differ.
        wrong = rotrnn_to_lru(rot)
        flipped = type(wrong)(
            wrong.log_eigenvalue.conj(),
            wrong.scale,
            wrong.input_matrix,
            wrong.output_matrix,
            wrong.feedthrough,
        )
        assert np.abs(self.run(flipped, inputs)[0] - outputs).max() > 1e-3 * scale

    def test_batches(self):
        rng = np.random.default_rng(0)
        layers = RotRNN(2, 4, input_size=3, output_size=2).sample(rng, 5)
        lru = rotrnn_to_lru(layers)
        back = lru_to_rotrnn(lru)
        for i in range(5):
            one = rotrnn_to_lru(layers[i])
            assert np.allclose(lru[i].input_matrix, one.input_matrix)
            assert np.allclose(lru[i].output_matrix, one.output_matrix)
            assert np.allclose(back[i].output_matrix, lru_to_rotrnn(one).output_matrix)

    def test_without_an_input_matrix(self):
        layer = DiagonalLRU(3).sample(np.random.default_rng(0))
        with pytest.raises(ValueError, match="must have an input matrix B"):
            lru_to_rotrnn(layer)


def test_converters_name_what_they_take():
    lru, rot = DiagonalLRU(3), RotRNN(1, 2)
    for wrong in (lru, from_layer([0.5]), rot.sample(np.random.default_rng(0)), None):
        with pytest.raises(TypeError, match=r"layer must be a DiagonalLayer, as .*sample\(rng\)"):
            lru_to_rotrnn(wrong)
    for wrong in (rot, lru.sample(np.random.default_rng(0))):
        with pytest.raises(TypeError, match=r"layer must be a RotationLayer, as .*sample\(rng\)"):
            rotrnn_to_lru(wrong)
