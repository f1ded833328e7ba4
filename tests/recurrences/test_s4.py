"""S4 with HiPPO-LegS: the exact Gramian, powers, limits, samples."""

import math
import pickle
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.linalg import expm

from sigprop.montecarlo.simulation import simulate_log_energies
from sigprop.recurrences import NoFormulaError, Recurrence
from sigprop.recurrences.legs import (
    bilinear_pair,
    continuous_impulse,
    legs_gramian,
    legs_matrices,
)
from sigprop.recurrences.s4 import S4


# Measured: at most 2e-13 (the power 700 of a transition matrix), 2e-14 else.
def close(value, want, rel=1e-12):
    return abs(float(value) - float(want)) <= rel * abs(float(want))


def fixed(size, dt, **changes):
    return S4(size, dt_min=dt, dt_max=dt, **changes)


def exact_pair(size, dt):
    """Return the discretised pair in mpmath."""
    a = mpmath.matrix(size, size)
    b = mpmath.matrix(size, 1)
    for n in range(size):
        b[n] = mpmath.sqrt(2 * n + 1)
        a[n, n] = -(n + 1)
        for k in range(n):
            a[n, k] = -mpmath.sqrt((2 * n + 1) * (2 * k + 1))
    dt = mpmath.mpf(dt)
    inverse = (mpmath.eye(size) - dt / 2 * a) ** -1
    return inverse * (mpmath.eye(size) + dt / 2 * a), inverse * (dt * b)


def exact_impulse(size, dt, k):
    transition, vector = exact_pair(size, dt)
    vector = transition**k * vector
    return mpmath.fsum(x * x for x in vector)


class TestGramian:
    @pytest.mark.parametrize("size", [1, 2, 5, 12])
    def test_lyapunov_equation_in_rationals(self, size):
        # In the basis h_n / sqrt(2n+1) all entries are rational.
        a = [
            [Fraction(-(n + 1) if n == k else -(2 * k + 1) if n > k else 0) for k in range(size)]
            for n in range(size)
        ]
        j = [[Fraction(0)] * size for _ in range(size)]
        for n in range(size):
            j[n][n] = Fraction(1, 2 * (2 * n + 1))
            if n + 1 < size:
                j[n][n + 1] = j[n + 1][n] = Fraction(n + 1, 2 * (2 * n + 1) * (2 * n + 3))
        for n in range(size):
            for k in range(size):
                left = sum(a[n][i] * j[i][k] + j[n][i] * a[k][i] for i in range(size))
                assert left + 1 == 0
        floats = legs_gramian(size)
        scale = [math.sqrt(2 * n + 1) for n in range(size)]
        for n in range(size):
            for k in range(size):
                assert floats[n, k] == pytest.approx(
                    float(j[n][k]) * scale[n] * scale[k], abs=1e-15
                )

    @pytest.mark.parametrize("size", [4, 64, 128, 256])
    @pytest.mark.parametrize("dt", [1e-4, 1e-2, 1e-1, 1.0])
    def test_discrete_residual(self, size, dt):
        transition, vector = bilinear_pair(size, np.array(dt))
        gramian = dt * legs_gramian(size)
        residual = transition @ gramian @ transition.T - gramian + np.outer(vector, vector)
        # Measured: at most 4e-16 dt, at every size and step.
        assert np.abs(residual).max() <= 2e-15 * dt
        assert not np.triu(transition, 1).any()
        assert np.trace(gramian) == pytest.approx(0.5 * dt * size, rel=1e-14)
        wrong = dt * np.eye(size) / 2.0  # control: the right trace is not enough
        residual = transition @ wrong @ transition.T - wrong + np.outer(vector, vector)
        assert np.abs(residual).max() > 1e-4 * dt

    def test_symmetric_part(self):
        a, b = legs_matrices(9)
        assert np.allclose(a + a.T, -np.eye(9) - np.outer(b, b), atol=1e-14)

    @pytest.mark.parametrize("s", [0.0, 0.05, 1.0, 5.0])
    def test_continuous_impulse(self, s):
        a, b = legs_matrices(7)
        want = np.sum((expm(s * a) @ b) ** 2)
        assert continuous_impulse(7, s) == pytest.approx(want, rel=1e-11)
        with mpmath.workdps(30):
            x = 2 * mpmath.exp(-mpmath.mpf(s)) - 1
            terms = [(2 * n + 1) * mpmath.legendre(n, x) ** 2 for n in range(7)]
            assert close(continuous_impulse(7, s), mpmath.exp(-2 * mpmath.mpf(s)) * sum(terms))


