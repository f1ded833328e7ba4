"""Every figure drawn fast: its csv against exact values, within the error bars it states."""

import csv
import importlib
import io
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from matplotlib.figure import Figure

from sigprop import asymptotics, certified, combinatorics, exact, gallery, plots
from sigprop.gallery import writing
from sigprop.montecarlo import quantile_estimate, simulate_log_energies
from sigprop.recurrences import DiagonalLRU, GaussianRNN
from sigprop.recurrences.s4d import S4D

RECIPES = [name for name in gallery.FIGURES if name not in ("critical_profile", "real_weights")]
"""The other two have tests of their own."""

LARGEST_Z = 4.0
"""Fixed seed; sound theory passes it once in 16000 points."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gallery")
    for name in RECIPES:
        gallery.draw(name, folder, fast=True)
    return folder


def number(text):
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text or None


@pytest.fixture(scope="module")
def tables(folder):
    """Return the rows of every csv, numbers as numbers and empty fields as None."""
    rows = {}
    for name in RECIPES:
        lines = (folder / f"{name}.csv").read_text().splitlines()[3:]
        reader = csv.DictReader(io.StringIO("\n".join(lines)))
        rows[name] = [{key: number(value) for key, value in row.items()} for row in reader]
    return rows


def chosen(rows, **wanted):
    found = [row for row in rows if all(row[key] == value for key, value in wanted.items())]
    assert found, wanted
    return found


@pytest.mark.parametrize("name", RECIPES)
def test_the_files_say_how_they_were_made_and_the_csv_comes_out_again(folder, name):
    recipe = importlib.import_module(f"sigprop.gallery.{name}")
    command = f"sigprop figures {name} --fast --seed 0"
    text = writing.csv_text(recipe.compute(fast=True, seed=0), command, seed=0)
    assert (folder / f"{name}.csv").read_text() == text
    assert text.startswith(f"# command: {command}\n# seed: 0\n# versions: sigprop ")
    assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG\r\n")
    assert "dc:date" not in (folder / f"{name}.svg").read_text()


@pytest.mark.parametrize("name", RECIPES)
def test_no_panel_is_empty_and_none_says_nothing_of_its_axes(tables, name):
    recipe = importlib.import_module(f"sigprop.gallery.{name}")
    with writing.house_style():
        figure = recipe.plot(tables[name])
    for ax in figure.axes:
        assert ax.has_data() or ax.texts, ax.get_title()
        assert ax.get_xlabel(), ax.get_title()
        assert ax.get_title()


@pytest.mark.parametrize("name", ["tied_untied", "same_spectrum", "mean_typical"])
def test_another_seed_moves_sampled_points_only(tables, name, monkeypatch):
    recipe = importlib.import_module(f"sigprop.gallery.{name}")
    few = {"_FEW_SAMPLES": {"tied": 256, "untied": 256, "plain": 256, "importance": 256}}
    if not isinstance(recipe._FEW_SAMPLES, dict):
        few = {"_FEW_SAMPLES": 64}
    for key, value in few.items():
        monkeypatch.setattr(recipe, key, value)
    other = recipe.compute(fast=True, seed=1)
    sampled = {"sampled", "plain", "importance"}
    fixed = [row for row in tables[name] if row["kind"] not in sampled]
    again = [row for row in other if row["kind"] not in sampled]
    assert [row["value"] for row in fixed] == [row["value"] for row in again]
    moved = [row["value"] for row in other if row["kind"] in sampled and row["depth"] != 0]
    assert moved != [row["value"] for row in tables[name] if row["kind"] in sampled]


def z_scores(points, true):
    """Return (value - true)/standard error of the points whose error was not refused."""
    error = "standard_error" if "standard_error" in points[0] else "error"
    return [(row["value"] - true(row)) / row[error] for row in points if row[error]]


# Regime map


def test_regime_map_energies_and_excesses_are_exact(tables):
    for kind in ("log10 energy", "excess"):
        small = [row for row in chosen(tables["regime_map"], kind=kind) if row["depth"] <= 60]
        assert len(small) > 100
        for row in small[::7]:
            value = exact.lru_energy(row["width"], row["depth"])
            if kind == "excess":
                value = value / (row["depth"] + 1) - 1
            if value == 0:
                assert row["value"] is None
            else:
                # Rational, rounded once; the float route is good to 1e-14 before the logarithm.
                assert math.isclose(10.0 ** row["value"], value, rel_tol=1e-11)


def test_regime_map_boundaries_are_first_passages(tables):
    rows = [row for row in chosen(tables["regime_map"], kind="boundary") if row["width"] < 2000]
    assert len({row["value"] for row in rows}) == 3
    for row in rows[::3]:
        before, at = (
            exact.lru_energy(row["width"], depth) / (depth + 1) - 1
            for depth in (row["depth"] - 1, row["depth"])
        )
        assert before <= row["value"] < at


def published_over_exact(n, t):
    log_exact = float(certified.log_lru_energy(n, t, 30).lower)
    return 2.0 * math.log(n) - 3.0 * math.log(t) + t * t / (2.0 * n) - log_exact


def test_regime_map_window_ends_where_the_published_form_fails(tables):
    for kind, outwards in (("window start", -1), ("window end", 1)):
        for row in chosen(tables["regime_map"], kind=kind)[::4]:
            inside = published_over_exact(row["width"], row["depth"])
            outside = published_over_exact(row["width"], row["depth"] + outwards)
            assert abs(math.expm1(inside)) <= 0.1 < abs(math.expm1(outside))


def test_regime_map_defaults_change_the_mean_by_ten(tables):
    rows = chosen(tables["regime_map"], kind="default")
    assert {row["depth"] is None for row in rows} == {True, False}
    for row in rows:
        if row["depth"] is not None and row["width"] <= 256:
            before, at = (
                exact.rnn_energy(row["width"], depth, "real") * row["value"] ** depth
                for depth in (row["depth"] - 1, row["depth"])
            )
            assert 0.1 < before < 10.0
            assert at <= 0.1 or at >= 10.0


# Errors of asymptotic forms


def test_asymptotic_errors_are_within_what_the_forms_state(tables):
    rows = tables["asymptotic_errors"]
    holding = [row for row in rows if row["holds"] == "True"]
    assert len(holding) > 200
    for row in holding:
        # Real forms are compared with float64 energies, good to about 1e-13.
        slack = 1e-12 if row["panel"] == "real" else 1e-18
        assert row["error"] <= row["stated"] * (1.0 + 1e-9) + slack, row
    # And where they do not hold, errors are not small: the flag means something.
    published = [row for row in rows if row["form"].startswith("published")]
    assert max(row["error"] for row in published if row["error"] is not None) > 10.0


def test_asymptotic_errors_are_the_true_ones(tables):
    rows = chosen(tables["asymptotic_errors"], panel="lru", width=100, form="infinite width, $t+1$")
    for row in rows:
        if row["depth"] <= 300:
            true = 1 - (row["depth"] + 1) / exact.lru_energy(100, row["depth"])
            # log(t+1) is rounded to 1e-15, and that is all the error there is at depth 1.
            assert math.isclose(row["error"], float(true), rel_tol=1e-9, abs_tol=2e-15)


def test_asymptotic_forms_reach_fifteen_digits(tables):
    for panel in ("rnn", "lru"):
        rows = [row for row in tables["asymptotic_errors"] if row["panel"] == panel]
        smallest = min(row["error"] for row in rows if row["depth"] > 3 and row["error"])
        assert smallest < 1e-15


# Super-critical


def test_super_critical_departures_are_exact(tables):
    for panel in ("c", "departure"):
        rows = chosen(tables["super_critical"], panel=panel, kind="published / exact")
        for row in rows[::5]:
            true = published_over_exact(row["width"], row["depth"])
            # Both logarithms are up to some 1e5 and good to 1e-15 of that.
            assert math.isclose(row["value"], true, rel_tol=1e-9, abs_tol=1e-9)


def test_super_critical_departure_tends_to_its_limit(tables):
    rows = [row for row in tables["super_critical"] if row["panel"] == "departure"]
    distance = {
        width: max(
            abs(row["value"] - row["x"] ** 3 / 6.0)
            for row in rows
            if row["width"] == width and 1.0 < row["x"] < 2.9
        )
        for width in (10**2, 10**4, 10**6)
    }
    # Next order: -5/2 b n^(-1/3) + b^4/12 n^(-1/3) + ..., b up to 2.9; measured .13 at 1e6.
    assert distance[10**6] < 0.2 < distance[10**4] < distance[10**2]


# Tied and untied


def tied_points(tables, panel):
    """Return sampled points of linear units, and the exact values beside them."""
    rows = [row for row in tables["tied_untied"] if row["panel"] == panel]
    true = {(r["units"], r["depth"]): r["value"] for r in rows if r["kind"] == "exact"}
    points = [
        row for row in rows if row["kind"] == "sampled" and (row["units"], row["depth"]) in true
    ]
    return points, true


@pytest.mark.parametrize(("panel", "least"), [("tied", 6), ("untied", 12)])
def test_tied_and_untied_samples_agree_with_exact_lines(tables, panel, least):
    points, true = tied_points(tables, panel)
    z = z_scores(points, lambda row: true[row["units"], row["depth"]])
    assert len(z) >= least
    assert max(map(abs, z)) < LARGEST_Z
    if panel == "tied":
        # The control: they are not the fresh network's energy 1.
        assert max(z_scores(points, lambda row: 1.0)) > LARGEST_Z
    else:
        # The control: the variance of the units is not that of complex linear ones.
        assert max(z_scores(points, lambda row: true["complex", row["depth"]])) > LARGEST_Z


def test_tied_lines_are_exact_and_rectified_units_depart_earlier(tables):
    rows = chosen(tables["tied_untied"], panel="tied", kind="exact")
    for row in rows:
        true = exact.rnn_energy(row["width"], row["depth"], row["units"])
        assert math.isclose(row["value"], true, rel_tol=1e-13)
    for row in chosen(tables["tied_untied"], panel="tied breakdown", kind="exact")[::4]:
        before, at = (
            exact.rnn_energy(row["width"], depth, row["units"])
            for depth in (row["depth"] - 1, row["depth"])
        )
        assert before <= 1.25 < at
    measured = chosen(tables["tied_untied"], panel="tied breakdown", kind="sampled")
    for row in measured:
        ends = [
            depth for depth in range(40) if exact.rnn_energy(row["width"], depth, "real") > 1.25
        ]
        assert row["value"] + 4.0 * row["standard_error"] < ends[0]


def test_fourth_moments_of_the_units_are_those_of_normals():
    from sigprop.gallery.tied_untied import _FOURTH_MOMENTS

    for alpha, name in ((1.0, "real"), (0.5, "leaky ReLU"), (0.0, "ReLU")):
        expected = 6.0 * (1.0 + alpha**4) / (1.0 + alpha**2) ** 2
        assert math.isclose(_FOURTH_MOMENTS[name], expected, rel_tol=1e-15)


# Mean and typical


def test_importance_sampling_restores_the_mean_and_plain_sampling_says_that_it_does_not(tables):
    rows = tables["mean_typical"]
    true = {row["depth"]: row["value"] for row in rows if row["kind"] == "mean"}
    for depth in (10, 30, 80):
        log_exact = float(certified.log_rnn_energy(100, depth, 20).lower)
        assert math.isclose(true[depth], log_exact, rel_tol=1e-13)
    importance = chosen(rows, kind="importance")
    z = z_scores(importance, lambda row: true[row["depth"]])
    assert len(z) == len(importance) == 5
    assert max(map(abs, z)) < LARGEST_Z
    plain = chosen(rows, kind="plain")
    trusted = z_scores(plain, lambda row: true[row["depth"]])
    assert trusted
    assert max(map(abs, trusted)) < LARGEST_Z
    deep = [row for row in plain if row["c"] >= 5.0]
    assert all(row["error"] is None for row in deep)
    # The control: without the refusal they would have been taken for the mean.
    assert max(row["value"] - true[row["depth"]] for row in deep[1:]) < -0.5


def test_quantiles_are_those_of_draws_within_their_stated_errors(tables):
    rows = [row for row in chosen(tables["mean_typical"], kind="quantile") if row["depth"] == 30]
    logs = simulate_log_energies(GaussianRNN(100), [30], 2048, rng=5)[:, 0]
    assert [row["level"] for row in rows] == [0.05, 0.25, 0.5, 0.75, 0.95]
    for row in rows:
        drawn = quantile_estimate(logs, row["level"])
        # Twice the half width of a 95 % interval: 4 standard errors of the drawn quantile.
        spread = 0.5 * (drawn.log_high - drawn.log_low)
        assert abs(row["value"] - drawn.log_value) <= row["error"] + 2.0 * spread
    mean = chosen(tables["mean_typical"], kind="mean", depth=30)[0]["value"]
    assert rows[2]["value"] < mean - 1.0


# Same spectrum


def diagonal_impulse(n, k):
    """Return E sum |lambda|^(2k) / n from Kostlan's law, exactly."""
    return Fraction(math.prod(n + j for j in range(1, k + 1)), (k + 1) * n**k)


