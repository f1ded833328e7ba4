"""float64 energies: points per second, beside the usual routes.

Run with ``pytest benchmarks/bench_energy.py --benchmark-columns=min,median,rounds``.
Every entry evaluates `POINTS` points, so points per second = POINTS / time.
"""

import mpmath
import numpy as np
import pytest
from scipy.special import gammaln

import sigprop

POINTS = 16384


@pytest.fixture(scope="module")
def grid():
    rng = np.random.default_rng(0)
    widths = np.floor(10 ** rng.uniform(0, 15, POINTS))
    depths = np.floor(rng.uniform(0, 12, POINTS) * np.sqrt(widths))
    return widths, depths


@pytest.mark.parametrize(
    "function",
    [
        sigprop.rnn_energy,
        sigprop.log_rnn_energy,
        sigprop.rnn_excess,
        sigprop.lru_energy,
        sigprop.log_lru_energy,
        sigprop.lru_excess,
    ],
    ids=lambda function: function.__name__,
)
def test_random_points(benchmark, grid, function):
    values = benchmark(function, *grid)
    benchmark.extra_info["points_per_second"] = POINTS / benchmark.stats["min"]
    assert not np.isnan(values).any()


def test_one_point(benchmark):
    assert benchmark(sigprop.log_lru_energy, 10**6, 5000) > 0


def test_lru_with_gain(benchmark):
    assert benchmark(sigprop.log_lru_energy, 10**6, 5000, 0.99) > 0


def _by_gammaln(n, k):
    """Peer: fast and wrong; at n = 1e12, k = 2 its log energy is 19.6 instead of 1e-24."""
    m = k + 2
    rising = gammaln(n + m) - gammaln(n) - (m - 1) * np.log(n)
    return rising - np.log(m * (m - 1))


def test_peer_gammaln_difference(benchmark, grid):
    assert benchmark(_by_gammaln, *grid).size == POINTS


def test_peer_mpmath_16_points(benchmark, grid):
    context = mpmath.mp.clone()
    context.dps = 40

    def evaluate():
        total = 0
        for n, k in zip(grid[0][:16], grid[1][:16], strict=True):
            n, m = context.mpf(n), context.mpf(k) + 2
            rising = context.loggamma(n + m) - context.loggamma(n) - (m - 1) * context.log(n)
            total += rising - context.log(m * (m - 1))
        return total

    assert benchmark(evaluate) != 0
