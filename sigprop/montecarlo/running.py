"""Running estimates: what the sample would have said with fewer trajectories.

A mean that keeps jumping up as the sample grows is one that a few draws carry; a
convergence plot shows it at a glance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sigprop._arguments import as_integer, as_integer_list
from sigprop.montecarlo.estimate import Estimate

FloatArray = npt.NDArray[np.float64]


def running_estimates(log_energies: Any, counts: Any = None) -> dict[int, Estimate]:
    """Return the estimates from the first m trajectories, for each m in ``counts``.

    Parameters
    ----------
    log_energies : array_like of float, shape (m,)
        Logarithms of independent energies, in the order in which they were drawn.
    counts : int or sequence of int, optional
        Numbers of trajectories, 1 to samples; by default powers of two and all.

    Returns
    -------
    dict of int to Estimate

    Raises
    ------
    TypeError, ValueError
        If a count is not an integer in its range.

    Examples
    --------
    >>> running = running_estimates(np.log(np.linspace(0.9, 1.1, 100)), [10, 100])
    >>> [round(estimate.mean, 6) for estimate in running.values()]
    [0.909091, 1.0]
    """
    logs = np.asarray(log_energies, dtype=np.float64)
    if counts is None:
        powers = 2 ** np.arange(int(np.log2(max(logs.size, 1))) + 1)
        numbers = sorted({*powers.tolist(), logs.size})
    else:
        numbers = as_integer_list("counts", counts, 1)
    for number in numbers:
        if number > logs.size:
            raise ValueError(f"counts must be at most the {logs.size} samples, got {number}")
    return {number: Estimate.from_log_energies(logs[:number]) for number in numbers}


def batch_means(log_energies: Any, batches: int = 16) -> FloatArray:
    """Return the log mean energy of each of ``batches`` equal parts of the sample.

    Parameters
    ----------
    log_energies : array_like of float, shape (m,)
        Logarithms of independent energies; a rest that fills no batch is left out.
    batches : int, optional
        Number of parts, 2 to samples.

    Returns
    -------
    ndarray of float64, shape (batches,)
        Their spread shows whether a few trajectories carry the mean.

    Raises
    ------
    TypeError, ValueError
        If ``batches`` is not an integer in its range.

    Examples
    --------
    >>> batch_means(np.log([1.0, 3.0, 2.0, 6.0]), 2).round(6)
    array([0.693147, 1.386294])
    """
    logs = np.asarray(log_energies, dtype=np.float64)
    batches = as_integer("batches", batches, 2)
    size = logs.size // batches
    if size == 0:
        raise ValueError(f"batches must be at most the {logs.size} samples, got {batches}")
    parts = logs[: size * batches].reshape(batches, size)
    top = np.maximum(parts.max(axis=1, keepdims=True), -np.finfo(np.float64).max)
    with np.errstate(divide="ignore"):  # a batch of energies that are all zero
        means: FloatArray = top[:, 0] + np.log(np.exp(parts - top).mean(axis=1))
    return means