def test_same_spectrum_lines_are_exact_and_samples_agree(tables):
    rows = tables["same_spectrum"]
    for model, impulse in (("dense", exact.rnn_energy), ("diagonal", diagonal_impulse)):
        for row in chosen(rows, panel="impulse", model=model):
            assert math.isclose(row["value"], impulse(64, row["depth"]), rel_tol=1e-13)
        sums = list(itertools.accumulate(float(impulse(64, k)) for k in range(41)))
        points = chosen(rows, panel="state", model=model, kind="sampled")
        z = z_scores(points, lambda row, sums=sums: sums[row["depth"]])
        assert len(z) >= 3
        assert max(map(abs, z)) < LARGEST_Z
    # The control: the spectrum alone does not tell the energy of the matrix.
    dense = chosen(rows, panel="state", model="dense", kind="sampled")
    assert max(z_scores(dense, lambda row: sums[row["depth"]])) > LARGEST_Z


def test_same_spectrum_ratio_is_exact_and_tends_to_its_limit(tables):
    rows = chosen(tables["same_spectrum"], panel="ratio", kind="exact")
    for row in rows:
        n, k = row["width"], row["depth"]
        true = exact.rnn_energy(n, k) / ((k + 1) * diagonal_impulse(n, k))
        assert math.isclose(row["value"], true, rel_tol=1e-12)
    limit = chosen(tables["same_spectrum"], panel="ratio", kind="limit")
    for row in limit[::10]:
        n = 10**8
        k = round(row["x"] * 1e4)
        log_ratio = asymptotics.critical_rnn(n, k).log_value - float(
            np.sum(np.log1p(np.arange(1, k + 1) / n))
        )
        # Corrections are of the order c^3/sqrt(n) = 1e-2 at most.
        assert math.isclose(row["value"], math.exp(log_ratio), rel_tol=0.01)


