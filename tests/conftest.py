"""Settings of the whole suite."""

from __future__ import annotations

import pytest
from hypothesis import settings

# The same examples at every run, and no deadline: the suite must not depend on the machine.
settings.register_profile("sigprop", derandomize=True, deadline=None, database=None)
settings.load_profile("sigprop")

SLOW_CASES = (
    # Cases of tests whose other cases are quick: over ten seconds each on two busy cores.
    "tests/theory/test_energy.py::test_gain_against_exact_rationals[256-700-0.9]",
    "tests/theory/test_energy.py::test_gain_against_exact_rationals[256-700-0.999]",
    "tests/theory/test_energy.py::test_gain_against_exact_rationals[256-700-1.1]",
    "tests/theory/test_certified.py::test_lru_rationals_are_inside[mpmath]",
    "tests/theory/test_certified_real.py::test_depths_of_thousands[mpmath]",
    "tests/montecarlo/test_exact_error_bars.py::test_intervals_cover_as_often_as_they_say[256-1.0-",
    (
        "tests/montecarlo/test_exact_error_bars.py::test_thirty_cells_within_four_exact_standard_errors"
        "[lru-direct]"
    ),
    "tests/montecarlo/test_importance.py::test_outside_its_range_the_method_fails[60-10-600]",
    (
        "tests/montecarlo/test_importance.py::test_tail_probabilities_agree_with_plain_simulation"
        "[complex-7.0]"
    ),
    (
        "tests/montecarlo/test_simulation.py::TestImportance::test_asked_for_plainly_the_cell_is_flagged"
        "[direct]"
    ),
    "tests/montecarlo/test_simulation.py::TestFlag::test_super_critical_and_sub_critical[GaussianLRU]",
    "tests/recurrences/test_s4d.py::TestHighPrecision::test_constant_inputs[3000-bilinear]",
    "tests/cli/test_cli_simulate.py::TestText::test_text_and_json_flag_the_same[direct-64-64-2000-",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the slow cases."""
    for item in items:
        if item.nodeid.startswith(SLOW_CASES):
            item.add_marker(pytest.mark.slow)
