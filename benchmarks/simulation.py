"""Simulation: width-free against direct against the obvious loops, the same work in one run.

Run with ``python benchmarks/simulation.py [--quick]``.  Times are CPU seconds of this process
per trajectory, so that other load on the machine counts for little; direct routes run on few
trajectories, since one takes seconds at n = 4096.
"""

import argparse
import os
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from sigprop.montecarlo import simulate_log_energies
from sigprop.recurrences import GaussianLRU, GaussianRNN

MODELS = {"rnn": GaussianRNN, "lru": GaussianLRU}


def per_trajectory(function, samples):
    """Return CPU milliseconds per trajectory."""
    start = time.process_time()
    function(samples)
    return 1e3 * (time.process_time() - start) / samples


def numpy_loop(model, n, depth, samples):
    """The loop that every script has: one matrix, one vector, no batching."""
    rng = np.random.default_rng(0)
    for _ in range(samples):
        W = rng.standard_normal((n, n)) + 1j * rng.standard_normal((n, n))
        W *= 1.0 / np.sqrt(2.0 * n)
        h = rng.standard_normal(n) + 1j * rng.standard_normal(n)
        for _ in range(depth):
            h = W @ h
            if model == "lru":
                h += (rng.standard_normal(n) + 1j * rng.standard_normal(n)) / np.sqrt(2.0)


def vmapped_loop(model, n, depth, samples):
    """The shape of neural-tangents' Monte Carlo: draw all layers, then map over the batch."""
    rng = np.random.default_rng(0)
    size = max(1, min(samples, 2**26 // (16 * n * n)))
    for _ in range(0, samples, size):
        W = (rng.standard_normal((size, n, n, 2)) / np.sqrt(2.0 * n)).view(complex)[..., 0]
        h = rng.standard_normal((size, n, 1)) + 0j
        for _ in range(depth):
            h = W @ h
            if model == "lru":
                h = h + rng.standard_normal((size, n, 1))


def compare(n, depth, samples, few):
    """Print one line per model: milliseconds per trajectory and ratios to width-free."""
    for model, family in MODELS.items():
        recurrence = family(n)
        routes = {
            "krylov": lambda count, r=recurrence: simulate_log_energies(
                r, depth, count, rng=0, method="krylov"
            ),
            "direct": lambda count, r=recurrence: simulate_log_energies(
                r, depth, count, rng=0, method="direct"
            ),
            "numpy loop": lambda count, m=model: numpy_loop(m, n, depth, count),
            "vmapped": lambda count, m=model: vmapped_loop(m, n, depth, count),
        }
        times = {
            name: per_trajectory(route, samples if name == "krylov" else few)
            for name, route in routes.items()
        }
        shown = "  ".join(
            f"{name} {value:9.3f} ms (x{value / times['krylov']:.0f})"
            for name, value in times.items()
        )
        print(f"{model} n={n:<5} depth={depth:<4} {shown}", flush=True)


def width_free(recurrence, depth, samples):
    """Return CPU milliseconds per width-free trajectory."""
    return per_trajectory(
        lambda count: simulate_log_energies(recurrence, depth, count, 0, "krylov"), samples
    )


def scaling(samples):
    """Print how width-free simulation scales with width, depth and workers."""
    for model, family in MODELS.items():
        times = [width_free(family(n), 64, samples) for n in (10**3, 10**6, 10**9)]
        print(f"{model} depth 64 at n = 1e3, 1e6, 1e9:", *(f"{t:.3f} ms" for t in times))
        times = [
            width_free(family(10**9), k, max(samples // (k // 32) ** 2, 4))
            for k in (32, 64, 128, 256)
        ]
        print(f"{model} n = 1e9 at depth 32, 64, 128, 256:", *(f"{t:.3f} ms" for t in times))
    for workers in (1, 2):
        start = time.perf_counter()
        with ThreadPoolExecutor(workers) as pool:
            simulate_log_energies(GaussianRNN(10**6), 64, 8 * samples, 0, "krylov", executor=pool)
        wall = time.perf_counter() - start
        print(f"rnn depth 64, {8 * samples} trajectories, {workers} threads: {wall:.2f} s wall")


def main():
    """Run everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only n = 1024 and few samples")
    quick = parser.parse_args().quick
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    compare(1024, 64, 256 if quick else 1024, 3 if quick else 6)
    if not quick:
        compare(4096, 128, 256, 2)
    scaling(64 if quick else 256)


if __name__ == "__main__":
    main()
