r"""Diagonal recurrences: their eigenvalues, from the parameters that layers store.

- LRU: :math:`\lambda = \exp(-e^{\nu} + i e^{\theta})` from ``nu_log`` and ``theta_log``;
- S4D: :math:`\lambda = \exp(\Delta(-e^{a} + i b))` from ``log_A_real``, ``A_imag`` and ``log_dt``,
  by zero-order hold;
- a vector of eigenvalues.

Only the moduli enter the energy, and they are kept as logarithms: near 1 nothing is lost.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from sigprop._arguments import FloatArray
from sigprop.auditing.tensors import Matrix

EIGENVALUE_NAMES = ("lambda", "lambdas", "eigenvalues", "eigvals", "lambda_diag")
"""Last part of the name of a tensor that holds eigenvalues, in lower case."""


class Diagonal(NamedTuple):
    """Moduli of the eigenvalues of one layer, as logarithms, and the field of the eigenvalues."""

    log_moduli: FloatArray
    field: str


def is_diagonal(key: str) -> bool:
    """Tell whether a name is that of the moduli of a diagonal recurrence."""
    last = _last(key)
    return last in PARTNERS or last.lower() in EIGENVALUE_NAMES


def partners(key: str) -> dict[str, str]:
    """Return the full names of the tensors needed beside ``key``, by their last part.

    Examples
    --------
    >>> partners("layers.0.log_A_real")
    {'log_dt': 'layers.0.log_dt'}
    """
    prefix = key[: len(key) - len(_last(key))]
    return {name: prefix + name for name in PARTNERS.get(_last(key), ())}


def from_parameters(key: str, array: Matrix, others: Mapping[str, Matrix]) -> Diagonal:
    """Return the moduli of the layer whose tensor ``key`` is ``array``.

    Parameters
    ----------
    key : str
        Its name; one that is not known here means eigenvalues.
    array : ndarray
        The tensor, of any shape with at least one axis.
    others : mapping of str to ndarray
        The tensors of `partners`, by their last part.

    Returns
    -------
    Diagonal

    Raises
    ------
    ValueError
        If shapes do not fit, or log parameters are complex.

    Examples
    --------
    >>> from_parameters("lambda", np.array([0.5, 2.0j]), {}).log_moduli.round(6).tolist()
    [-0.693147, 0.693147]
    """
    if array.ndim == 0:
        raise ValueError(f"{key} must hold eigenvalues along at least one axis, got a scalar")
    layout = _LAYOUTS.get(_last(key))
    if layout is not None:
        for name, values in {key: array, **others}.items():
            if np.iscomplexobj(values):
                raise ValueError(f"{name} must be real, got dtype {values.dtype}")
        with np.errstate(over="ignore", under="ignore"):
            log_moduli = layout(key, array.real, {name: x.real for name, x in others.items()})
        if not np.isfinite(log_moduli).all():
            raise ValueError(f"{key} gives a modulus beyond the float range")
        return Diagonal(log_moduli, "complex")
    return Diagonal(_log_moduli(array), "complex" if np.iscomplexobj(array) else "real")


def _log_moduli(array: Matrix) -> FloatArray:
    """Return the logarithms of moduli, also of those beyond the float range."""
    parts = np.ascontiguousarray(array).view(np.float64).reshape(*array.shape, -1)
    sizes = np.abs(parts).max(axis=-1)
    exponents = np.where((sizes > 2.0**1000) | (sizes < 2.0**-1000), np.frexp(sizes)[1], 0)
    scaled = np.ldexp(parts, -exponents[..., np.newaxis])
    with np.errstate(divide="ignore", under="ignore"):
        log_moduli = np.log(np.abs(scaled.view(array.dtype)[..., 0]))
    moduli: FloatArray = log_moduli + exponents * math.log(2.0)
    return moduli


def _lru(key: str, nu_log: FloatArray, others: Mapping[str, FloatArray]) -> FloatArray:
    return -np.exp(nu_log)


def _s4d(key: str, log_real: FloatArray, others: Mapping[str, FloatArray]) -> FloatArray:
    """One step size for each channel: (H,) beside (H, modes)."""
    log_dt = others["log_dt"]
    if log_dt.ndim == log_real.ndim - 1:
        log_dt = log_dt[..., np.newaxis]
    try:
        log_moduli: FloatArray = -np.exp(log_real + log_dt)
    except ValueError:
        raise ValueError(
            f"{key} of shape {log_real.shape} does not fit log_dt of shape {others['log_dt'].shape}"
        ) from None
    return log_moduli


PARTNERS: dict[str, tuple[str, ...]] = {"nu_log": (), "log_A_real": ("log_dt",)}
"""Last parts of the names that carry moduli, and what is needed beside each."""

_LAYOUTS: dict[str, Callable[[str, FloatArray, Mapping[str, FloatArray]], FloatArray]] = {
    "nu_log": _lru,
    "log_A_real": _s4d,
}


def _last(key: str) -> str:
    return key.replace("/", ".").rsplit(".", 1)[-1]
