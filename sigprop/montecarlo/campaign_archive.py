"""The archive of a campaign: from energies per unit to the total squared norms of the schema."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sigprop._arguments import as_choice, as_positive_float
from sigprop.montecarlo.archive import CHOICES, OBSERVABLE, SCHEMA_VERSION, Archive
from sigprop.montecarlo.campaign_cell import CampaignCell
from sigprop.montecarlo.campaign_result import CampaignResult
from sigprop.montecarlo.provenance import package_version
from sigprop.montecarlo.streams import CHUNK
from sigprop.montecarlo.sums import EnergySums
from sigprop.recurrences import GaussianLRU, GaussianRNN, Recurrence
from sigprop.recurrences.activations import DEFAULT_SLOPE

FloatArray = npt.NDArray[np.float64]

_LARGEST_LOG = math.log(np.finfo(float).max)

_CONSTANT = {
    "observable": OBSERVABLE,
    "schema_version": SCHEMA_VERSION,
    "backend": "numpy",
}

_ARITHMETIC = {"float64": "float64/complex128", "float32": "float32/complex64"}

_SPHERE = ("random_isotropic", "random_unit")


def archive_of(
    result: CampaignResult,
    x_mode: str | None = None,
    initial_norm: float = 1.0,
    **settings: Any,
) -> Archive:
    """Return the archive of a campaign over widths and depths of one recurrence.

    Parameters
    ----------
    result : CampaignResult
        With its log energies. Its cells differ in width and depth only.
    x_mode : {"random_isotropic", "random_unit", "e1"}, optional
        How the start of an RNN, or one input of an LRU, is written; by default the first
        that describes it, in this order. Where the energies have the same law for every
        start of the same norm (linear units, fresh weights) that is any of the three;
        rectified units with one W and spherical inputs have only their own. Totals are
        n E for "random_isotropic" and for Gaussian inputs (of x_mode "e1"), else E.
    initial_norm : float, optional
        Factor > 0 on the start or the inputs; the totals are larger by its square. It is 1
        for Gaussian inputs.
    **settings
        Entries of the archive to be written instead of those derived.

    Raises
    ------
    ValueError
        If the result holds more than one experiment or no log energies, if the schema has
        no entry for the recurrence (Gaussian starts, AR(1) inputs) or ``x_mode`` does not
        describe it, if a total overflows, or the seed does not fit into 64 bits.

    Notes
    -----
    The schema has one error bar, that of the sample. It is written for every row, also
    where the sample cannot see the tail and `Cell.trustworthy` is False.

    Examples
    --------
    >>> from sigprop.montecarlo.campaign import Campaign
    >>> from sigprop.recurrences import GaussianRNN
    >>> campaign = Campaign.grid([GaussianRNN(16), GaussianRNN(25)], 100, 1, c=[0.0, 1.0])
    >>> archive = archive_of(campaign.run())
    >>> archive.width, archive.mean[:1], archive.energy[:1]
    (array([16, 16, 25, 25]), array([16.]), array([1.]))
    """
    campaign = result.campaign
    if campaign is None or not result.log_energies:
        raise ValueError("result must hold its log energies, which JSON does not keep")
    described = _experiment(campaign.cells, x_mode)
    samples = {campaign.samples_of(cell) for cell in campaign.cells}
    if len(samples) > 1:
        raise ValueError(f"cells must have one number of samples, got {sorted(samples)}")
    norm = as_positive_float("initial_norm", initial_norm)
    gaussian = described["lru_inputs"] == "gaussian"
    if gaussian and norm != 1.0:
        raise ValueError(f"initial_norm must be 1 for Gaussian inputs, got {norm!r}")
    if norm * norm == 0.0:
        raise ValueError(f"initial_norm must be at least 1e-161, got {norm!r}: its square is 0")
    per_unit = gaussian or described["x_mode"] == "random_isotropic"
    rows = _rows(campaign.cells, result.log_energies, norm, per_unit)
    count = samples.pop()
    widths = rows["width"]
    entries = {
        **rows,
        "se": rows["std"] / math.sqrt(count),
        "c_eff": rows["depth"] / np.sqrt(widths),
        "initial_norm": norm,
        "n_values": np.array(list(dict.fromkeys(widths.tolist()))),
        "c_values": np.unique(rows["depth"] / np.sqrt(widths)),
        "num_samples": count,
        "chunk_size": CHUNK,
        "seed": campaign.seed,
        "rng_scheme": f"sigprop {package_version()}: seed, hash of cell, chunk",
        **_CONSTANT,
        **described,
    }
    return Archive(**(entries | settings))


def _experiment(cells: Sequence[CampaignCell], x_mode: str | None) -> dict[str, Any]:
    """Return the entries that describe the recurrence, which all cells must share."""
    found = [_description(cell.recurrence, x_mode) for cell in cells]
    for cell, other in zip(cells, found, strict=True):
        if other != found[0]:
            raise ValueError(
                "an archive holds one experiment, cells that differ in width and depth only; "
                f"got {cells[0]} and {cell}"
            )
    return found[0]


def _description(recurrence: Recurrence, x_mode: str | None) -> dict[str, Any]:
    """Return the entries that describe a recurrence."""
    # Subclasses may draw or step otherwise: only these two are known to be what is written.
    if type(recurrence) is GaussianRNN:
        described = _rnn_entries(recurrence, x_mode)
    elif type(recurrence) is GaussianLRU:
        described = _lru_entries(recurrence, x_mode)
    else:
        raise ValueError(f"the archive's schema has no entry for {recurrence!r}")
    isotropic = described["x_mode"] == "random_isotropic"
    return described | {
        "ensemble": recurrence.field,
        "model": recurrence.model,
        "weight_tying": "tied" if recurrence.tied else "untied",
        "weight_scale": recurrence.weight_scale,
        "initial_norm_scaling": "sqrt_width" if isotropic else "constant",
        "arithmetic": _ARITHMETIC[recurrence.dtype],
    }


def _rnn_entries(rnn: GaussianRNN, x_mode: str | None) -> dict[str, Any]:
    """Return activation and start."""
    if rnn.start == "gaussian":
        raise ValueError(f"the archive's schema has no entry for the start of {rnn!r}")
    if rnn.activation == "linear" or not rnn.tied:
        mode = _mode(rnn, x_mode, (*_SPHERE, "e1"))
    else:
        mode = _mode(rnn, x_mode, ("e1",) if rnn.start == "fixed" else _SPHERE)
    return {
        "activation": rnn.activation,
        "alpha": rnn.slope,
        "x_mode": mode,
        "lru_inputs": "unit",
        "input_distribution": mode,
    }


def _lru_entries(lru: GaussianLRU, x_mode: str | None) -> dict[str, Any]:
    """Return the law of the inputs."""
    vectors = lru.input_vectors
    modes: tuple[str, ...] = ("e1",)
    if lru.inputs == "white" and vectors != "sphere":
        field = "real" if vectors == "real_gaussian" else lru.field
        kind, law = "gaussian", f"independent {field} N(0,I) per step"
    elif lru.inputs == "white":
        kind, modes, law = "unit", _SPHERE, "independent per step, uniform on the sphere"
    elif lru.inputs == "constant" and vectors in ("fixed", "sphere"):
        # W has the same law in every basis, so one direction for all steps may be e_1.
        kind, law = "unit", "e1 at every step"
    else:
        raise ValueError(f"the archive's schema has no entry for the inputs of {lru!r}")
    return {
        "activation": "linear",
        "alpha": DEFAULT_SLOPE,
        "x_mode": _mode(lru, x_mode, modes),
        "lru_inputs": kind,
        "input_distribution": law,
    }


def _mode(recurrence: Recurrence, x_mode: str | None, described: tuple[str, ...]) -> str:
    """Return the x_mode asked for, which must describe the recurrence, or the first that does."""
    if x_mode is None:
        return described[0]
    mode = as_choice("x_mode", x_mode, CHOICES["x_mode"])
    if mode not in described:
        options = " or ".join(repr(option) for option in described)
        raise ValueError(f"x_mode must be {options} for {recurrence!r}, got {mode!r}")
    return mode


def _rows(
    cells: Sequence[CampaignCell],
    log_energies: Sequence[FloatArray],
    norm: float,
    per_unit: bool,
) -> dict[str, Any]:
    """Return width, depth, input energy, and mean and std of the totals, row by row."""
    rows = []
    for cell, values in zip(cells, log_energies, strict=True):
        width = cell.recurrence.width
        energy = norm * norm * (width if per_unit else 1)
        for depth, column in zip(cell.depths, values.T, strict=True):
            sums = EnergySums.of(column)
            deviation = sums.relative_deviation or 0.0
            log_total = sums.log_mean_energy + math.log(energy)
            if log_total + math.log1p(deviation) > _LARGEST_LOG:
                raise ValueError(
                    f"the total squared norm at width {width}, depth {depth} overflows float64, "
                    "and the archive has no logarithms"
                )
            # Below 1 the input energy may bring an energy that overflows back into range.
            mean = math.exp(log_total) if energy < 1.0 else energy * math.exp(sums.log_mean_energy)
            rows.append((width, depth, energy, mean, mean * deviation))
    widths, depths, energies, means, deviations = zip(*rows, strict=True)
    return {
        "width": np.array(widths),
        "depth": np.array(depths),
        "initial_energy": np.array(energies, dtype=np.float64),
        "mean": np.array(means),
        "std": np.array(deviations),
    }
