"""Run the command line with ``python -m sigprop``."""

from __future__ import annotations

import sys

from sigprop.cli import main

if __name__ == "__main__":
    sys.exit(main())
