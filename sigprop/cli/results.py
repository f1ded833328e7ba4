"""Files that ``sigprop simulate`` writes, and what can be found wrong with them before the work."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sigprop._files import check_writable, write_file

if TYPE_CHECKING:
    from sigprop.montecarlo import Campaign, Cell

SUFFIXES = (".json", ".csv", ".parquet", ".npz")


@dataclass(frozen=True)
class Simulated:
    """Cells of which some were simulated by importance sampling, outside a campaign."""

    cells: Sequence[Cell]

    def write(self, path: str) -> None:
        """Write the cells as JSON, CSV or parquet, as the suffix says; whole or not at all."""
        from sigprop.montecarlo import tables
        from sigprop.montecarlo.provenance import provenance

        if suffix_of(path) == ".json":
            records = [cell.to_dict() for cell in self.cells]
            document = {"cells": records, "provenance": provenance()}
            write_file(path, tables.json_text(document))
        else:
            tables.write_table(path, self.cells)


def suffix_of(path: str | None) -> str:
    """Return the suffix of a path in lower case, "" without a path."""
    return "" if path is None else Path(path).suffix.lower()


def check_names(output: str | None, store: str | None) -> None:
    """Raise ValueError if the files cannot be what the options say."""
    if output is None:
        return
    if suffix_of(output) not in SUFFIXES:
        raise ValueError(f"--output must end in {', '.join(SUFFIXES)}, got {output!r}")
    if store is not None and os.path.realpath(store) == os.path.realpath(output):
        raise ValueError(f"--output and --store are the same file, {output!r}")


def check_output(path: str, campaign: Campaign | None) -> None:
    """Raise ValueError or OSError if the result of a campaign could not be written."""
    if suffix_of(path) == ".parquet":
        try:
            import pandas  # noqa: F401
            import pyarrow  # noqa: F401
        except ImportError as error:
            raise ValueError(
                "--output to parquet needs pandas and pyarrow: install sigprop[parquet]"
            ) from error
    if suffix_of(path) == ".npz" and campaign is not None:
        _check_archive(campaign)
    check_writable(path)


def _check_archive(campaign: Campaign) -> None:
    """Raise ValueError if an archive cannot hold the campaign: try with energies of 1."""
    from sigprop.montecarlo import CampaignResult
    from sigprop.montecarlo.campaign_archive import archive_of

    now = datetime.now(UTC)
    log_energies = tuple(np.zeros((2, len(cell.depths))) for cell in campaign.cells)
    try:
        archive_of(CampaignResult((), {}, {}, now, now, campaign, log_energies))
    except ValueError as error:
        raise ValueError(f"--output to npz: {error}") from error
