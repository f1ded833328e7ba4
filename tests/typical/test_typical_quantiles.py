"""Quantiles of log E_k against simulated ones, and what the results promise."""

from __future__ import annotations

import json
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sigprop import log_rnn_energy
from sigprop.montecarlo import simulate_log_energies
from sigprop.typical import (
    EnergyQuantiles,
    energy_quantiles,
    exceedance,
    sampled,
    spectral_radius_quantiles,
)
from sigprop.typical.overlap_law import overlap_law
from sigprop.typical.stated_errors import law_error

REFERENCE = json.loads(
    (Path(__file__).parents[1] / "data" / "typical_quantiles.json").read_text(encoding="utf-8")
)
LEVELS = tuple(REFERENCE["p"])
FIELD = {"C": "complex", "R": "real"}
STANDARD_ERRORS = 3.0


def _name(cell: dict[str, Any]) -> str:
    return f"{cell['field']}-{cell['n']}-{cell['k']}"


def _worst(values: Any, errors: Any, cell: dict[str, Any]) -> float:
    """Return the largest deviation in units of what it may be."""
    deviation = np.abs(np.array(values) - cell["q"])
    allowed = np.array(errors) + STANDARD_ERRORS * np.array(cell["se"])
    return float((deviation / allowed).max())


def _quick(cell: dict[str, Any]) -> bool:
    """All complex cells take 1 s together, the small real ones 2 s, the other real ones 12 s."""
    return cell["field"] == "C" or cell["n"] <= 256 or cell["k"] == 48


def _marked(cell: dict[str, Any]) -> Any:
    marks = () if _quick(cell) else (pytest.mark.slow,)
    return pytest.param(cell, id=_name(cell), marks=marks)


def test_the_reference_is_what_the_tests_take_it_for() -> None:
    cells = REFERENCE["cells"]
    assert len(cells) == 60
    assert len({_name(cell) for cell in cells}) == 60
    assert LEVELS == (0.05, 0.25, 0.5, 0.75, 0.95)
    assert all(len(cell["q"]) == len(cell["se"]) == 5 for cell in cells)
    assert {cell["n"] for cell in cells} == {64, 256, 1024, 4096}


@pytest.mark.parametrize("cell", [_marked(cell) for cell in REFERENCE["cells"]])
def test_every_simulated_cell_within_the_stated_error(cell: dict[str, Any]) -> None:
    law = energy_quantiles(cell["n"], cell["k"], LEVELS, field=FIELD[cell["field"]])
    # Measured over the 60 cells: at most 0.88 of the stated error plus 3 standard errors.
    assert _worst(law.values, law.errors, cell) <= 1.0
    c = cell["k"] / math.sqrt(cell["n"])
    assert law.method == ("log-normal" if c <= 1.0 else "overlap-sum law")


@pytest.mark.parametrize("key", ["C-256-64", "C-4096-256", "R-256-64"])
def test_log_normal_at_c_4_fails(key: str) -> None:
    """Negative control: another law with the same allowance does not pass."""
    cell = next(cell for cell in REFERENCE["cells"] if _name(cell) == key)
    field = FIELD[cell["field"]]
    law = energy_quantiles(cell["n"], cell["k"], LEVELS, field=field, method="log-normal")
    assert law.errors == (math.inf,) * 5
    errors = law_error(cell["n"], cell["k"], field, np.array(LEVELS))
    assert _worst(law.values, errors, cell) > 8.0  # measured 13.8 to 16.7


def test_the_bare_mean_is_no_quantile_at_c_4() -> None:
    cell = next(cell for cell in REFERENCE["cells"] if _name(cell) == "C-256-64")
    assert log_rnn_energy(256, 64) > cell["q"][3] + 1.0


@pytest.mark.parametrize("field", ["complex", "real"])
def test_simulation_agrees_with_the_law(field: str) -> None:
    law = energy_quantiles(64, 24, LEVELS, field=field)
    draws = energy_quantiles(64, 24, LEVELS, field=field, method="simulation", samples=2000)
    assert draws.method == "simulation"
    gap = np.abs(np.array(law.values) - draws.values)
    # 99% intervals of 2000 draws on one fixed seed.
    assert np.all(gap <= np.array(law.errors) + np.array(draws.errors))
    again = energy_quantiles(64, 24, LEVELS, field=field, method="simulation", samples=2000)
    assert again == draws


