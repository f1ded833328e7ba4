"""Importance sampling at the super-critical mean: accuracy, time, and plain simulation beside it.

Run with ``OPENBLAS_NUM_THREADS=1 python benchmarks/importance.py [--repeats 20]``.

For every cell and backend: seconds per run and microseconds per sample, the mean over the
exact one, the actual spread over runs against the reported error, how many 95 % intervals
cover, and the efficiency, relative variance times seconds. The last columns are plain
width-free simulation given the same processor time: median of mean over exact, and the same
efficiency from its root mean square error.
"""

from __future__ import annotations

import argparse
import math
import time

import numpy as np

import sigprop
from sigprop.montecarlo.importance import mean_energy, ritz_log_weights_and_paths
from sigprop.montecarlo.krylov import chunk_log_energies
from sigprop.montecarlo.streams import ChunkStreams
from sigprop.recurrences import GaussianRNN

CELLS = (
    ("complex", 50, 30, 3000),
    ("complex", 100, 30, 2000),
    ("complex", 100, 60, 1500),
    ("complex", 400, 150, 500),
    ("complex", 1000, 200, 250),
    ("real", 100, 30, 3000),
    ("real", 100, 40, 3000),
    ("real", 400, 100, 800),
)


def exact(field, width, depth):
    return float(sigprop.log_rnn_energy(width, depth, field=field))


def importance(field, width, depth, samples, repeats, backend):
    """Return the ratios to the exact mean, the reported errors, and seconds per run."""
    log_exact = exact(field, width, depth)
    ritz_log_weights_and_paths(  # compile
        width, depth, 4, np.random.default_rng(0), field, backend=backend
    )
    ratios, errors, covered = [], [], 0
    start = time.process_time()
    for seed in range(repeats):
        generator = np.random.default_rng([seed, width, depth])
        estimate = mean_energy(
            ritz_log_weights_and_paths(width, depth, samples, generator, field, backend=backend)
        )
        low, high = estimate.log_interval()
        ratios.append(math.exp(estimate.log_mean - log_exact))
        errors.append(estimate.relative_error)
        covered += low <= log_exact <= high
    seconds = (time.process_time() - start) / repeats
    return np.array(ratios), np.array(errors), covered, seconds


def plain(field, width, depth, seconds, repeats):
    """Return means over exact of width-free simulation in ``seconds`` of processor time each."""
    recurrence = GaussianRNN(width, field=field)
    log_exact = exact(field, width, depth)
    ratios = []
    for seed in range(repeats):
        sequence = np.random.SeedSequence([seed, width, depth])
        streams = ChunkStreams(*(np.random.default_rng(child) for child in sequence.spawn(2)))
        total, count = 0.0, 0
        start = time.process_time()
        while time.process_time() - start < seconds:
            logs = chunk_log_energies(recurrence, [depth], 64, streams)[:, 0]
            total += float(np.sum(np.exp(logs - log_exact)))
            count += len(logs)
        ratios.append(total / count)
    return np.array(ratios)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--plain-repeats", type=int, default=5)
    options = parser.parse_args()
    print(
        "field     n    k     N backend   s/run us/sample  mean/exact        spread  reported "
        "cover  spread^2 s | plain: median  rms^2 s"
    )
    for field, width, depth, samples in CELLS:
        for backend in ("numba", "numpy"):
            ratios, errors, covered, seconds = importance(
                field, width, depth, samples, options.repeats, backend
            )
            spread = ratios.std(ddof=1)
            line = (
                f"{field:8}{width:5}{depth:5}{samples:6} {backend:7}{seconds:8.2f}"
                f"{1e6 * seconds / samples:10.0f}  {ratios.mean():.4f} +- "
                f"{spread / math.sqrt(options.repeats):.4f}  {spread:.4f}  "
                f"{np.median(errors):.4f} {covered:4}/{options.repeats} "
                f"{spread**2 * seconds:11.1e}"
            )
            if backend == "numba" and options.plain_repeats:
                means = plain(field, width, depth, seconds, options.plain_repeats)
                rms = np.mean((means - 1.0) ** 2)
                line += f" | {np.median(means):13.2g} {rms * seconds:8.1e}"
            print(line, flush=True)


if __name__ == "__main__":
    main()
