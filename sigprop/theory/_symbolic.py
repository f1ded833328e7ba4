"""What tells a symbolic width from a number."""

from __future__ import annotations

from typing import Any


def is_symbolic(n: Any) -> bool:
    """Tell a SymPy expression with free symbols from a number, without importing SymPy."""
    return bool(getattr(n, "free_symbols", False))
