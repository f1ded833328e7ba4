"""What tells a symbolic width from a number."""

from __future__ import annotations

from typing import Any


def is_symbolic(n: Any) -> bool:
    """Tell a SymPy expression with free symbols from a number, without importing SymPy.

    Examples
    --------
    >>> import sympy
    >>> is_symbolic(sympy.Symbol("n")), is_symbolic(5)
    (True, False)
    """
    return bool(getattr(n, "free_symbols", False))
