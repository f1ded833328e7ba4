"""Tables and documents of simulated cells: CSV, pandas, parquet, strict JSON."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

from sigprop._digits import integer_text
from sigprop._files import write_file
from sigprop.montecarlo.cell import Cell

if TYPE_CHECKING:
    import pandas as pd

_LARGEST_JSON_INTEGER = 2**53

TABLE_SUFFIXES = (".csv", ".parquet")


def csv_text(cells: Sequence[Cell]) -> str:
    """Return one line for each cell under a line of names; "" stands for null.

    Parameters
    ----------
    cells : sequence of Cell
        At least one. The columns are the keys of their JSON records.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_columns())
    writer.writerows([strict(cell.to_dict()).values() for cell in cells])
    return text.getvalue()


def data_frame(cells: Sequence[Cell]) -> pd.DataFrame:
    """Return the cells as a pandas DataFrame, one row each, with the same dtypes for any cells.

    Numbers that are not available are NaN, energies that overflow are inf. Integers beyond
    2**53 (long seeds) make their column text.

    Raises
    ------
    ImportError
        If pandas is missing.
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError(
            "a DataFrame needs pandas: install sigprop[tables], or write CSV"
        ) from error
    hints = get_type_hints(Cell)
    columns = {}
    for name in _columns():
        values, dtype = _typed([getattr(cell, name) for cell in cells], hints[name])
        columns[name] = pd.Series(values, dtype=dtype)
    return pd.DataFrame(columns)


def parquet_bytes(cells: Sequence[Cell]) -> bytes:
    """Return the content of a parquet file with the DataFrame of the cells.

    Raises
    ------
    ImportError
        If pandas or pyarrow is missing.
    """
    frame = data_frame(cells)
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "parquet needs pyarrow: install sigprop[parquet], or write CSV"
        ) from error
    buffer = io.BytesIO()
    frame.to_parquet(buffer, engine="pyarrow", index=False)
    return buffer.getvalue()


def write_table(path: str | os.PathLike[str], cells: Sequence[Cell]) -> None:
    """Write the cells as CSV or parquet, as the suffix of the path says; whole or not at all.

    Raises
    ------
    ValueError
        If the suffix is neither ``.csv`` nor ``.parquet``.
    ImportError
        If parquet is wanted and pandas or pyarrow is missing.
    OSError
        If the file cannot be written; an earlier one is then unchanged.
    """
    suffix = Path(path).suffix.lower()
    if suffix == ".csv":
        write_file(path, csv_text(cells))
    elif suffix == ".parquet":
        write_file(path, parquet_bytes(cells))
    else:
        raise ValueError(f"path must end in {' or '.join(TABLE_SUFFIXES)}, got {str(path)!r}")


def json_text(document: Mapping[str, Any]) -> str:
    """Return strict JSON: not-finite floats are null, integers beyond 2**53 are strings."""
    return json.dumps(strict(document), indent=2, allow_nan=False) + "\n"


def strict(value: Any) -> Any:
    """Return the value with None for floats that are not finite and text for long integers."""
    if isinstance(value, Mapping):
        return {key: strict(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [strict(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, int) and abs(value) > _LARGEST_JSON_INTEGER:
        return integer_text(value)
    return value


def _columns() -> list[str]:
    return [field.name for field in fields(Cell)]


def _typed(values: list[Any], hint: Any) -> tuple[list[Any], str]:
    """Return the values of one column and its dtype, which does not depend on missing ones."""
    kinds = set(getattr(hint, "__args__", (hint,))) - {type(None)}
    if kinds == {bool}:
        return values, "bool"
    if float in kinds:
        return [math.nan if value is None else float(value) for value in values], "float64"
    if kinds == {int} and None not in values:
        if max(map(abs, values), default=0) <= _LARGEST_JSON_INTEGER:
            return values, "int64"
        return [integer_text(value) for value in values], "string"
    return values, "string"
