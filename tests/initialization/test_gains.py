"""Safe gains and lengths: exact reference values, monotonicity, and what they promise."""

import json
import math

import numpy as np
import pytest

from sigprop import initialization, log_rnn_energy
from sigprop.cli import main
from sigprop.initialization import (
    DEFAULTS,
    GainReport,
    SafeGain,
    SafeLength,
    framework_defaults,
    gain_report,
    safe_gain,
    safe_length,
    unit_energy_gain,
)
from sigprop.montecarlo import simulate_log_energies
from sigprop.recurrences import GaussianRNN
from sigprop.theory.energy import log_lru_energy
from sigprop.theory.exact import rnn_energy
from sigprop.typical import energy_quantiles


@pytest.mark.parametrize("field", ["complex", "real"])
def test_energies_are_log_convex_in_depth(field):
    """What puts the worst depth at the end: Q_k^2 <= Q_(k-1) Q_(k+1), in exact fractions."""
    for n in (1, 2, 3, 7, 30, 1000):
        values = [rnn_energy(n, k, field=field) for k in range(40)]
        for before, here, after in zip(values, values[1:], values[2:], strict=False):
            assert here * here <= before * after


def test_reference_gains():
    # 15 digits of Q^(-1/(2k)) from the exact energies at (1024, 16384).
    assert unit_energy_gain(1024, 16384, field="complex") == pytest.approx(
        0.366083613328772, rel=1e-12
    )
    assert unit_energy_gain(1024, 16384, field="real") == pytest.approx(
        0.271817943931576, rel=1e-12
    )


@pytest.mark.parametrize("field", ["complex", "real"])
@pytest.mark.parametrize("n", [1, 10, 1000])
def test_unit_gain_makes_the_energy_that_of_infinite_width(n, field):
    depth = 3 * math.isqrt(n) + 2
    gain = unit_energy_gain(n, depth, field=field)
    assert float(log_rnn_energy(n, depth, gain, field)) == pytest.approx(0.0, abs=1e-12)
    gain = unit_energy_gain(n, depth, field=field, model="lru")
    # The bisection ends at neighbouring floats; measured 3.6e-15.
    value = float(log_lru_energy(n, depth, gain, field))
    assert value == pytest.approx(math.log(depth + 1), abs=1e-11)


@pytest.mark.parametrize("model", ["rnn", "lru"])
def test_the_mean_stays_below_the_bound_and_reaches_it(model):
    n, length, bound = 100, 60, 5.0
    found = safe_gain(n, length, bound, quantile=None, field="complex", model=model)
    depths = np.arange(1, length + 1)
    if model == "rnn":
        ratio = log_rnn_energy(n, depths, found.gain)
    else:
        ratio = log_lru_energy(n, depths, found.gain) - np.log(depths + 1.0)
    assert np.max(ratio) == pytest.approx(math.log(bound), abs=1e-10)
    assert int(np.argmax(ratio)) + 1 == length == found.worst_depth
    # A gain one per mille larger breaks the promise.
    assert float(log_rnn_energy(n, length, found.gain * 1.001)) > math.log(bound) or model == "lru"


def test_quantile_gain_is_kept_by_draws():
    """95 % of draws stay below the bound; at a gain 5 % larger far fewer do."""
    n, length, bound, samples = 100, 50, 10.0, 2000
    found = safe_gain(n, length, bound, field="complex")
    shares = []
    for gain in (found.gain, 1.05 * found.gain):
        logs = simulate_log_energies(
            GaussianRNN(n, gain=gain), found.worst_depth, samples, rng=5, method="krylov"
        )
        shares.append(float(np.mean(logs <= math.log(bound))))
    # The binomial error is 0.5 %; the rest is room for the stated error of the quantile.
    assert shares[0] == pytest.approx(0.95, abs=0.02)
    assert shares[1] < 0.9


def test_larger_bounds_and_shorter_lengths_allow_larger_gains():
    gains = [safe_gain(256, 64, bound, field="complex").gain for bound in (2.0, 10.0, 100.0)]
    assert gains == sorted(gains)
    short, long = (safe_gain(256, t, quantile=None, field="real").gain for t in (32, 256))
    assert short > long


def test_safe_length_is_the_last_safe_depth():
    found = safe_length(1024, 1.0, 2.0, quantile=None, field="complex")
    length = found.length
    assert float(log_rnn_energy(1024, length)) <= math.log(2.0)
    assert float(log_rnn_energy(1024, length + 1)) > math.log(2.0)
    assert safe_length(10**9, 0.5, quantile=None, field="complex").length is None


def test_huge_widths_and_lengths():
    found = safe_gain(10**9, 10**7, quantile=None, field="complex")
    assert 0.9 < found.gain < 1.0
    assert float(log_rnn_energy(10**9, 10**7, found.gain)) == pytest.approx(math.log(10), abs=1e-6)


