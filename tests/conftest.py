"""Settings of the whole suite."""

from __future__ import annotations

from hypothesis import settings

# The same examples at every run, and no deadline: the suite must not depend on the machine.
settings.register_profile("sigprop", derandomize=True, deadline=None, database=None)
settings.load_profile("sigprop")