@pytest.mark.parametrize("field", ["complex", "real"])
def test_joints_between_the_laws(field: str) -> None:
    """Quantiles of neighbouring depths on both sides of every change of method."""
    n = 100
    anchor = 400 if field == "complex" else 200
    for k, methods in [
        (10, {"log-normal", "blend"}),
        (12, {"blend", "overlap-sum law"}),
        (anchor, {"overlap-sum law", "spectral radius"}),
    ]:
        near = energy_quantiles(n, k, field=field)
        next_one = energy_quantiles(n, k + 1, field=field)
        assert {near.method, next_one.method} == methods
        step = np.array(next_one.values) - near.values
        growth = 2 * np.abs(np.log(spectral_radius_quantiles(n, LEVELS, field)))
        limit = np.array(near.errors) + next_one.errors + growth
        assert np.all(np.abs(step) <= limit)


def test_deep_growth_is_that_of_the_spectral_radius() -> None:
    shallow, deep = energy_quantiles(100, 500), energy_quantiles(100, 5000)
    rate = 2 * 4500 * np.log(spectral_radius_quantiles(100, LEVELS))
    assert np.allclose(np.array(deep.values) - shallow.values, rate, rtol=1e-9)
    assert all(late > early for late, early in zip(deep.errors, shallow.errors, strict=True))


@pytest.mark.parametrize("field", ["complex", "real"])
def test_one_unit_is_exact(field: str) -> None:
    q = np.array([0.01, 0.3, 0.5, 0.99])
    for k in (1, 7, 1000):
        law = energy_quantiles(1, k, q, field=field)
        assert law.method == "exact"
        if field == "complex":
            expected = k * np.log(-np.log1p(-q))
        else:
            from scipy.stats import chi2

            expected = k * np.log(chi2.ppf(q, 1))
        assert np.allclose(law.values, expected, rtol=1e-12)
        assert max(law.errors) < 1e-8


def test_depth_zero_is_one_whatever_the_gain() -> None:
    law = energy_quantiles(77, 0, gain=3.0, field="real")
    assert law.values == law.errors == (0.0,) * 5
    assert law.energies == (1.0,) * 5
    assert law.method == "exact"


def test_one_step_is_exact() -> None:
    from scipy.stats import gamma

    law = energy_quantiles(30, 1)
    assert law.method == "exact"
    assert np.allclose(law.energies, gamma.ppf(LEVELS, 30) / 30, rtol=1e-12)


def test_small_widths_are_simulated() -> None:
    law = energy_quantiles(10, 4)
    assert law.method == "simulation"
    assert max(law.errors) < 0.15  # 8192 draws, measured 0.08
    deep = energy_quantiles(5, 3000, field="real")
    assert deep.method == "spectral radius"
    rate = np.array(deep.values) / 6000
    assert np.allclose(rate, np.log(spectral_radius_quantiles(5, LEVELS, "real")), atol=0.01)


@pytest.mark.parametrize("field", ["complex", "real"])
def test_approximate_laws_state_nothing_below_the_tested_widths(field: str) -> None:
    for n in (1, 2, 10, 49):
        for k in range(max(1, math.isqrt(n) - 1), math.isqrt(n) + 1):
            law = energy_quantiles(n, k, [0.005, 0.5], field=field, method="log-normal")
            assert law.errors == (math.inf, math.inf)
    law = energy_quantiles(49, 20, field=field, method="overlap-sum law")
    assert law.errors == (math.inf,) * 5
    # From 50 on both state what was seen.
    assert max(energy_quantiles(50, 5, field=field, method="log-normal").errors) < 0.1


