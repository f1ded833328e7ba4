"""What every structured recurrence answers, on the smallest family; and the Gaussian refusals."""

import json
import math
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from sigprop.recurrences import (
    GaussianLRU,
    GaussianRNN,
    NoFormulaError,
    Recurrence,
    StructuredRecurrence,
)
from sigprop.recurrences.moments import MomentRule
from sigprop.recurrences.schedule import input_schedule
from sigprop.recurrences.structured import as_horizon, first_lag

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "structured.json").read_text())


@dataclass(frozen=True)
class Decay(StructuredRecurrence):
    """Units that all decay by the same factor: Q_k = q^k."""

    q: float = 0.5
    heads: int = 1

    model: ClassVar[str] = "decay"
    gradient_parameters: ClassVar[tuple[str, ...]] = ("q",)

    @property
    def units_per_head(self):
        return self.width // self.heads

    def sample(self, rng, batch=None):
        return np.full((batch or 1, 1), math.sqrt(self.q))

    def first_state(self, layer, inputs):
        return inputs

    def step(self, layer, state, inputs=None):
        return layer * state + (0.0 if inputs is None else inputs)

    def _rule(self):
        with np.errstate(divide="ignore"):
            return MomentRule(np.log([self.q]), np.ones(1))


class TestBase:
    def test_energies_of_one_decay(self):
        decay = Decay(6, 0.5, 3)
        assert isinstance(decay, Recurrence)
        assert decay.impulse_energy([0, 3]).tolist() == pytest.approx([1.0, 0.125])
        assert float(decay.state_energy(2)) == pytest.approx(1.75, rel=1e-15)
        assert decay.head_energy(2) == pytest.approx(3.5, rel=1e-15)
        assert decay.layer_energy(2) == pytest.approx(10.5, rel=1e-15)
        assert decay.stationary_energy() == pytest.approx(2.0, rel=1e-15)
        assert decay.log_state_energy(2) == pytest.approx(math.log(1.75), rel=1e-15)
        assert np.ndim(decay.state_energy(2)) == 0
        assert decay.state_energy([[1, 2]]).shape == (1, 2)

    def test_horizons_of_one_decay(self):
        decay = Decay(6, 0.5)
        assert decay.horizon("mean_lag") == pytest.approx(1.0, rel=1e-15)
        assert decay.horizon("e_fold") == pytest.approx(1.0 / math.log(2.0), rel=1e-15)
        assert decay.horizon("participation") == pytest.approx(3.0, rel=1e-15)
        assert decay.horizon(("tail", 2)) == pytest.approx(0.125, rel=1e-14)
        # Ties count: the energy up to lag 0 is one half, up to lag 2 seven eighths.
        assert decay.horizon("half_energy") == 0
        assert decay.horizon(("burn_in", 0.875)) == 2
        assert decay.horizon(("burn_in", 0.876)) == 3
        assert decay.horizon("burn_in") == decay.horizon(("burn_in", 0.95)) == 4

    def test_without_a_formula_there_is_an_offer_to_simulate(self):
        decay = Decay(6, inputs="constant")
        for question in (
            lambda: decay.state_energy(3),
            lambda: Decay(6).state_energy(3, ("ar1", 0.5)),
            decay.stationary_energy,
        ):
            with pytest.raises(NoFormulaError, match=r"estimate it with sigprop\.simulate"):
                question()
        assert decay.state_energy(3, "white") == Decay(6).state_energy(3)
        assert issubclass(NoFormulaError, ValueError)

    def test_infinite_limits_say_why(self):
        with pytest.raises(ValueError, match="is infinite: the decays of its modes reach 1"):
            Decay(6, 1.0).stationary_energy()
        with pytest.raises(ValueError, match="is infinite"):
            Decay(6, 1.0).horizon("mean_lag")
        assert Decay(6, 1.0).state_energy(9) == 10.0
        assert Decay(6, 0.0).state_energy(9) == 1.0

    def test_gain_is_one(self):
        decay = Decay(6)
        assert decay.with_gain(1.0) is decay
        with pytest.raises(
            ValueError, match=r"gain must be 1 for a structured recurrence, got 0\.9"
        ):
            decay.with_gain(0.9)

    @pytest.mark.parametrize(
        ("question", "error", "text"),
        [
            (lambda d: d.state_energy(-1), ValueError, "depth must hold integers from 0"),
            (lambda d: d.impulse_energy(0.5), ValueError, "lag must hold integers from 0"),
            (lambda d: d.state_energy("3"), TypeError, "depth must hold integers"),
            (lambda d: d.state_energy(3, "pink"), ValueError, "inputs must be 'white'"),
            (lambda d: d.input_schedule(0), ValueError, "steps must be an integer >= 1"),
            (lambda d: d.input_schedule(3, 0.0), ValueError, "target must be a finite number > 0"),
            (
                lambda d: d.gradient_energy("r"),
                ValueError,
                "parameter must be one of 'q' for Decay",
            ),
            (lambda d: d.horizon("age"), ValueError, "horizon must be 'mean_lag', 'half_energy'"),
            (lambda d: d.horizon("tail"), ValueError, "horizon must be"),
            (lambda d: d.horizon(("mean_lag", 3)), ValueError, "horizon must be"),
            (lambda d: d.horizon(("burn_in", 1.0)), ValueError, "p of horizon"),
            (lambda d: d.horizon(("tail", 0.5)), ValueError, "T of horizon"),
        ],
    )
    def test_bad_questions(self, question, error, text):
        with pytest.raises(error, match=text):
            question(Decay(6))

    def test_abstract(self):
        with pytest.raises(TypeError, match="abstract"):
            StructuredRecurrence(3)


