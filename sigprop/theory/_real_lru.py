r"""float64 kernel of the real LRU energy under white inputs: no loop over depth.

:math:`S_{n,t} = \sum_{k \le t} Q_{n,k}`.  The first 256 depths are added one by one and kept
per width.  Beyond, Q is analytic in k at each parity of k, so a Gauss rule for consecutive
integers adds the even depths, and one the odd ones.  They reach back either to the first
256 depths or to where the terms have fallen by e^-42, and are cut into three panels because
real energies fall up to twice as fast as the complex ones by which the cut is found.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sigprop._arguments import FloatArray
from sigprop.theory._gain_sum import panel_nodes
from sigprop.theory._lru_kernel import window
from sigprop.theory._real_curve import Interpolant
from sigprop.theory._real_rnn import HEAD, rnn_energies, smooth_energies
from sigprop.theory._rnn_kernel import Energies
from sigprop.theory._sum_rule import rules

_PANEL_SHARES = (0.25, 0.25, 0.5)  # from the last depth backwards


@functools.lru_cache(maxsize=256)
def _head(n: float) -> Energies:
    """Return Q, log Q, Q - 1 at depths 0, ..., 255."""
    depths = np.arange(float(HEAD))
    return rnn_energies(np.full_like(depths, n), depths)


_Source = Callable[[FloatArray, bool], Energies]
"""Energies of one width at real depths, continued from odd or from even ones."""

_MANY = 4  # points of one width from which on interpolation in the depth pays


@functools.lru_cache(maxsize=256)
def interpolant(n: float) -> Interpolant:
    """Return the interpolant of one width, kept with the panels that it has made."""
    return Interpolant(n)


def _direct(n: float) -> _Source:
    def energies(depths: FloatArray, odd: bool) -> Energies:
        return smooth_energies(np.full_like(depths, n), depths, odd)

    return energies


class _Terms(NamedTuple):
    """Weights and energies, the sum of which over depths is that of every depth."""

    weights: FloatArray
    log_energy: FloatArray
    excess: FloatArray


def _class_terms(source: _Source, last: float, count: float) -> _Terms:
    """Add the depths last, last - 2, ..., count of them, all beyond the head."""
    odd = last % 2.0 == 1.0
    lengths = np.rint(np.array(_PANEL_SHARES) * count)
    lengths[-1] = count - lengths[:-1].sum()
    starts = np.concatenate([[0.0], np.cumsum(lengths[:-1])])
    positions, weights = [], []
    for members, nodes, row_weights in rules(lengths):
        positions.append((starts[members, None] + nodes).ravel())
        weights.append(row_weights.ravel())
    energies = source(last - 2.0 * np.concatenate(positions), odd)
    return _Terms(np.concatenate(weights), energies.log_energy, energies.excess)


def _terms(n: float, t: float, source: _Source) -> _Terms:
    head = _head(n)
    size = int(min(t + 1.0, HEAD))
    parts = [_Terms(np.ones(size), head.log_energy[:size], head.excess[:size])]
    if t >= HEAD:
        reach = min(float(window(np.array([n]), np.array([t]))[0]), t + 1.0 - HEAD)
        for last in (t, t - 1.0):
            count = np.floor(0.5 * (reach - (t - last) + 1.0))
            if count > 0.0:
                parts.append(_class_terms(source, last, float(count)))
    return _Terms(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _point(n: float, t: float, source: _Source) -> tuple[float, float, float]:
    terms = _terms(n, t, source)
    top = float(terms.log_energy.max())
    log_energy = top + float(np.log(terms.weights @ np.exp(terms.log_energy - top)))
    log_mean = log_energy - np.log1p(t)
    with np.errstate(over="ignore"):
        if top < 1.0:  # every term is there: none has fallen by e^-42
            excess = float(terms.weights @ terms.excess) / (t + 1.0)
            energy = (t + 1.0) + (t + 1.0) * excess
            log_energy = float(np.log(t + 1.0) + np.log1p(excess))
        else:
            excess, energy = float(np.expm1(log_mean)), float(np.exp(log_energy))
    return energy, log_energy, excess


def lru_energies(n: FloatArray, t: FloatArray) -> Energies:
    """Return S, log S and S/(t+1) - 1 for one-dimensional arrays of widths and depths."""
    sources = {
        float(width): interpolant(float(width)).energies
        if count >= _MANY
        else _direct(float(width))
        for width, count in zip(*np.unique(n, return_counts=True), strict=True)
    }
    return _points(n, t, sources)


def searched_lru_energies(n: FloatArray, t: FloatArray) -> Energies:
    """Do the same, faster when the same widths are asked for again and again."""
    return _points(n, t, {width: interpolant(width).energies for width in set(n.tolist())})


def _points(n: FloatArray, t: FloatArray, sources: dict[float, _Source]) -> Energies:
    points = [
        _point(width, depth, sources[width])
        for width, depth in zip(n.tolist(), t.tolist(), strict=True)
    ]
    return Energies(*(np.array(column) for column in zip(*points, strict=True)))


def log_gain_sum(n: float, t: float, log_gain: float) -> float:
    """Return log sum_{k=0}^t exp(2 k log_gain) Q_{n,k}."""
    logs, weights = [], []
    for first in (0.0, 1.0):
        count = np.floor(0.5 * (t - first)) + 1.0
        if count < 1.0:
            continue
        positions, class_weights = panel_nodes(count)
        depths = first + 2.0 * positions
        log_energy = np.empty_like(depths)
        near = depths < HEAD
        log_energy[near] = _head(n).log_energy[depths[near].astype(np.intp)]
        far = depths[~near]
        log_energy[~near] = smooth_energies(np.full_like(far, n), far, first == 1.0).log_energy
        logs.append(log_energy + 2.0 * log_gain * depths)
        weights.append(class_weights)
    terms = np.concatenate(logs)
    top = float(terms.max())
    return top + float(np.log(np.concatenate(weights) @ np.exp(terms - top)))
