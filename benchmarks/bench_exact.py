"""Exact energies: time per call, beside the obvious alternatives.

Run with ``pytest benchmarks/bench_exact.py --benchmark-columns=min,median,rounds``.
All routes here are pure Python integers unless the name says otherwise.
"""

from fractions import Fraction

import pytest
import sympy

from sigprop import combinatorics, exact


def test_lru_numerators_1000_1000(benchmark):
    assert len(benchmark(exact.lru_numerators, 1000, 1000)) == 1001


def test_lru_energies_1000_1000_reduced(benchmark):
    assert len(benchmark(exact.lru_energies, 1000, 1000)) == 1001


def test_rnn_energy_single_1e6_1e4(benchmark):
    assert benchmark(exact.rnn_energy, 10**6, 10**4) > 1


def test_lru_energy_single_1e6_1e4(benchmark):
    assert benchmark(exact.lru_energy, 10**6, 10**4) > 10**4


def _sum_of_fractions(n, t):
    """Peer: the definition, one reduced Fraction per depth."""
    total, rising, falling = Fraction(0), n, n
    for k in range(t + 1):
        rising *= n + k + 1
        falling *= n - k - 1
        total += Fraction(rising - falling, (k + 1) * (k + 2) * n ** (k + 1))
    return total


def test_peer_lru_energy_by_fractions_1000_1000(benchmark):
    assert benchmark(_sum_of_fractions, 1000, 1000) == exact.lru_energy(1000, 1000)


def test_lru_energy_single_1000_1000(benchmark):
    assert benchmark(exact.lru_energy, 1000, 1000) > 1000


@pytest.mark.parametrize("k", [200, 2000])
def test_hultman_row(benchmark, k):
    assert len(benchmark(combinatorics.hultman_row, k)) == k + 1


def test_hultman_row_without_flint_2000(benchmark):
    benchmark.pedantic(combinatorics._stirling_row_python, (2002,), rounds=1)


def test_symbolic_100(benchmark):
    n = sympy.Symbol("n")
    assert benchmark(exact.rnn_energy, n, 100).has(n)


def test_peer_symbolic_100_by_expanding_factorials(benchmark):
    n = sympy.Symbol("n")

    def expand():
        k = 100
        rising, falling = sympy.rf(n, k + 2), sympy.ff(n, k + 2)
        return sympy.expand((rising - falling) / ((k + 1) * (k + 2) * n ** (k + 1)))

    assert benchmark.pedantic(expand, rounds=1).has(n)