class TestEnergies:
    @pytest.mark.parametrize("dt", [0.01, 0.3])
    def test_against_high_precision(self, dt):
        layer = fixed(5, dt)
        with mpmath.workdps(40):
            for k in (0, 1, 13, 600, 700):
                assert close(5 * layer.impulse_energy(k), exact_impulse(5, dt, k))
            total = mpmath.fsum(exact_impulse(5, dt, k) for k in range(21))
            assert close(layer.head_energy(20), total)

    def test_mean_over_the_step_size(self):
        layer = S4(3)
        low, high = mpmath.log(mpmath.mpf(0.001)), mpmath.log(mpmath.mpf(0.1))
        points = mpmath.linspace(low, high, 4)
        with mpmath.workdps(20):
            for k in (0, 3, 40):
                integral = mpmath.quad(
                    lambda y, k=k: exact_impulse(3, mpmath.exp(y), k), points, maxdegree=4
                )
                assert close(3 * layer.impulse_energy(k), integral / (high - low))

    def test_nodes_suffice(self):
        # The channel answers like N waves: half the nodes would do, a third would not.
        layer = S4(64)
        values = layer.impulse_energy([0, 100, 600])
        x, weight = np.polynomial.legendre.leggauss(400)
        dt = 1e-3 * np.exp(0.5 * layer.step_law.length * (x + 1.0))
        transition, vector = bilinear_pair(64, dt)
        for k, value in zip((0, 100, 600), values, strict=True):
            far = vector[..., None]
            square, exponent = transition, k
            while exponent:
                far = square @ far if exponent & 1 else far
                square, exponent = square @ square, exponent >> 1
            energies = np.sum(far[..., 0] ** 2, axis=1)
            # Measured: 3e-13 relative.
            assert value == pytest.approx(0.5 * float(weight @ energies) / 64, rel=1e-11)

    @pytest.mark.parametrize("size", [1, 8, 33])
    def test_limit_and_transient(self, size):
        layer = fixed(size, 0.05)
        assert layer.units_per_head * layer.stationary_energy() == pytest.approx(
            0.05 * size / 2.0, rel=1e-15
        )
        # Depth 512 is a sum, depth 513 the limit less what lies beyond.
        curve = layer.head_energy([510, 511, 512, 513, 514, 10**5])
        assert np.all(np.diff(curve) >= -1e-15)
        assert np.allclose(
            np.diff(curve)[:4], size * layer.impulse_energy([511, 512, 513, 514]), atol=1e-15
        )
        assert curve[-1] == pytest.approx(0.05 * size / 2.0, rel=1e-14)

    def test_horizons(self):
        layer = fixed(8, 0.05)
        q = layer.impulse_energy(np.arange(2000))
        total = q.sum()
        assert layer.horizon("mean_lag") == pytest.approx(np.arange(2000) @ q / total, rel=1e-12)
        half = int(np.argmax(np.cumsum(q) >= 0.5 * total))
        assert layer.horizon("half_energy") == half
        assert layer.horizon(("tail", 30)) == pytest.approx(q[31:].sum() / total, rel=1e-11)
        assert layer.horizon("e_fold") == pytest.approx(
            -1.0 / (2.0 * math.log((1.0 - 0.025) / (1.0 + 0.025))), rel=1e-12
        )
        with pytest.raises(NoFormulaError, match="not normal"):
            layer.horizon("participation")

    def test_constant_inputs(self):
        layer = fixed(6, 0.05)
        transition, vector = bilinear_pair(6, np.array(0.05))
        state = np.zeros(6)
        for t in range(30):
            state = transition @ state + vector
            assert layer.head_energy(t, "constant") == pytest.approx(state @ state, rel=1e-12)
        assert layer.head_energy(10**5, "constant") == pytest.approx(1.0, rel=1e-13)
        assert 6 * S4(6).stationary_energy("constant") == 1.0

    @pytest.mark.parametrize("law", [("ar1", 0.8), ("ar1", -0.5), (1.0, 0.5, 0.2)], ids=str)
    def test_correlated_limits(self, law):
        layer = fixed(5, 0.2)
        rows = np.array(list(self._responses(5, 0.2, 400)))
        gram = rows @ rows.T
        lags = np.abs(np.subtract.outer(np.arange(400), np.arange(400)))
        if law[0] == "ar1":
            correlation = law[1] ** lags.astype(float)
        else:
            correlation = np.select([lags == d for d in range(3)], law, 0.0)
        want = np.sum(gram * correlation)
        assert 5 * layer.stationary_energy(law) == pytest.approx(want, rel=1e-12)
        assert 5 * layer.stationary_energy() != pytest.approx(want, rel=1e-2)  # control
        with pytest.raises(NoFormulaError, match=r"estimate it with sigprop\.simulate"):
            layer.state_energy(3, law)

    @staticmethod
    def _responses(size, dt, count):
        transition, vector = bilinear_pair(size, np.array(dt))
        for _ in range(count):
            yield vector
            vector = transition @ vector

    def test_gradient(self):
        layer = fixed(6, 0.05)
        transition, _ = bilinear_pair(6, np.array(0.05))
        power = np.linalg.matrix_power(transition, 9)
        want = np.sum(power**2) / 6
        assert layer.gradient_energy("state", 9) == pytest.approx(want, rel=1e-13)
        assert layer.gradient_energy("state") == 0.0

    def test_the_schedule_holds_the_energy(self):
        layer = S4(8)
        schedule = layer.input_schedule(60)
        q = layer.impulse_energy(np.arange(60))
        energies = [schedule[: t + 1] @ q[t::-1] for t in range(60)]
        assert np.allclose(energies, 1.0, rtol=1e-12)