# Structured recurrences


def test_structured_lines_of_the_lru_are_the_ring_moments(tables):
    for name in ("LRU ListOps", "LRU Pathfinder", "LRU PathX"):
        lru = DiagonalLRU.from_preset(name.split()[1])
        low, high = lru.r_min**2, lru.r_max**2
        for row in chosen(tables["structured"], model=name, kind="exact", inputs="white"):
            power = row["depth"] + 2
            moment = (high**power - low**power) / (power * (high - low))
            # The difference of powers loses three digits on the narrow ring of PathX.
            assert math.isclose(row["value"], 1.0 - moment, rel_tol=1e-8)


def test_structured_lines_of_heads_and_channels(tables):
    decay = np.exp(
        np.linspace(math.log(-math.log(0.9)), math.log(-math.log(0.999)), 20001)
    )  # -log gamma, log-uniform
    for row in chosen(tables["structured"], model="RotRNN", kind="exact", inputs="white"):
        kept = np.exp(-2.0 * (row["depth"] + 1) * decay)
        trapezoid = np.mean(0.5 * (kept[1:] + kept[:-1]))
        # The rule with 20000 cells: 1e-9 or better.
        assert math.isclose(row["value"], 1.0 - trapezoid, rel_tol=1e-7)
    # The energy of a channel at one step: E|B|^2 summed over its 32 modes.
    modes = -0.5 + 1j * math.pi * np.arange(32)
    dt = np.exp(
        np.linspace(math.log(S4D(64, "lin").dt_min), math.log(S4D(64, "lin").dt_max), 20001)
    )
    first = (np.abs(np.expm1(np.outer(dt, modes)) / modes) ** 2).sum(axis=1)
    trapezoid = np.mean(0.5 * (first[1:] + first[:-1]))
    for inputs in ("white", "constant"):
        row = chosen(tables["structured"], model="S4D lin", kind="exact", inputs=inputs, depth=0)[0]
        assert math.isclose(row["value"], trapezoid, rel_tol=1e-6)


