"""The archive of the paper's experiments: one compressed npz, "schema v1", read and written.

The file holds rows (width, depth) of TOTAL squared norms ||h||^2, not energies per unit.
An energy per unit, for inputs of mean square one per unit, is the total over the energy of
the input: ``initial_energy`` is n for inputs of radius sqrt(n) and 1 for unit vectors.
"""

from __future__ import annotations

import io
import math
import os
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sigprop._arguments import as_choice, as_finite_float, as_integer, as_positive_float
from sigprop._files import write_file

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

SCHEMA_VERSION = 1
OBSERVABLE = "total_squared_norm"

CHOICES: dict[str, tuple[str, ...]] = {
    "ensemble": ("real", "complex"),
    "activation": ("linear", "relu", "leaky_relu"),
    "model": ("rnn", "lru"),
    "weight_tying": ("tied", "untied"),
    "x_mode": ("e1", "random_unit", "random_isotropic"),
    "initial_norm_scaling": ("sqrt_width", "constant"),
    "lru_inputs": ("unit", "gaussian"),
    "observable": (OBSERVABLE,),
}

_TEXTS = ("backend", "rng_scheme", "input_distribution", "arithmetic")

_RELATIVE = 1e-6  # within which numbers that follow from others must agree: single precision

_LARGEST_SEED = 2**64 - 1

_DAMAGE = (ValueError, OSError, EOFError, zipfile.BadZipFile, zlib.error, KeyError)


