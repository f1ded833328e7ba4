"""What an audit returns: one record for each matrix, as data, JSON or text."""

from __future__ import annotations

import math
import textwrap
from dataclasses import asdict, dataclass, fields
from typing import Any

from sigprop.auditing.magnitude import as_text

_NULL_MEANS = {"log_energy": -math.inf, "log_gain_squared": -math.inf}
_BEYOND_RANGE = ("gain", "gain_squared", "spectral_radius", "spectral_norm", "numerical_abscissa")


@dataclass(frozen=True)
class TensorAudit:
    r"""The audit of one square matrix, or of one diagonal recurrence.

    Attributes
    ----------
    key, block : str, str or None
        Name of the tensor, and of the gate if it holds several.
    shape : tuple of int
        Shape of what was judged: (n, n), or that of the eigenvalues.
    dtype : str
        Dtype in which the tensor was given.
    gain_squared : float
        :math:`n\,\overline{|W_{ij}|^2} = \|W\|_F^2/n`, the mean square modulus of a diagonal one;
        ``inf`` on overflow and 0 on underflow, where ``log_gain_squared`` and ``gain`` are not.
    spectral_radius, spectral_norm : float
        Largest modulus of an eigenvalue, and largest singular value.
    depths : tuple of int
        Depths k, growing.
    log_energy : tuple of float
        :math:`\log\frac1n\|W^k\|_F^2`, ``-inf`` for 0.
    predicted_log_energy : tuple of (float or None)
        Log of the mean energy of independent Gaussian entries of that gain; None for a diagonal
        recurrence and a zero matrix.
    predicted_low, predicted_high : tuple of (float or None)
        Log of the 5 % and 95 % quantiles of the energy of one draw of such entries.
    regime : str or None
        Regime of width and last depth; None for a diagonal recurrence.
    verdict : str
        In words: safe or not, like a random matrix or not, what to change.
    not_covered : str
        What the verdict says nothing about.
    kind, field : str
        "dense" or "diagonal"; "real" or "complex".
    parts_at : int or None
        First depth at which the measured energy is outside the band.
    log_gain_squared : float
        Finite also where the gain is beyond the float range.
    mean_entry : tuple of float or None
        Mean of the entries, real and imaginary part; None for a diagonal recurrence.
    departure_from_normality : float
        Henrici's, from 0 to 1: 0 for a normal matrix.
    numerical_abscissa : float or None
        Largest eigenvalue of :math:`(W + W^*)/2`.
    stored_shape : tuple of int
        Shape of the whole tensor.
    predicted_error : tuple of (float or None)
        How far the ends of the band may be off; ``parts_at`` allows for it.
    log_state_energy : float or None
        Of a diagonal recurrence: log of the energy of its state at the last depth when every
        unit has a white input of unit variance (`sigprop.recurrences.from_layer`).
    gain : float
        Root of ``gain_squared``, within the float range also where the square is not.

    Examples
    --------
    >>> import numpy as np
    >>> from sigprop.auditing import audit
    >>> (tensor,) = audit(2.0 * np.eye(4), depths=[1, 8]).tensors
    >>> tensor.spectral_radius, tensor.shape
    (2.0, (4, 4))
    """

    key: str
    block: str | None
    shape: tuple[int, ...]
    dtype: str
    gain_squared: float
    spectral_radius: float
    spectral_norm: float
    depths: tuple[int, ...]
    log_energy: tuple[float, ...]
    predicted_log_energy: tuple[float | None, ...]
    predicted_low: tuple[float | None, ...]
    predicted_high: tuple[float | None, ...]
    regime: str | None
    verdict: str
    not_covered: str
    kind: str
    field: str
    parts_at: int | None
    log_gain_squared: float
    mean_entry: tuple[float, float] | None
    departure_from_normality: float
    numerical_abscissa: float | None
    stored_shape: tuple[int, ...]
    predicted_error: tuple[float | None, ...]
    log_state_energy: float | None
    gain: float

    @property
    def name(self) -> str:
        """The key, and the gate if there are several."""
        return self.key if self.block is None else f"{self.key} [{self.block}]"

    def to_dict(self) -> dict[str, Any]:
        """Return strict JSON data: the logarithm of 0 and what is not finite are None."""
        return {name: _strict(value) for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> TensorAudit:
        """Rebuild the record from `to_dict`."""
        values = {field.name: _untied(field.name, data[field.name]) for field in fields(cls)}
        if data["kind"] == "diagonal":
            values["numerical_abscissa"] = None
        return cls(**values)

    def to_text(self) -> str:
        """Return the record for a person: measures, profile, verdict."""
        shape = " x ".join(map(str, self.shape))
        lines = [
            f"{self.name}: {self.kind} {shape}, {self.dtype}",
            *(f"  {label:<25} {value}" for label, value in self._measures()),
            "",
            *_profile_lines(self),
            *_mean_note(self),
            "",
            _paragraph(self.verdict),
            _paragraph(f"Covers {self.not_covered}."),
        ]
        return "\n".join(lines)

    def _measures(self) -> list[tuple[str, str]]:
        gain_squared = as_text(self.log_gain_squared, digits=6)
        gain = as_text(self.log_gain_squared / 2.0, digits=6)
        square = "mean |lambda|^2" if self.kind == "diagonal" else "gain^2 = n mean |W|^2"
        lines = [
            (square, f"{gain_squared} (gain {gain})"),
            ("spectral radius, norm", f"{self.spectral_radius:.6g}, {self.spectral_norm:.6g}"),
        ]
        if self.mean_entry is None or self.numerical_abscissa is None:
            return lines
        mean = complex(*self.mean_entry)
        return [
            *lines,
            ("mean entry", f"{mean.real:.3g}" if mean.imag == 0.0 else f"{mean:.3g}"),
            ("departure from normality", f"{self.departure_from_normality:.3g} (0 to 1)"),
            ("numerical abscissa", f"{self.numerical_abscissa:.6g}"),
            ("regime", f"{self.regime} at depth {self.depths[-1]}"),
        ]


@dataclass(frozen=True)
class Audit:
    """The audits of all matrices looked at.

    Attributes
    ----------
    tensors : tuple of TensorAudit
        One for each matrix: gates and members of a stack apart.

    Examples
    --------
    >>> import numpy as np
    >>> from sigprop.auditing import audit
    >>> report = audit(np.eye(4), depths=[1, 8])
    >>> len(report.tensors), sorted(report.to_dict())
    (1, ['tensors'])
    """

    tensors: tuple[TensorAudit, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return strict JSON data."""
        return {"tensors": [tensor.to_dict() for tensor in self.tensors]}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Audit:
        """Rebuild the audit from `to_dict`."""
        return cls(tuple(TensorAudit.from_dict(item) for item in data["tensors"]))

    def to_text(self) -> str:
        """Return the audit for a person."""
        return "\n\n".join(tensor.to_text() for tensor in self.tensors)


def _profile_lines(audit: TensorAudit) -> list[str]:
    """Depths in rows: log energy measured, mean and band predicted, and a mark outside it."""
    columns = zip(
        audit.depths,
        audit.log_energy,
        audit.predicted_log_energy,
        audit.predicted_low,
        audit.predicted_high,
        strict=True,
    )
    header = ("depth", "log energy", "predicted mean", "5 %", "95 %")
    rows = [(str(depth), *map(_number, values)) for depth, *values in columns]
    if audit.kind == "diagonal":
        header, rows = header[:2], [row[:2] for row in rows]  # type: ignore[assignment]
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    return [
        "  " + "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in [header, *rows]
    ]


def _mean_note(audit: TensorAudit) -> list[str]:
    """Return a line where the mean lies beyond the band and might be taken for typical."""
    pairs = zip(audit.predicted_log_energy, audit.predicted_high, strict=True)
    if any(mean is not None and high is not None and mean > high for mean, high in pairs):
        return ["  The predicted mean is above its band where rare draws carry it."]
    return []


def _paragraph(text: str) -> str:
    return textwrap.fill(
        text, 98, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
    )


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.6g}"


def _strict(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_strict(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _untied(name: str, value: Any) -> Any:
    """Give lists and nulls of JSON their meaning back."""
    if isinstance(value, list):
        return tuple(_untied(name, item) for item in value)
    if value is None and name in _NULL_MEANS:
        return _NULL_MEANS[name]
    return math.inf if value is None and name in _BEYOND_RANGE else value