def test_structured_samples_agree_and_inputs_matter(tables):
    rows = tables["structured"]
    from sigprop.gallery.structured import _recurrence, _units

    def true(row, inputs=None):
        recurrence = _recurrence(row["model"])
        return _units(row["model"]) * recurrence.state_energy(row["depth"], inputs or row["inputs"])

    points = chosen(rows, kind="sampled")
    z = z_scores(points, true)
    assert len(z) > 25
    assert max(map(abs, z)) < LARGEST_Z
    path = chosen(rows, kind="sampled", model="LRU PathX", inputs="constant")
    assert max(z_scores(path, lambda row: true(row, "white"))) > LARGEST_Z


def test_structured_horizons_hold_the_share_they_say(tables):
    for row in chosen(tables["structured"], kind="horizon", inputs="burn_in")[:6]:
        lru = DiagonalLRU.from_preset(row["model"].split()[1])
        last = int(row["value"])
        total = lru.stationary_energy()
        assert lru.state_energy(last - 1) < 0.95 * total <= lru.state_energy(last)


# Hultman numbers


def test_hultman_triangle_is_that_of_enumerated_pairings(tables):
    rows = [row for row in tables["hultman"] if row["panel"] == "triangle"]
    for k in range(9):
        row = {r["index"]: r["value"] for r in rows if r["depth"] == k}
        assert sum(row.values()) == math.factorial(k)
        if k <= 6:
            assert {j: count for j, count in row.items() if count} == combinatorics.wick_polynomial(
                k
            )


