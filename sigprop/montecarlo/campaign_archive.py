"""The archive of a campaign: from energies per unit to the total squared norms of the schema."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sigprop._arguments import as_choice
from sigprop.montecarlo.archive import CHOICES, OBSERVABLE, SCHEMA_VERSION, Archive
from sigprop.montecarlo.campaign_cell import CampaignCell
from sigprop.montecarlo.campaign_result import CampaignResult
from sigprop.montecarlo.provenance import package_version
from sigprop.montecarlo.streams import CHUNK
from sigprop.montecarlo.sums import EnergySums
from sigprop.recurrences import GaussianLRU, GaussianRNN, Recurrence

FloatArray = npt.NDArray[np.float64]

_LARGEST_LOG = math.log(np.finfo(float).max)

_CONSTANT = {
    "alpha": 0.5,
    "initial_norm": 1.0,
    "observable": OBSERVABLE,
    "schema_version": SCHEMA_VERSION,
    "backend": "numpy",
    "arithmetic": "float64/complex128",
}


def archive_of(
    result: CampaignResult, x_mode: str = "random_isotropic", **settings: Any
) -> Archive:
    """Return the archive of a campaign over widths and depths of one recurrence.

    Parameters
    ----------
    result : CampaignResult
        With its log energies. Its cells differ in width and depth only.
    x_mode : {"random_isotropic", "random_unit", "e1"}
        How the start of an RNN is written. Its energies have the same law for every
        start of the same norm, so radius sqrt(n) is "random_isotropic" with totals n E,
        and the unit vectors have totals E. An LRU has Gaussian inputs and totals n E.
    **settings
        Entries of the archive to be written instead of those derived.

    Raises
    ------
    ValueError
        If the result holds more than one experiment or no log energies, if a total
        overflows, or the seed does not fit into 64 bits.

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
    of_rnn = described["lru_inputs"] == "unit"
    isotropic = not of_rnn or x_mode == "random_isotropic"
    rows = _rows(campaign.cells, result.log_energies, isotropic)
    count = samples.pop()
    widths = rows["width"]
    entries = {
        **rows,
        "se": rows["std"] / math.sqrt(count),
        "c_eff": rows["depth"] / np.sqrt(widths),
        "initial_energy": widths.astype(float) if isotropic else np.ones(widths.size),
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


def _experiment(cells: Sequence[CampaignCell], x_mode: str) -> dict[str, Any]:
    """Return the entries that describe the recurrence, which all cells must share."""
    found = [_description(cell.recurrence, x_mode) for cell in cells]
    for cell, other in zip(cells, found, strict=True):
        if other != found[0]:
            raise ValueError(
                "an archive holds one experiment, cells that differ in width and depth only; "
                f"got {cells[0]} and {cell}"
            )
    return found[0]


def _description(recurrence: Recurrence, x_mode: str) -> dict[str, Any]:
    """Return the entries that describe a recurrence."""
    # Subclasses may draw or step otherwise: only these two are known to be what is written.
    if type(recurrence) not in (GaussianRNN, GaussianLRU):
        raise ValueError(f"the archive's schema has no entry for {recurrence!r}")
    described: dict[str, Any] = {
        "ensemble": recurrence.field,
        "model": recurrence.model,
        "activation": "linear",
        "weight_tying": "tied",
        "weight_scale": recurrence.gain,
    }
    if type(recurrence) is GaussianLRU:
        return described | {
            "x_mode": "e1",
            "initial_norm_scaling": "constant",
            "lru_inputs": "gaussian",
            "input_distribution": f"independent {recurrence.field} N(0,I) per step",
        }
    return described | {
        "x_mode": as_choice("x_mode", x_mode, CHOICES["x_mode"]),
        "initial_norm_scaling": "sqrt_width" if x_mode == "random_isotropic" else "constant",
        "lru_inputs": "unit",
        "input_distribution": x_mode,
    }


def _rows(
    cells: Sequence[CampaignCell], log_energies: Sequence[FloatArray], isotropic: bool
) -> dict[str, Any]:
    """Return width, depth, mean and std of the totals of every cell and depth."""
    rows = []
    for cell, values in zip(cells, log_energies, strict=True):
        width = cell.recurrence.width
        energy = width if isotropic else 1
        for depth, column in zip(cell.depths, values.T, strict=True):
            sums = EnergySums.of(column)
            deviation = sums.relative_deviation or 0.0
            log_total = sums.log_mean_energy + math.log(energy)
            if log_total + math.log1p(deviation) > _LARGEST_LOG:
                raise ValueError(
                    f"the total squared norm at width {width}, depth {depth} overflows float64, "
                    "and the archive has no logarithms"
                )
            mean = energy * math.exp(sums.log_mean_energy)
            rows.append((width, depth, mean, mean * deviation))
    widths, depths, means, deviations = zip(*rows, strict=True)
    return {
        "width": np.array(widths),
        "depth": np.array(depths),
        "mean": np.array(means),
        "std": np.array(deviations),
    }