class TestLagsAndSchedules:
    @pytest.mark.parametrize("wanted", [0, 1, 2, 3, 7, 8, 1000, 2**40 + 1])
    def test_first_lag(self, wanted):
        tail = lambda lags: np.where(lags >= wanted, 0.1, 0.9)  # noqa: E731
        assert first_lag(tail, 0.5) == wanted

    def test_a_tail_that_never_falls(self):
        assert first_lag(lambda lags: np.ones_like(lags), 0.5) == math.inf

    def test_names(self):
        assert as_horizon(["tail", 3]) == ("tail", 3.0)
        assert as_horizon("mean_lag") == ("mean_lag", 0.0)

    def test_the_schedule_is_that_of_the_renewal_coefficients(self):
        # Q_t = sum f_j Q_{t-j} and xi_t^2 = 1 - sum f_j, in rationals.
        q = [Fraction(1, k + 1) for k in range(30)]
        f, want = [Fraction(0)], [Fraction(1)]
        for t in range(1, 30):
            f.append(q[t] - sum(f[j] * q[t - j] for j in range(1, t)))
            want.append(want[-1] - f[t])
        drops = np.array([float(q[k] - q[k + 1]) for k in range(29)])
        got = input_schedule(1.0, drops, 1.0, "ring")
        assert got == pytest.approx([float(value) for value in want], rel=1e-14)
        assert min(f[1:]) > 0

    def test_growing_energies_have_none(self):
        with pytest.raises(ValueError, match=r"of that constant: it would need xi_2\^2 = -0.5 < 0"):
            input_schedule(1.0, np.array([0.0, -0.5]), 1.0, "that")


class TestGaussianQuestions:
    @pytest.mark.parametrize("depth", [4, 16, 40])
    def test_reference(self, depth):
        want = float(REFERENCE["values"][f"Ginibre n=64 Q_{depth}"])
        assert float(GaussianLRU(64).impulse_energy(depth)) == pytest.approx(want, rel=1e-12)
        assert float(GaussianRNN(64).impulse_energy(depth)) == pytest.approx(want, rel=1e-12)

    def test_impulse_energies(self):
        assert float(GaussianLRU(5).impulse_energy(3)) == 1.2
        assert GaussianRNN(5, gain=0.5).impulse_energy(3) == GaussianRNN(5, gain=0.5).state_energy(
            3
        )
        assert GaussianRNN(5, tied=False, gain=0.5).impulse_energy(2) == 0.0625
        assert GaussianLRU(5).gradient_energy("state", 3) == GaussianLRU(5).impulse_energy(3)
        with pytest.raises(ValueError, match="no formula for the impulse energy"):
            GaussianRNN(5, "real", activation="relu").impulse_energy(2)

    @pytest.mark.parametrize("gain", [0.5, 1.0, 2.0])
    @pytest.mark.parametrize("family", [GaussianRNN, GaussianLRU])
    def test_no_stationary_energy_and_no_horizon(self, family, gain):
        recurrence = family(64, gain=gain)
        for question in (
            recurrence.stationary_energy,
            lambda: recurrence.horizon("mean_lag"),
            lambda: recurrence.gradient_energy("state"),
        ):
            with pytest.raises(ValueError, match="grows without bound at every gain and width"):
                question()
        assert recurrence.average == "annealed"
        assert recurrence.units_per_layer == recurrence.units_per_head == 64

    @pytest.mark.parametrize(("field", "numerator"), [("complex", 1), ("real", 2)])
    @pytest.mark.parametrize("width", [1, 16, 10**9])
    def test_no_schedule_at_gain_one(self, field, numerator, width):
        text = rf"it would need xi_2\^2 = -{numerator}/width\^2 < 0"
        with pytest.raises(ValueError, match=text):
            GaussianLRU(width, field).input_schedule(3)
        if width == 16:
            # The number itself, from the impulse energies.
            q = GaussianLRU(width, field).impulse_energy(np.arange(3))
            assert q[1] - q[2] == pytest.approx(-numerator / width**2, rel=1e-12)

    def test_a_schedule_at_smaller_gain_ends(self):
        lru = GaussianLRU(16, gain=0.9)
        schedule = lru.input_schedule(8)
        q = lru.impulse_energy(np.arange(8))
        assert [schedule[: t + 1] @ q[t::-1] for t in range(8)] == pytest.approx([1.0] * 8)
        with pytest.raises(ValueError, match="no input scaling holds the mean energy"):
            lru.input_schedule(60)

    def test_inputs(self):
        assert GaussianLRU(5).with_inputs(("ar1", 0.5)) == GaussianLRU(5, inputs=("ar1", 0.5))
        with pytest.raises(ValueError, match="inputs must be None for GaussianRNN"):
            GaussianRNN(5).with_inputs("white")
        with pytest.raises(ValueError, match="parameter must be 'state' for GaussianLRU"):
            GaussianLRU(5).gradient_energy("theta", 2)