def test_hultman_law_sums_to_one_and_is_centred(tables):
    law = [row for row in tables["hultman"] if row["panel"] == "law"]
    for depth in {row["depth"] for row in law}:
        rows = [row for row in law if row["depth"] == depth and row["value"] > 0.0]
        steps = [late["x"] - early["x"] for early, late in itertools.pairwise(rows)]
        assert max(steps) - min(steps) < 1e-12
        values = np.array([row["value"] for row in rows])
        x = np.array([row["x"] for row in rows])
        # Numbers of cycles with a share below 1e-9 are left out.
        assert math.isclose(values.sum() * steps[0], 1.0, abs_tol=1e-7)
        assert abs(np.dot(values, x) * steps[0]) < 1e-7
        assert math.isclose(np.dot(values, x * x) * steps[0], 1.0, abs_tol=1e-6)


def test_hultman_genus_errors_are_exact(tables):
    rows = [row for row in tables["hultman"] if row["panel"] == "genus"]
    for depth in {row["depth"] for row in rows}:
        numbers = combinatorics.hultman_row(depth)
        energy = exact.rnn_energy(10**4, depth)
        partial = Fraction(0)
        for row in sorted((r for r in rows if r["depth"] == depth), key=lambda r: r["index"]):
            genus = row["index"]
            partial += Fraction(numbers[depth - 2 * genus], 10 ** (8 * genus))
            assert math.isclose(row["value"], 1 - partial / energy, rel_tol=1e-14)


# Plots


def test_marks_in_the_way_have_their_names_on_the_left():
    marks = plots.Marks("layers", [10, 20], [5, 5], ["A", "B"], "o", "black")
    ax = Figure().add_subplot()
    plots.energy_plane(ax, [1, 100], [1, 10], [[0.0, 1.0], [2.0, 3.0]], [1.5], ["x"], [marks])
    sides = {text.get_text(): text.get_ha() for text in ax.texts if text.get_text() in "AB"}
    assert sides == {"A": "right", "B": "left"}


def test_forms_are_bold_only_where_they_hold():
    form = plots.Form("f", [1, 2, 3], [0.1, 0.2, None], [0.2, 0.3, 0.4], [False, True, True])
    pale, bold, stated = plots.form_errors(Figure().add_subplot(), [form]).lines
    assert np.isnan(pale.get_ydata()).tolist() == [False, False, True]
    assert np.isnan(bold.get_ydata()).tolist() == [True, False, True]
    assert np.isnan(stated.get_ydata()).tolist() == [True, False, False]


def test_compared_lines_keep_the_colour_of_a_line_that_is_left_out():
    ax = plots.compared_lines(Figure().add_subplot(), [None, plots.Curve("b", [0, 1], [1, 2])])
    assert ax.lines[0].get_color() == plots.COLOURS[1]
    with pytest.raises(ValueError, match="lines must hold at most 6"):
        plots.compared_lines(ax, [None] * 7)
