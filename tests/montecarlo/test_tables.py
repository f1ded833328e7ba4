"""Tables of cells: CSV, DataFrame, parquet, strict JSON; and what computed them."""

import csv
import io
import json
import math
import sys

import numpy as np
import pytest

import sigprop
from sigprop.montecarlo import simulate, tables
from sigprop.montecarlo.provenance import provenance
from sigprop.recurrences import GaussianLRU, GaussianRNN


@pytest.fixture(scope="module")
def cells():
    """Cells with and without theory, trusted and not, overflowing and not."""
    return [
        *simulate(GaussianRNN(16), [2, 40], 300, rng=1, method="direct").cells,
        *simulate(GaussianLRU(4, "real"), [3], 50, rng=1, method="direct").cells,
        *simulate(GaussianRNN(8, gain=1e200), [2], 50, rng=1, method="direct").cells,
    ]


def test_csv_has_the_records_of_the_cells(cells):
    rows = list(csv.DictReader(io.StringIO(tables.csv_text(cells))))
    assert len(rows) == 4
    for row, cell in zip(rows, cells, strict=True):
        record = cell.to_dict()
        assert list(row) == list(record)
        for name, value in record.items():
            assert row[name] == ("" if value is None else str(value))
    assert rows[3]["mean"] == ""  # it overflows


def test_frame(cells):
    pd = pytest.importorskip("pandas")
    frame = tables.data_frame(cells)
    assert list(frame.columns) == list(cells[0].to_dict())
    assert frame["width"].dtype == np.int64
    assert frame["trustworthy"].dtype == bool
    assert frame["mean"].tolist() == [cell.mean for cell in cells]
    assert frame["mean"].iloc[3] == math.inf
    assert frame["standard_error"].isna().tolist() == [
        cell.standard_error is None for cell in cells
    ]
    assert frame["reason"].iloc[1] == cells[1].reason
    assert pd.isna(frame["reason"].iloc[0])


def test_the_types_of_columns_do_not_depend_on_the_cells(cells):
    pytest.importorskip("pandas")
    expected = tables.data_frame(cells).dtypes
    for cell in cells:
        assert (tables.data_frame([cell]).dtypes == expected).all()


def test_long_seeds_are_text(tmp_path):
    pytest.importorskip("pandas")
    cells = simulate(GaussianRNN(2), [1], 20, rng=2**100, method="direct").cells
    assert tables.data_frame(cells)["seed"].tolist() == [str(2**100)]
    assert str(2**100) in tables.csv_text(cells)


def test_parquet_returns(cells, tmp_path):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    path = tmp_path / "cells.parquet"
    tables.write_table(path, cells)
    # pandas 3 reads text back with another marker of missing values: the dtype differs.
    expected = tables.data_frame(cells)
    pd.testing.assert_frame_equal(pd.read_parquet(path), expected, check_dtype=False)


@pytest.mark.parametrize(
    ("missing", "text"),
    [
        ("pandas", r"a DataFrame needs pandas: install sigprop\[tables\], or write CSV"),
        ("pyarrow", r"parquet needs pyarrow: install sigprop\[parquet\], or write CSV"),
    ],
)
def test_missing_packages_are_named(cells, tmp_path, monkeypatch, missing, text):
    if missing == "pyarrow":
        pytest.importorskip("pandas")
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ImportError, match=text):
        tables.write_table(tmp_path / "cells.parquet", cells)
    assert list(tmp_path.iterdir()) == []
    tables.write_table(tmp_path / "cells.csv", cells)


def test_other_suffixes(cells, tmp_path):
    with pytest.raises(ValueError, match=r"path must end in \.csv or \.parquet, got .*xlsx"):
        tables.write_table(tmp_path / "cells.xlsx", cells)


def test_unwritable_places(cells, tmp_path):
    with pytest.raises(OSError, match=r"cannot write .*none"):
        tables.write_table(tmp_path / "none" / "cells.csv", cells)


def test_json_is_strict():
    document = {"a": [math.nan, -math.inf, 2**53, 2**53 + 1, -(2**60)], "b": (True, None, "x")}
    assert json.loads(tables.json_text(document)) == {
        "a": [None, None, 2**53, str(2**53 + 1), str(-(2**60))],
        "b": [True, None, "x"],
    }


def test_provenance():
    record = provenance()
    assert record["sigprop"] == sigprop.__version__
    assert record["numpy"] == np.__version__
    assert record["python"] == ".".join(map(str, sys.version_info[:3]))
    assert all(isinstance(value, str) and value for value in record.values())
