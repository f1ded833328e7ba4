"""What a campaign returns: its cells, what made them, and how to keep them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sigprop._files import write_file
from sigprop.montecarlo import tables
from sigprop.montecarlo.cell import Cell, cell_of
from sigprop.montecarlo.provenance import provenance
from sigprop.montecarlo.store import LAW_VERSION
from sigprop.montecarlo.streams import CHUNK

if TYPE_CHECKING:
    import pandas as pd

    from sigprop.montecarlo.campaign import Campaign, CampaignCell

FloatArray = npt.NDArray[np.float64]

_FORMAT = "sigprop campaign"
_VERSION = 1


@dataclass(frozen=True)
class CampaignResult:
    """The cells of a campaign, with everything needed to make them again.

    Attributes
    ----------
    cells : tuple of Cell
        One for each cell of the campaign and each of its depths, in that order.
    settings : dict
        What was asked for: ``seed``, ``samples``, ``law`` and ``chunk`` (version of the
        random numbers) and ``cells``. The same settings give the same cells.
    provenance : dict of str
        What computed it: versions and platform (`sigprop.montecarlo.provenance.provenance`).
    started, finished : datetime
        When the last run on it began and ended.
    campaign : Campaign or None
        The campaign; None if the result was read from JSON.
    log_energies : tuple of ndarray
        For each cell of the campaign its log energies, shape (samples, depths); empty if
        the result was read from JSON. Not compared by ``==``.

    Examples
    --------
    >>> from sigprop.montecarlo.campaign import Campaign
    >>> from sigprop.recurrences import GaussianRNN
    >>> result = Campaign([(GaussianRNN(16), [2, 4])], samples=300, seed=1).run()
    >>> [cell.depth for cell in result.cells], result.settings["samples"]
    ([2, 4], 300)
    """

    cells: tuple[Cell, ...]
    settings: Mapping[str, Any]
    provenance: Mapping[str, str] = field(compare=False)
    started: datetime = field(compare=False)
    finished: datetime = field(compare=False)
    campaign: Campaign | None = field(default=None, compare=False, repr=False)
    log_energies: tuple[FloatArray, ...] = field(default=(), compare=False, repr=False)

    @classmethod
    def of(
        cls,
        campaign: Campaign,
        log_energies: Sequence[FloatArray],
        started: datetime,
        finished: datetime,
    ) -> CampaignResult:
        """Return the result of a campaign from the log energies of its cells."""
        cells = [
            cell
            for item, values in zip(campaign.cells, log_energies, strict=True)
            for cell in _cells(item, values, campaign.seed)
        ]
        return cls(
            cells=tuple(cells),
            settings=_settings(campaign),
            provenance=provenance(),
            started=started,
            finished=finished,
            campaign=campaign,
            log_energies=tuple(log_energies),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return a strict JSON document.

        ``settings`` and ``cells`` are the same for every run of the campaign;
        ``provenance`` and ``times`` are those of this one.
        """
        document: dict[str, Any] = tables.strict(
            {
                "format": _FORMAT,
                "version": _VERSION,
                "settings": self.settings,
                "cells": [cell.to_dict() for cell in self.cells],
                "provenance": self.provenance,
                "times": {
                    "started": self.started.isoformat(),
                    "finished": self.finished.isoformat(),
                },
            }
        )
        return document

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> CampaignResult:
        """Return the result of a document made by `to_dict`, without log energies.

        Raises
        ------
        ValueError
            If it is not such a document.
        """
        if document.get("format") != _FORMAT or document.get("version") != _VERSION:
            raise ValueError(
                f"document is not a {_FORMAT} of version {_VERSION}: format "
                f"{document.get('format')!r}, version {document.get('version')!r}"
            )
        try:
            settings = dict(document["settings"])
            return cls(
                cells=tuple(Cell.from_dict(record) for record in document["cells"]),
                settings=settings | {"seed": int(settings["seed"])},
                provenance=dict(document["provenance"]),
                started=datetime.fromisoformat(document["times"]["started"]),
                finished=datetime.fromisoformat(document["times"]["finished"]),
            )
        except (KeyError, TypeError) as error:
            raise ValueError(f"document is not a {_FORMAT}: {error!r}") from error

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> CampaignResult:
        """Return the result in a JSON file made by `write`.

        Raises
        ------
        ValueError
            If the file is not such a file, or truncated.
        OSError
            If it cannot be read.
        """
        try:
            document = json.loads(Path(path).read_text(encoding="utf-8"))
            if not isinstance(document, dict):
                raise ValueError("the top level is not an object")
            return cls.from_dict(document)
        except ValueError as error:  # what json and UTF-8 raise are ValueErrors too
            raise ValueError(f"{path} holds no campaign result: {error}") from error

    def to_csv(self) -> str:
        """Return the cells as comma-separated values, "" for null."""
        return tables.csv_text(self.cells)

    def to_frame(self) -> pd.DataFrame:
        """Return the cells as a pandas DataFrame; ImportError if pandas is missing."""
        return tables.data_frame(self.cells)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the result, as the suffix of the path says; whole or not at all.

        ``.json`` is everything but the log energies; ``.csv`` and ``.parquet`` are the table
        of the cells; ``.npz`` is the archive of `sigprop.montecarlo.campaign_archive.archive_of`.

        Raises
        ------
        ValueError
            If the suffix is another one, or the archive cannot hold the result.
        ImportError
            If parquet is wanted and pandas or pyarrow is missing.
        OSError
            If the file cannot be written; an earlier one is then unchanged.
        """
        suffix = Path(path).suffix.lower()
        if suffix == ".json":
            write_file(path, tables.json_text(self.to_dict()))
        elif suffix == ".npz":
            from sigprop.montecarlo.campaign_archive import archive_of

            archive_of(self).write(path)
        elif suffix in tables.TABLE_SUFFIXES:
            tables.write_table(path, self.cells)
        else:
            raise ValueError(f"path must end in .json, .csv, .parquet or .npz, got {str(path)!r}")


def _cells(item: CampaignCell, log_energies: FloatArray, seed: int) -> list[Cell]:
    return [
        cell_of(item.recurrence, depth, column, item.method, seed)
        for depth, column in zip(item.depths, log_energies.T, strict=True)
    ]


def _settings(campaign: Campaign) -> dict[str, Any]:
    return {
        "seed": campaign.seed,
        "samples": campaign.samples,
        "law": LAW_VERSION,
        "chunk": CHUNK,
        "cells": [
            {
                "recurrence": repr(cell.recurrence),
                "model": cell.recurrence.model,
                "field": cell.recurrence.field,
                "gain": cell.recurrence.gain,
                "width": cell.recurrence.width,
                "depths": list(cell.depths),
                "method": cell.method,
                "samples": campaign.samples_of(cell),
                "key": cell.key,
            }
            for cell in campaign.cells
        ],
    }
