"""What is collected where PyTorch, an optional extra, is not installed."""

from __future__ import annotations

import importlib.util

collect_ignore = []
if importlib.util.find_spec("torch") is None:
    collect_ignore += ["sigprop/torch", "notebooks/04_is_my_init_safe.ipynb"]