def test_deep_depths_share_the_draws_of_their_anchor(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(*arguments: Any, **keywords: Any) -> Any:
        calls.append(arguments[1])
        return simulate_log_energies(*arguments, **keywords)

    monkeypatch.setattr(sampled, "simulate_log_energies", counted)
    sampled._kept_draws.cache_clear()
    for k in (1000, 1001, 5000):
        energy_quantiles(6, k, field="real")
        exceedance(6, k, 0.0, field="real")
    assert calls == [[math.floor(20 * math.sqrt(6))]]


@pytest.mark.parametrize(
    ("n", "k", "field"),
    [
        (64, 8, "complex"),
        (64, 9, "real"),
        (50, 400, "real"),
        (51, 30, "real"),
        (10**6, 2500, "complex"),
        (10**9, 120_000, "complex"),
        (10**7, 9000, "real"),
        (2**53, 10**7, "complex"),
    ],
)
def test_increasing_in_the_level(n: int, k: int, field: str) -> None:
    q = np.array([0.005, 0.01, 0.03, 0.1, 0.3, 0.5, 0.51, 0.8, 0.95, 0.99, 0.995])
    law = energy_quantiles(n, k, q, field=field)
    assert np.all(np.diff(law.values) > 0)
    assert np.all(np.isfinite(law.values))
    assert np.all(np.array(law.errors) > 0)


@pytest.mark.parametrize(("n", "k"), [(10**6, 1300), (10**8, 13_000)])
def test_at_large_width_the_median_approaches_the_mean(n: int, k: int) -> None:
    law = energy_quantiles(n, k)
    spread = law.values[4] - law.values[0]
    assert spread < 8.0 * n**-0.25
    assert abs(law.values[2] - float(log_rnn_energy(n, k))) < spread


def test_gain_moves_every_quantile() -> None:
    plain, scaled = energy_quantiles(256, 40), energy_quantiles(256, 40, gain=0.9)
    assert np.allclose(np.array(scaled.values) - plain.values, 80 * math.log(0.9), rtol=1e-12)
    assert scaled.errors == plain.errors


def test_one_level_equals_the_same_among_many() -> None:
    assert energy_quantiles(256, 40, 0.25).values[0] == energy_quantiles(256, 40).values[1]


def test_the_law_is_cached() -> None:
    assert overlap_law(256, 40, "complex") is overlap_law(256, 40, "complex")


def test_results_travel() -> None:
    for law in (
        energy_quantiles(64, 20, field="real", gain=1.1),
        energy_quantiles(64, 32, method="log-normal"),
    ):
        text = json.dumps(law.to_dict(), allow_nan=False)
        assert EnergyQuantiles.from_dict(json.loads(text)) == law
        assert pickle.loads(pickle.dumps(law)) == law
        assert hash(law) == hash(pickle.loads(pickle.dumps(law)))


def test_energies_overflow_to_inf() -> None:
    assert energy_quantiles(64, 10**6, 0.9).energies == (math.inf,)


@pytest.mark.parametrize(
    ("arguments", "keywords", "error", "name"),
    [
        ((0, 3), {}, ValueError, "n must"),
        ((True, 3), {}, TypeError, "n must"),
        ((2**53 + 1, 3), {}, ValueError, "n must"),
        ((10**10, 10**9), {}, ValueError, "n must"),
        ((64, -1), {}, ValueError, "k must"),
        ((64, 1.5), {}, ValueError, "k must"),
        ((64, 10**16), {}, ValueError, "k must"),
        ((64, 3, 0.0), {}, ValueError, "q must"),
        ((64, 3, [0.5, 0.999]), {}, ValueError, "q must"),
        ((64, 3, [[0.5]]), {}, ValueError, "q must"),
        ((64, 3, []), {}, TypeError, "q must"),
        ((64, 3, "0.5"), {}, TypeError, "q must"),
        ((64, 3, math.nan), {}, ValueError, "q must"),
        ((64, 3), {"field": "quaternion"}, ValueError, "field must"),
        ((64, 3), {"gain": 0.0}, ValueError, "gain must"),
        ((64, 3), {"method": "magic"}, ValueError, "method must"),
        ((64, 3), {"method": "overlap-sum law"}, ValueError, "k must"),
        ((64, 3000), {"method": "overlap-sum law"}, ValueError, "k must"),
        ((64, 3), {"samples": 10}, ValueError, "samples must"),
        ((64, 3), {"samples": 0, "method": "simulation"}, ValueError, "samples must"),
    ],
)
def test_bad_arguments_are_refused_by_name(
    arguments: tuple[Any, ...], keywords: dict[str, Any], error: type[Exception], name: str
) -> None:
    with pytest.raises(error, match=name):
        energy_quantiles(*arguments, **keywords)
