"""How commands print: strict JSON, aligned tables, progress on a terminal."""

from __future__ import annotations

import contextlib
import json
import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sigprop._digits import integer_text

Progress = Callable[[int, int], None]

_LARGEST_JSON_INTEGER = 2**53
_BAR = 30


def json_text(document: Mapping[str, Any]) -> str:
    """Return strict JSON: not-finite floats are null, integers beyond 2**53 are strings.

    Readers that hold every JSON number as a double (RFC 7493) would change a
    longer integer without a word.
    """
    return json.dumps(_strict(document), indent=2, allow_nan=False)


def _strict(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _strict(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_strict(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, int) and abs(value) > _LARGEST_JSON_INTEGER:
        return integer_text(value)
    return value


def table_text(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return rows of text as columns aligned to the right under their names."""
    widths = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]
    lines = (
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in [columns, *rows]
    )
    return "\n".join(lines)


def labelled_text(lines: Sequence[tuple[str, str]]) -> str:
    """Return indented lines of a label and a text; an empty label continues the last one."""
    width = max(len(label) for label, _ in lines)
    return "\n".join(f"  {label:<{width}}  {text}" for label, text in lines)


@contextlib.contextmanager
def naming(**options: object) -> Iterator[None]:
    """Put options and their values before the message of a ValueError of the library."""
    try:
        yield
    except ValueError as error:
        given = " ".join(f"--{name} {value}" for name, value in options.items())
        raise ValueError(f"{given}: {error}") from error


def note(message: str) -> None:
    """Print a remark for a person, outside the data, on standard error."""
    print(f"note: {message}", file=sys.stderr)


@contextlib.contextmanager
def progress_bar(label: str, resumes: bool = False) -> Iterator[Progress | None]:
    """Give a callback (done, total) that draws on a terminal, or None elsewhere.

    With ``resumes`` the first call tells what was done before: the time left is reckoned
    without it.
    """
    if not sys.stderr.isatty():
        yield None
        return
    try:
        from tqdm import tqdm
    except ImportError:
        yield _plain_bar(label, resumes)
        print(file=sys.stderr)
        return
    with tqdm(desc=label, unit="step", leave=False) as bar:
        called = False

        def advance(done: int, total: int) -> None:
            nonlocal called
            if resumes and not called:
                bar.reset(total)
                bar.initial = bar.n = bar.last_print_n = done
            called = True
            bar.total = total
            bar.update(done - bar.n)

        yield advance


def _plain_bar(label: str, resumes: bool) -> Progress:
    """Return a callback that redraws one line: share done and time left."""
    start = time.monotonic()
    before = None if resumes else 0

    def advance(done: int, total: int) -> None:
        nonlocal before, start
        if before is None:
            before, start = done, time.monotonic()
        filled = _BAR * done // max(total, 1)
        elapsed = time.monotonic() - start
        left = elapsed * (total - done) / (done - before) if done > before else math.nan
        remaining = f"{left:.0f} s left" if math.isfinite(left) else ""
        bar = "#" * filled + "." * (_BAR - filled)
        print(f"\r{label} [{bar}] {done}/{total} {remaining:<12}", end="", file=sys.stderr)

    return advance
