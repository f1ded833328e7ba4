import math

import numpy as np
import pytest

from sigprop.montecarlo import batch_means, quantile_estimate, running_estimates
from sigprop.montecarlo.quantiles import QuantileEstimate

TRUE = {0.05: -1.6448536269514722, 0.5: 0.0, 0.95: 1.6448536269514722}


@pytest.mark.parametrize("q", [0.05, 0.5, 0.95])
@pytest.mark.parametrize("samples", [60, 200])
def test_intervals_cover_at_least_as_often_as_they_say(q, samples):
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(1000):
        estimate = quantile_estimate(rng.standard_normal(samples), q)
        covered += estimate.log_low <= TRUE[q] <= estimate.log_high
    # 95 % of 1000 is 950 with standard deviation 7; order statistics cover a little more.
    assert covered > 929


def test_intervals_miss_a_wrong_quantile():
    # Negative control: the 60 % quantile is not enclosed by intervals for the median.
    rng = np.random.default_rng(0)
    hits = sum(
        e.log_low <= 0.2533 <= e.log_high
        for e in (quantile_estimate(rng.standard_normal(400), 0.5) for _ in range(200))
    )
    assert hits < 40


def test_a_small_sample_has_an_open_interval():
    estimate = quantile_estimate([1.0, 2.0, 3.0], 0.95)
    assert estimate.log_high == math.inf
    assert estimate.log_value == 3.0
    assert estimate.to_dict()["log_high"] is None
    assert QuantileEstimate.from_dict(estimate.to_dict()) == estimate


def test_zero_energies_are_minus_infinity():
    assert quantile_estimate([-math.inf, -math.inf, 0.0], 0.5).log_value == -math.inf


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (([], 0.5), "log_energies"),
        (([[1.0]], 0.5), "log_energies"),
        (([math.nan], 0.5), "log_energies"),
        (([1.0], 0.0), "q must be between"),
        (([1.0], 1.5), "q must be between"),
        (([1.0], 0.5, 1.0), "confidence must be between"),
    ],
)
def test_bad_input_is_refused_by_name(arguments, match):
    with pytest.raises(ValueError, match=match):
        quantile_estimate(*arguments)


def test_running_estimates_are_those_of_prefixes():
    logs = np.random.default_rng(1).standard_normal(100)
    running = running_estimates(logs)
    assert list(running) == [1, 2, 4, 8, 16, 32, 64, 100]
    assert running[8].mean == pytest.approx(np.exp(logs[:8]).mean())
    assert list(running_estimates(logs, [10, 50])) == [10, 50]
    with pytest.raises(ValueError, match="counts must be at most the 100 samples"):
        running_estimates(logs, [101])


def test_batch_means():
    logs = np.random.default_rng(1).standard_normal(103) + 1000.0
    means = batch_means(logs, 10)
    assert means.shape == (10,)
    assert means[3] == pytest.approx(1000.0 + np.log(np.exp(logs[30:40] - 1000.0).mean()))
    assert batch_means([-math.inf, -math.inf, 0.0, 0.0], 2).tolist() == [-math.inf, 0.0]
    with pytest.raises(ValueError, match="batches must be at most the 103 samples"):
        batch_means(logs, 104)