def test_framework_gains_are_what_their_draws_have():
    rng = np.random.default_rng(3)
    for default in DEFAULTS:
        measured = [400 * np.mean(default.draw(rng, 400) ** 2) for _ in range(5)]
        # The sum of squares of 800000 entries: relative error below 0.2 %.
        assert np.mean(measured) == pytest.approx(default.gain_squared, rel=0.01)
    verdicts = [row.verdict for row in framework_defaults(256, 128)]
    assert verdicts[0] == "vanishes"
    assert verdicts[3] == "keeps its energy"


def test_answers_survive_json():
    found = safe_gain(64, 16, field="complex")
    assert SafeGain.from_dict(json.loads(json.dumps(found.to_dict()))) == found
    length = safe_length(64, 1.2, quantile=None, field="complex")
    assert SafeLength.from_dict(json.loads(json.dumps(length.to_dict()))) == length
    report = gain_report(64, 16, field="complex")
    assert GainReport.from_dict(json.loads(json.dumps(report.to_dict()))) == report


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((0, 10), "n must"),
        ((2**54, 10), "n must"),
        ((10, 0), "length must"),
        ((10, 10**8), "length must"),
        ((10, 10, 1.0), "bound must"),
        ((10, 10, math.nan), "bound must"),
    ],
)
def test_bad_arguments_are_named(arguments, named):
    with pytest.raises(ValueError, match=named):
        safe_gain(*arguments)
    with pytest.raises(ValueError, match="quantile must"):
        safe_gain(10, 10, quantile=1.5)
    with pytest.raises(ValueError, match="statistic"):
        unit_energy_gain(10, 10, model="lru", statistic="median")


def test_the_lru_says_that_it_is_the_mean():
    found = safe_gain(100, 20, quantile=0.95, field="complex", model="lru")
    assert found.quantile is None
    assert "mean" in found.method


def test_command_line(capsys):
    assert main(["gain", "--width", "256", "--length", "64", "--field", "complex", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    keys = ("mean_unit_gain", "median_unit_gain", "safe_gain", "default_gain_energy")
    assert all(isinstance(record[key], float) for key in keys)
    assert set(record["paste"]) == {"torch", "jax"}
    assert main(["gain", "--width", "256", "--length", "64", "--bound", "0.5"]) == 2
    assert "bound" in capsys.readouterr().err
    assert initialization.paste_lines(64, 0.5, "real")["jax"].startswith("W = 0.50000000 / 64**0.5")


def test_mean_energies_of_defaults_are_possible():
    """Uniform entries have a spectral norm of at most sqrt(n): no energy is above n^k."""
    for n, length in ((1, 10), (2, 100), (8, 1000), (256, 40)):
        row = framework_defaults(n, length)[0]
        assert row.log_mean_energy is None or row.log_mean_energy <= length * math.log(n) + 1e-9
    assert framework_defaults(256, 40)[0].log_mean_energy is not None


def test_the_pasted_gain_is_not_above_the_safe_one():
    for gain in (1.0000051234, 0.97134749999, 0.5, 3.1622776601):
        line = initialization.paste_lines(64, gain, "real")["torch"]
        pasted = float(line.split("std=")[1].split(" /")[0])
        assert gain - 2e-8 < pasted <= gain


def test_depths_ruled_out_by_markov_are_not_the_worst():
    """The gain is that of all depths of the ladder: quantiles never pass Markov's bound."""
    n, length, bound, quantile = 100, 300, 3.0, 0.9
    found = safe_gain(n, length, bound, quantile=quantile, field="complex")
    depths = initialization.gains.depth_ladder(length)
    values = [energy_quantiles(n, k, (quantile,), field="complex").values[0] for k in depths]
    slopes = [(math.log(bound) - q) / (2 * k) for q, k in zip(values, depths, strict=True)]
    assert found.gain <= math.exp(min(slopes)) * (1 + 1e-12)
    markov = log_rnn_energy(n, np.array(depths)) - math.log1p(-quantile)
    assert np.all(np.array(values) <= markov)


def test_the_report_says_what_the_safe_gain_does_to_a_median_draw():
    report = gain_report(256, 2048, field="complex")
    assert report.safe_gain_log_energy < -20.0
    assert "fades too" in report.remark
    assert "fades too" not in gain_report(256, 16, field="complex").remark


@pytest.mark.parametrize("quantile", [0.001, 0.999, 1.0, -1.0, math.nan])
def test_quantiles_without_a_stated_error_are_refused(quantile):
    with pytest.raises(ValueError, match="quantile must"):
        safe_gain(100, 10, quantile=quantile)