class TestObject:
    def test_is_a_recurrence(self):
        layer = S4(8, 3)
        assert isinstance(layer, Recurrence)
        assert (layer.width, layer.units_per_head, layer.input_width) == (24, 8, 3)
        assert (layer.model, layer.field, layer.average) == ("s4", "real", "annealed")
        assert layer.output_energy(4) == layer.head_energy(4)
        assert layer.output_energy() == pytest.approx(8 * layer.step_law.mean() / 2.0, rel=1e-14)
        assert pickle.loads(pickle.dumps(layer)) == layer

    @pytest.mark.parametrize(
        ("arguments", "text"),
        [
            ({"state_size": 0}, "state_size must be an integer >= 1"),
            ({"state_size": 300}, "state_size must be at most 256, got 300"),
            ({"dt_min": 1.0}, "dt_min must be at most dt_max"),
            ({"channels": 0}, "channels must be an integer >= 1"),
        ],
    )
    def test_out_of_range(self, arguments, text):
        with pytest.raises(ValueError, match=text):
            S4(**arguments)

    def test_steps_are_the_formula(self):
        family = S4(4, 2)
        layer = family.sample(np.random.default_rng(0))
        rng = np.random.default_rng(1)
        h, u = rng.standard_normal(8), rng.standard_normal(2)
        want = np.concatenate(
            [
                layer.transition[c] @ h[4 * c : 4 * c + 4] + layer.input_vector[c] * u[c]
                for c in range(2)
            ]
        )
        assert np.allclose(family.step(layer, h, u), want, rtol=1e-14)
        batch = family.sample(np.random.default_rng(0), 2)
        assert len(batch) == 2
        assert np.array_equal(batch[0].transition, layer.transition)
        with pytest.raises(TypeError, match="no length"):
            len(layer)


class TestMonteCarlo:
    @pytest.mark.parametrize("law", ["white", "constant"])
    def test_simulated_energies(self, law):
        layer = S4(6, 2, dt_min=0.02, dt_max=0.2)
        depths = [0, 5, 80]
        energies = np.exp(simulate_log_energies(layer, depths, 3000, rng=3, inputs=law))
        error = energies.std(axis=0) / math.sqrt(3000)
        exact = layer.state_energy(depths, law)
        assert np.all(np.abs(energies.mean(axis=0) - exact) < 4.0 * error)
        wrong = layer.state_energy(depths, "constant" if law == "white" else "white")
        assert np.abs((energies.mean(axis=0) - wrong) / error).max() > 4.0  # control

    def test_impulses(self):
        layer = S4(6, dt_min=0.02, dt_max=0.2)
        layers = layer.sample(np.random.default_rng(8), 2000)
        state = layer.first_state(layers, np.ones((2000, 1)))
        for _ in range(7):
            state = layer.step(layers, state)
        energies = np.mean(state**2, axis=1)
        error = energies.std() / math.sqrt(2000)
        assert abs(energies.mean() - layer.impulse_energy(7)) < 4.0 * error
        assert abs(energies.mean() - layer.impulse_energy(8)) > 4.0 * error  # control

    def test_outputs(self):
        layer = S4(6, 2, dt_min=0.02, dt_max=0.2)
        rng = np.random.default_rng(5)
        layers = layer.sample(rng, 3000)
        x = layer.draw_inputs(rng, 3000, 20)
        state = layer.first_state(layers, x[:, 0])
        for t in range(1, 20):
            state = layer.step(layers, state, x[:, t])
        squares = np.mean(layers.output(state) ** 2, axis=1)
        error = squares.std() / math.sqrt(3000)
        assert abs(squares.mean() - layer.output_energy(19)) < 4.0 * error
        assert abs(squares.mean() - layer.state_energy(19)) > 4.0 * error  # control


def test_arguments_that_are_refused_by_name():
    with pytest.raises(ValueError, match="dt_min must be at least 1e-100"):
        S4(4, dt_min=1e-160)
    with pytest.raises(TypeError, match=r"rng must be a numpy\.random\.Generator, as"):
        S4(4).sample(0)