@dataclass(frozen=True, eq=False)
class Archive:
    """The entries of a "schema v1" archive, checked.

    Attributes
    ----------
    width, depth : ndarray of int64, shape (rows,)
        Width n >= 1 and depth >= 0 of each row.
    c_eff : ndarray of float64, shape (rows,)
        depth / sqrt(width).
    mean, std, se : ndarray of float64, shape (rows,)
        Sample mean of the total squared norm, its standard deviation (ddof 1, 0 for one
        sample) and ``std / sqrt(num_samples)``; nan where an error bar is not known.
    initial_energy : ndarray of float64, shape (rows,)
        Squared norm of an input: ``initial_norm^2``, times the width where ``x_mode`` is
        "random_isotropic" or ``lru_inputs`` is "gaussian".
    n_values : ndarray of int64, c_values : ndarray of float64
        The grid: widths, and depths in units of sqrt(n).
    ensemble : {"real", "complex"}
    activation : {"linear", "relu", "leaky_relu"}
        Other than "linear" for a real RNN only.
    model : {"rnn", "lru"}
    weight_tying : {"tied", "untied"}
        "untied" for an RNN only.
    alpha : float
        Slope of the leaky ReLU, >= 0.
    weight_scale : float
        Factor on the standard deviation of the weights, > 0: the gain.
    x_mode : {"e1", "random_unit", "random_isotropic"}
        Input: the first unit vector, a random direction of radius ``initial_norm``, or one
        of radius ``initial_norm sqrt(n)``.
    initial_norm : float
        > 0.
    initial_norm_scaling : {"sqrt_width", "constant"}
        "sqrt_width" if ``x_mode`` is "random_isotropic".
    num_samples, chunk_size, seed : int
    lru_inputs : {"unit", "gaussian"}
        "gaussian": inputs with independent entries of variance 1, LRU only.
    observable : str
        "total_squared_norm".
    schema_version : int
        1.
    backend, rng_scheme, input_distribution, arithmetic : str
        How it was computed, in words.

    Raises
    ------
    TypeError, ValueError
        If an entry is not of the kind above, or entries contradict one another.

    References
    ----------
    arXiv 2605.05113, whose experiments are published in this format.

    Examples
    --------
    >>> from sigprop.montecarlo.campaign import Campaign
    >>> from sigprop.montecarlo.campaign_archive import archive_of
    >>> from sigprop.recurrences import GaussianRNN
    >>> archive = archive_of(Campaign.grid([GaussianRNN(16)], 100, 1, c=[0.0, 1.0]).run())
    >>> archive.ensemble, archive.width
    ('complex', array([16, 16]))
    """

    width: IntArray
    depth: IntArray
    c_eff: FloatArray
    mean: FloatArray
    std: FloatArray
    se: FloatArray
    initial_energy: FloatArray
    n_values: IntArray
    c_values: FloatArray
    ensemble: str
    activation: str
    model: str
    weight_tying: str
    alpha: float
    weight_scale: float
    x_mode: str
    initial_norm: float
    initial_norm_scaling: str
    num_samples: int
    chunk_size: int
    seed: int
    lru_inputs: str
    observable: str
    schema_version: int
    backend: str
    rng_scheme: str
    input_distribution: str
    arithmetic: str

    def __post_init__(self) -> None:
        for name, check in _CHECKS.items():
            object.__setattr__(self, name, check(name, getattr(self, name)))
        _check_schema(self)
        _check_rows(self)

    @property
    def energy(self) -> FloatArray:
        """Mean energy per unit of inputs of energy one per unit: mean / initial_energy."""
        return self.mean / self.initial_energy

    @property
    def standard_error(self) -> FloatArray:
        """Standard error of `energy`, from the sample: se / initial_energy."""
        return self.se / self.initial_energy

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Archive:
        """Return the archive in a file.

        Raises
        ------
        ValueError
            If the file is no npz, is truncated, lacks an entry, or an entry is not as the
            schema says. Entries beyond the schema are left aside.
        OSError
            If it cannot be read.
        """
        content = Path(path).read_bytes()
        names = [field.name for field in fields(cls)]
        try:
            file = np.load(io.BytesIO(content), allow_pickle=False)
            if isinstance(file, np.ndarray):
                raise ValueError("it holds a single array")
            with file:
                missing = [name for name in names if name not in file.files]
                if missing:
                    raise ValueError(f"it has no {', '.join(missing)}")
                entries = {name: _read_entry(file, name) for name in names}
        except _DAMAGE as error:
            raise ValueError(f"{path} is not an archive of schema v1: {error}") from error
        try:
            return cls(**entries)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{path} is not a valid archive of schema v1: {error}") from error

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the archive, whole or not at all.

        Raises
        ------
        OSError
            If the file cannot be written; an earlier one is then unchanged.
        """
        buffer = io.BytesIO()
        entries: Mapping[str, Any] = {
            field.name: getattr(self, field.name) for field in fields(self)
        }
        np.savez_compressed(buffer, **entries)
        write_file(path, buffer.getvalue())


def _read_entry(file: Mapping[str, Any], name: str) -> Any:
    """Return one entry: a Python value for a scalar, an array otherwise."""
    value = file[name]
    if not isinstance(value, np.ndarray):
        raise ValueError(f"its {name} is no array")
    return value.item() if value.ndim == 0 else value


def _as_integers(name: str, value: Any, minimum: int) -> IntArray:
    array = np.asarray(value)
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iu":
        raise ValueError(
            f"{name} must be a non-empty one-dimensional array of integers, got shape "
            f"{array.shape} of dtype {array.dtype}"
        )
    if array.min() < minimum:
        raise ValueError(f"{name} must hold integers >= {minimum}, got {array.min()}")
    return array.astype(np.int64)


def _as_numbers(name: str, value: Any, unknown: bool) -> FloatArray:
    """Return numbers >= 0, finite, or nan where ``unknown`` is allowed."""
    array = np.asarray(value)
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iuf":
        raise ValueError(
            f"{name} must be a non-empty one-dimensional array of numbers, got shape "
            f"{array.shape} of dtype {array.dtype}"
        )
    numbers = array.astype(np.float64)
    bad = ~((numbers >= 0.0) & (numbers < math.inf))
    if unknown:
        bad &= ~np.isnan(numbers)
    if np.any(bad):
        raise ValueError(f"{name} must hold finite numbers >= 0, got {numbers[bad][0]}")
    return numbers


def _as_text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be text, got {value!r} of type {type(value).__name__}")
    return value


def _as_slope(name: str, value: Any) -> float:
    slope = as_finite_float(name, value)
    if slope < 0.0:
        raise ValueError(f"{name} must be a finite number >= 0, got {value!r}")
    return slope


def _as_seed(name: str, value: Any) -> int:
    seed = as_integer(name, value, 0)
    if seed > _LARGEST_SEED:
        raise ValueError(f"{name} must be below 2**64 for an archive, got {seed}")
    return seed


_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "width": lambda name, value: _as_integers(name, value, 1),
    "depth": lambda name, value: _as_integers(name, value, 0),
    "n_values": lambda name, value: _as_integers(name, value, 1),
    "c_eff": lambda name, value: _as_numbers(name, value, unknown=False),
    "mean": lambda name, value: _as_numbers(name, value, unknown=False),
    "std": lambda name, value: _as_numbers(name, value, unknown=True),
    "se": lambda name, value: _as_numbers(name, value, unknown=True),
    "initial_energy": lambda name, value: _as_numbers(name, value, unknown=False),
    "c_values": lambda name, value: _as_numbers(name, value, unknown=False),
    "schema_version": lambda name, value: as_integer(name, value, 1),
    "num_samples": lambda name, value: as_integer(name, value, 1),
    "chunk_size": lambda name, value: as_integer(name, value, 1),
    "seed": _as_seed,
    "alpha": _as_slope,
    "weight_scale": as_positive_float,
    "initial_norm": as_positive_float,
    **dict.fromkeys(CHOICES, lambda name, value: as_choice(name, value, CHOICES[name])),
    **dict.fromkeys(_TEXTS, _as_text),
}


def _check_schema(archive: Archive) -> None:
    """Raise ValueError if settings contradict one another."""
    if archive.schema_version != SCHEMA_VERSION:
        raise ValueError(f"schema_version must be {SCHEMA_VERSION}, got {archive.schema_version}")
    is_real_rnn = archive.model == "rnn" and archive.ensemble == "real"
    if archive.activation != "linear" and not is_real_rnn:
        raise ValueError(
            f"activation must be 'linear' unless the model is a real RNN, got "
            f"{archive.activation!r} for a {archive.ensemble} {archive.model}"
        )
    if archive.weight_tying == "untied" and archive.model != "rnn":
        raise ValueError("weight_tying must be 'tied' for an LRU, got 'untied'")
    if archive.lru_inputs == "gaussian" and archive.model != "lru":
        raise ValueError("lru_inputs must be 'unit' for an RNN, got 'gaussian'")
    scaling = "sqrt_width" if archive.x_mode == "random_isotropic" else "constant"
    if archive.initial_norm_scaling != scaling:
        raise ValueError(
            f"initial_norm_scaling must be {scaling!r} for x_mode {archive.x_mode!r}, "
            f"got {archive.initial_norm_scaling!r}"
        )


def _check_rows(archive: Archive) -> None:
    """Raise ValueError if rows have different lengths or do not follow from one another."""
    names = ("width", "depth", "c_eff", "mean", "std", "se", "initial_energy")
    lengths = {name: getattr(archive, name).size for name in names}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"rows must have equal lengths, got {lengths}")
    if set(archive.width.tolist()) != set(archive.n_values.tolist()):
        raise ValueError("n_values must be the widths of the rows")
    root_n = archive.x_mode == "random_isotropic" or archive.lru_inputs == "gaussian"
    follows = {
        "c_eff": archive.depth / np.sqrt(archive.width),
        "se": archive.std / math.sqrt(archive.num_samples),
        "initial_energy": archive.initial_norm**2 * (archive.width if root_n else 1.0),
    }
    for name, expected in follows.items():
        given = getattr(archive, name)
        if not np.allclose(given, expected, rtol=_RELATIVE, atol=0.0, equal_nan=True):
            raise ValueError(f"{name} does not follow from the other entries")
