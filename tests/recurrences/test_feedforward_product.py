"""Feedforward networks of any widths: exact law, moments, samples."""

import json
import math
import pickle
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest

import sigprop
from sigprop.recurrences import Recurrence
from sigprop.recurrences.feedforward_product import FeedforwardProduct
from sigprop.theory.feedforward import FeedforwardEnergy

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "structured.json").read_text())
WIDTHS = (5, 3, 8, 20)


class TestLaw:
    @pytest.mark.parametrize("entry", REFERENCE["feedforward"], ids=lambda e: str(e["n"]))
    def test_references(self, entry):
        widths = [entry["n"]] * (entry["L"] + 1)
        for field in ("complex", "real"):
            net = FeedforwardProduct(widths, field)
            want = float(entry[f"second_moment_{field}"])
            assert float(net.moment(2)) == pytest.approx(want, rel=1e-12)
            assert 1.0 + net.relative_variance() == pytest.approx(want, rel=1e-12)
            assert net.moment(1) == int(entry["mean"])
            assert net.state_energy(entry["L"]) == 1.0

    @pytest.mark.parametrize(("field", "step"), [("complex", 1), ("real", 2)])
    def test_moments(self, field, step):
        net = FeedforwardProduct(WIDTHS, field)
        want = math.prod((Fraction(n + step, n) for n in WIDTHS[1:]), start=Fraction(1))
        assert net.moment(2) == want
        third = want * math.prod((Fraction(n + 2 * step, n) for n in WIDTHS[1:]), start=Fraction(1))
        assert net.moment(3) == third
        assert net.moment(2, depth=1) == Fraction(3 + step, 3)
        assert net.relative_variance() == pytest.approx(float(want) - 1.0, rel=1e-14)
        assert math.exp(net.law().log_moment(3)) == pytest.approx(float(third), rel=1e-13)

    @pytest.mark.parametrize(("field", "share"), [("complex", 1.0), ("real", 0.5)])
    def test_logarithms(self, field, share):
        law = FeedforwardProduct(WIDTHS, field).law()
        with mpmath.workdps(30):
            shapes = [mpmath.mpf(share * n) for n in WIDTHS[1:]]
            mean = mpmath.fsum(mpmath.digamma(nu) - mpmath.log(nu) for nu in shapes)
            variance = mpmath.fsum(mpmath.psi(1, nu) for nu in shapes)
        assert law.mean_log() == pytest.approx(float(mean), rel=1e-13)
        assert law.variance_log() == pytest.approx(float(variance), rel=1e-13)

    @pytest.mark.parametrize("y", [-6.0, -1.0, 0.0, 2.0, 4.0])
    def test_two_layers_against_a_bessel_function(self, y):
        # The product of Gamma(a)/a and Gamma(b)/b has the density of a Bessel function K.
        a, b = 3, 8
        law = FeedforwardProduct([2, a, b]).law()
        with mpmath.workdps(30):
            x = a * b * mpmath.exp(mpmath.mpf(y))

            k = mpmath.besselk(a - b, 2 * mpmath.sqrt(x))
            want = 2 * x ** (mpmath.mpf(a + b) / 2) * k / (mpmath.gamma(a) * mpmath.gamma(b))

            def above(v):  # P(Gamma(3) > x/v) times the density of Gamma(8)
                z = x / v
                return mpmath.exp(-z - v) * (1 + z + z * z / 2) * v ** (b - 1) / mpmath.gamma(b)

            def below(v):
                z = x / v
                tail = mpmath.gammainc(3, 0, z, regularized=True)
                return tail * mpmath.exp(-v) * v ** (b - 1) / mpmath.gamma(b)

            points = [0, 2, 5, 10, 20, 40, 80, 160]
            upper, lower = mpmath.quad(above, points), mpmath.quad(below, points)
        assert law.pdf(y) == pytest.approx(float(want), rel=1e-11)
        assert law.cdf(y) == pytest.approx(float(lower), rel=1e-11)
        assert law.sf(y) == pytest.approx(float(upper), rel=1e-11)

    @pytest.mark.parametrize("field", ["complex", "real"])
    def test_quantiles(self, field):
        law = FeedforwardProduct((4, 1, 100, 7, 7), field).law()
        q = np.array([1e-8, 0.05, 0.5, 0.95, 1.0 - 1e-8])
        assert np.allclose(law.cdf(law.quantile(q)), q, rtol=1e-10)

    def test_equal_widths_are_the_plain_law(self):
        assert FeedforwardProduct([7] * 6, "real").law() == FeedforwardEnergy(7, 5, "real")
        # The size of the input does not matter, the order of the layers neither.
        assert FeedforwardProduct([99, 7, 7]).law() == FeedforwardEnergy(7, 2)
        assert FeedforwardProduct([1, 3, 8]).law() == FeedforwardProduct([2, 8, 3]).law()


class TestObject:
    def test_is_a_recurrence(self):
        net = FeedforwardProduct(list(WIDTHS), "real")
        assert isinstance(net, Recurrence)
        assert (net.widths, net.width, net.depth, net.layer_size) == (WIDTHS, 5, 3, 15 + 24 + 160)
        assert pickle.loads(pickle.dumps(net)) == net
        assert hash(net) == hash(FeedforwardProduct(WIDTHS, "real"))
        assert net.with_gain(1.0) is net
        assert net.gradient_energy("state", 2) == 1.0
        assert np.array_equal(net.log_state_energy([0, 3]), [0.0, 0.0])
        assert np.array_equal(net.log_state_energy([0, 3], None), [0.0, 0.0])
        assert np.array_equal(net.head_energy(range(4)), WIDTHS)
        assert net.layer_energy(2) == WIDTHS[2]
        assert net.layer_energy(net.depth) == net.units_per_layer * net.state_energy(net.depth)

    @pytest.mark.parametrize(
        ("question", "error", "text"),
        [
            (lambda net: FeedforwardProduct([3]), ValueError, "at least n_0 and n_1"),
            (lambda net: FeedforwardProduct(3), TypeError, "widths must hold the widths"),
            (lambda net: FeedforwardProduct([3, 0]), ValueError, r"widths\[1\] must be an integer"),
            (lambda net: FeedforwardProduct("33"), TypeError, r"widths\[0\] must be an integer"),
            (lambda net: FeedforwardProduct(np.array(3)), TypeError, "widths must hold the widths"),
            (lambda net: net.state_energy(1, "white"), ValueError, "inputs must be None"),
            (lambda net: net.log_state_energy(1, "white"), ValueError, "inputs must be None"),
            (lambda net: net.head_energy(1, "white"), ValueError, "inputs must be None"),
            (lambda net: net.impulse_energy(4), ValueError, "lag must be at most 3"),
            (lambda net: net.impulse_energy(0.5), ValueError, "lag must hold integers"),
            (lambda net: net.sample(0), TypeError, "rng must be a numpy"),
            (lambda net: FeedforwardProduct([3, 3], "quaternion"), ValueError, "field must be one"),
            (lambda net: net.state_energy(4), ValueError, "depth must be at most 3"),
            (lambda net: net.law(4), ValueError, "depth must be at most 3"),
            (lambda net: net.stationary_energy(), ValueError, "it ends after 3 layers"),
            (lambda net: net.horizon("mean_lag"), ValueError, "has no horizon"),
            (lambda net: net.input_schedule(3), ValueError, "has no input schedule"),
            (lambda net: net.with_gain(2.0), ValueError, "gain must be 1"),
            (lambda net: net.with_inputs("white"), ValueError, "inputs must be None"),
            (lambda net: net.gradient_energy("theta"), ValueError, "parameter must be 'state'"),
        ],
    )
    def test_bad_questions(self, question, error, text):
        with pytest.raises(error, match=text):
            question(FeedforwardProduct(WIDTHS))

    def test_steps_are_the_network(self):
        net = FeedforwardProduct(WIDTHS)
        drawn = net.sample(np.random.default_rng(0))
        state = net.initial_state()
        for _ in range(3):
            state = net.step(drawn, state)
        x = np.zeros(5, dtype=complex)
        x[0] = math.sqrt(5.0)
        y = drawn.output(x)
        assert np.allclose(state[-20:], math.sqrt(5.0 / 20.0) * y)
        assert not np.any(state[:-20])
        assert not np.any(net.step(drawn, state))
        batch = net.sample(np.random.default_rng(0), 2)
        assert len(batch) == 2
        assert np.array_equal(batch[0].matrices[2], drawn.matrices[2])
        with pytest.raises(TypeError, match="no length"):
            len(drawn)


class TestMonteCarlo:
    @pytest.mark.parametrize("field", ["complex", "real"])
    def test_simulated_energies(self, field):
        net = FeedforwardProduct((5, 3, 8, 4), field)
        logs = sigprop.montecarlo.simulate_log_energies(net, [1, 3], 8000, rng=4)
        energies = np.exp(logs)
        for column, depth in enumerate((1, 3)):
            error = energies[:, column].std() / math.sqrt(8000)
            assert abs(energies[:, column].mean() - 1.0) < 4.0 * error
            law = net.law(depth)
            error = math.sqrt(law.variance_log() / 8000)
            assert abs(logs[:, column].mean() - law.mean_log()) < 4.0 * error
        # The whole law, by its quantiles; the control has one layer less.
        for q in (0.1, 0.5, 0.9):
            share = np.mean(logs[:, 1] <= net.law().quantile(q))
            assert abs(share - q) < 4.0 * math.sqrt(q * (1.0 - q) / 8000)
        wrong = np.mean(logs[:, 1] <= net.law(2).quantile(0.1))
        assert abs(wrong - 0.1) > 4.0 * math.sqrt(0.09 / 8000)

    @pytest.mark.parametrize("field", ["complex", "real"])
    def test_energies_drawn_from_the_law(self, field):
        net = FeedforwardProduct((5, 3, 8, 4), field)
        energies = net.sample_energies(np.random.default_rng(1), 40_000)
        law = net.law()
        assert abs(energies.mean() - 1.0) < 4.0 * math.sqrt(law.relative_variance() / 40_000)
        error = math.sqrt(law.variance_log() / 40_000)
        assert abs(np.log(energies).mean() - law.mean_log()) < 4.0 * error
        assert abs(np.log(energies).mean() - net.law(2).mean_log()) > 4.0 * error  # control
        assert np.array_equal(net.sample_energies(np.random.default_rng(1), 2, 0), [1.0, 1.0])
