# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Three regimes, and what lies beyond the width
#
# The state of a linear recurrent unit of width $n$ after $t$ steps has the mean energy $S_{n,t}$
# per unit. An infinitely wide network says $t + 1$. At finite width that is true up to about $\sqrt
# n$ steps (sub-critical), becomes a function of $c = t/\sqrt n$ there (critical), then grows like
# an exponential of $t^2/(2n)$ (super-critical), and beyond $n$ steps, where its last term is nearly
# all of it, like one of $t\log(t/n)$. This notebook puts numbers on each boundary, and next to
# every asymptotic form its error: stated by the form, and true. It compares the published
# super-critical form with the exact energy, shows how it leaves at $n^{2/3}$, and does the same for
# real weights. Everything it says it asserts.

# %%
import math
import os
from dataclasses import asdict
from fractions import Fraction

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import brentq

import sigprop
from sigprop import asymptotics, certified, exact, plots, regimes
from sigprop.gallery import writing

# %matplotlib inline

FAST = bool(os.environ.get("SIGPROP_FAST"))  # fewer points, the same statements


def depths_up_to(last: float, count: int):
    return np.unique(np.round(np.geomspace(1, last, count)).astype(np.int64))


def log_error(form, exact_log):
    """Relative error of a form from logarithms; infinite where it overflows."""
    with np.errstate(over="ignore"):
        return np.abs(np.expm1(form.log_value - exact_log))


# %% [markdown]
# ## Three descriptions of one number
#
# - infinite width: $S \approx t + 1$;
# - critical profile: $S \approx \sqrt n\, I(c)$ with $I(c) = \int_0^c F$, $F(c) = (2/c^2)
#   \sinh(c^2/2)$, $c = (t+1)/\sqrt n$;
# - super-critical: $S \approx Q_{n,t}(1 + y)/y$ with $y = (t+1)/n$, a geometric sum of last terms.
#
# Width ten thousand, logarithm of each description over the exact energy:

# %%
width = 10_000
steps = np.array([20, 100, 300, 500, 1000, 20_000])
log_exact = sigprop.log_lru_energy(width, steps)
y = (steps + 1) / width
distances = {
    "infinite width": np.log(steps + 1.0) - log_exact,
    "profile": 0.5 * math.log(width)
    + asymptotics.log_critical_integral((steps + 1) / math.sqrt(width))
    - log_exact,
    "super-critical": sigprop.log_rnn_energy(width, steps) + np.log1p(1 / y) - log_exact,
}
print("log of description / exact     " + "".join(f"t = {t:<9d}" for t in steps))
for name, values in distances.items():
    print(f"{name:30s} " + "".join(f"{value:<+13.3g}" for value in values))
names = [sigprop.classify(width, int(t)).name for t in steps]
print(f"{'regime within 10 %':30s} " + "".join(f"{name.split('-')[0]:13s}" for name in names))

assert names == [
    "sub-critical",
    "sub-critical",
    "critical",
    "crossover",
    "super-critical",
    "beyond-width",
]
for name, within in {
    "infinite width": [20, 100],
    "profile": [20, 100, 300],
    "super-critical": [100, 1000, 20_000],
}.items():
    holds = np.abs(np.expm1(np.minimum(distances[name], 700.0))) <= 0.1
    assert steps[holds].tolist() == within, name

# %% [markdown]
# (At $t = 100$ the super-critical form crosses the exact energy by accident, from far too large to
# far too small. A regime must hold from its boundary on, so this does not count.)
#
# `classify` returns the numbers behind its answer, and which descriptions hold there:

# %%
regime = sigprop.classify(width, 300)
print(f"{regime.name} at c = {regime.c:.1f}: S = {regime.energy:.1f}")
print(f"within 10 %: {', '.join(regime.holds)}")
print(f"excess over infinite width: {regime.excess:.3f}")
for name, depth in asdict(regime.boundaries).items():
    print(f"  {name:20s} {depth}")

assert regime.holds == ("critical",)
assert regime == regimes.Regime.from_dict(regime.to_dict())
assert asdict(regime.boundaries)["sub_critical_end"] == sigprop.breakdown_depth(width) == 182

# %% [markdown]
# A boundary is a property of the exact energy, not of a guess about it: 182 is the first depth at
# which the exact rational $S_{n,t}/(t+1)$ exceeds 1.1.

# %%
assert exact.lru_energy(width, 181) / 182 <= Fraction(11, 10) < exact.lru_energy(width, 182) / 183

# %% [markdown]
# ## Where the boundaries go
#
# For large widths each of them has a law. The breakdown depth is $c\sqrt n$ with $I(c)/c = 1 +
# \mathrm{tol}$, which is $(120\,\mathrm{tol})^{1/4}$ for small tolerances; the super-critical form
# starts at $c\sqrt n$ with $F(c)/(c\,I(c)) = 1 - \mathrm{tol}$; and the critical profile ends at
# $(6\log(1 + \mathrm{tol}))^{1/3}\, n^{2/3}$, far inside the super-critical regime. So above about
# $n = 10^5$ the two overlap and there is no crossover left between them.

# %%
TOL = 0.1
first = brentq(
    lambda c: float(asymptotics.critical_integral(c)) / c - 1 - TOL, 0.1, 9.0, xtol=1e-12
)
last = brentq(
    lambda c: (
        float(asymptotics.critical_profile(c)) / (c * float(asymptotics.critical_integral(c)))
        - 1
        + TOL
    ),
    3.0,
    20.0,
    xtol=1e-12,
)
profile_end = (6 * math.log1p(TOL)) ** (1 / 3)
print(f"expected: {first:.4f} sqrt(n), {last:.4f} sqrt(n), {profile_end:.4f} n^(2/3)")

widths = 10 ** np.array([2, 4, 6, 9, 12])
found = regimes.regime_boundaries(widths, TOL)
print("   width  breakdown  /sqrt(n)  super-crit.  /sqrt(n)  profile ends  /n^(2/3)")
for n, sub, start, end in zip(
    widths,
    found.sub_critical_end,
    found.super_critical_start,
    found.critical_end,
    strict=True,
):
    root = math.sqrt(n)
    print(
        f"{n:8.0e} {sub:10d} {sub / root:9.4f} {start:12d} {start / root:9.4f}"
        f" {end:13d} {end / n ** (2 / 3):9.4f}"
    )

assert abs(found.sub_critical_end[-1] / 1e6 - first) < 1e-5
assert abs(found.super_critical_start[-1] / 1e6 - last) < 1e-4
assert abs(found.critical_end[-1] / 1e8 - profile_end) < 1e-3
assert found.critical_end[1] < found.super_critical_start[1]  # a crossover at ten thousand ...
assert found.critical_end[2] > found.super_critical_start[2]  # ... an overlap at a million

for tol in (1e-2, 1e-3, 1e-4):
    lru = sigprop.breakdown_depth(10**12, tol) / 1e6
    rnn = sigprop.breakdown_depth(10**12, tol, quantity="rnn") / 1e6
    print(f"tol {tol:.0e}: LRU {lru:.4f} sqrt(n), RNN {rnn:.4f} sqrt(n)")
    assert abs(lru / (120 * tol) ** 0.25 - 1) < tol
    assert abs(rnn / (24 * tol) ** 0.25 - 1) < tol

# %% [markdown]
# ## The map
#
# `regime_map` classifies a grid of widths and depths. Deeper never means an earlier regime.
# Contours are those of the excess $S/(t+1) - 1$.

# %%
grid_widths = np.unique(np.round(np.geomspace(10, 1e7, 19 if FAST else 37)).astype(np.int64))
grid_depths = depths_up_to(1e7, 71 if FAST else 141)[1:]
index = regimes.regime_map(grid_widths, grid_depths, TOL)
assert np.all(np.diff(index, axis=1) >= 0)
assert set(np.unique(index)) == set(range(len(regimes.NAMES)))

excess = sigprop.lru_excess(grid_widths[np.newaxis, :], grid_depths[:, np.newaxis])
lines = regimes.regime_boundaries(grid_widths, TOL)
drawn = (
    ("breakdown", lines.sub_critical_end),
    ("profile ends", lines.critical_end),
    ("super-critical form starts", lines.super_critical_start),
    ("last falling factorial", lines.beyond_width_start),
)

with writing.house_style():
    figure = Figure(figsize=(5.6, 3.9), layout="constrained")
    axes = plots.energy_plane(
        figure.add_subplot(),
        grid_widths,
        grid_depths,
        np.log10(np.clip(excess, 1e-300, 1e300)),
        levels=[-4, -2, 0, 4, 40],
        names=["$10^{-4}$", "1 %", "1", "$10^4$", "$10^{40}$"],
    )
    plots.compared_lines(axes, [plots.Curve(name, grid_widths, depth) for name, depth in drawn])
    axes.set_ylabel("depth $t$")
    axes.legend(frameon=True, framealpha=0.9, loc="upper left")
figure

# %% [markdown]
# ## Every form with its error
#
# A form of `sigprop.asymptotics` returns a value and a relative error, proved or measured. It is
# in its window where the stated error is below one half. The true error, against the exact energy,
# must not exceed the stated one anywhere: in the window, outside of it, at any width.

# %%
LRU_FORMS = {
    "infinite width": lambda n, t: asymptotics.sub_critical_lru(n, t, 0),
    "genus two": lambda n, t: asymptotics.sub_critical_lru(n, t, 2),
    "critical": lambda n, t: asymptotics.critical_lru(n, t, 0),
    "critical, two corrections": lambda n, t: asymptotics.critical_lru(n, t, 2),
    "super-critical": lambda n, t: asymptotics.super_critical_lru(n, t, 0),
    "super-critical, two corrections": lambda n, t: asymptotics.super_critical_lru(n, t, 2),
    "published super-critical": asymptotics.published_lru,
    "last two terms": lambda n, t: asymptotics.beyond_width_lru(n, t, 1),
    "uniform": asymptotics.uniform_lru,
}
RNN_FORMS = {
    "genus two": asymptotics.sub_critical_rnn,
    "critical, two corrections": asymptotics.critical_rnn,
    "super-critical, two corrections": lambda n, t: asymptotics.super_critical_rnn(n, t, 2),
}
FLOAT = 1e-14  # the float64 energies that the errors are taken against have errors of their own


def judge(forms, n, log_energy):
    """Print the window of each form and its true errors, and hold it to what it states."""
    t = depths_up_to(1000 * n, 121 if FAST else 601)
    reference = log_energy(n, t)
    windows = {}
    for name, form in forms.items():
        result = form(n, t)
        true = log_error(result, reference)
        stated = np.asarray(result.relative_error)
        known = np.isfinite(stated)
        slack = FLOAT * (1.0 + np.abs(reference))
        assert np.all(true[known] <= stated[known] + slack[known]), (name, n)
        inside = np.asarray(result.in_window)
        if not inside.any():
            windows[name] = None
            print(f"  {name:32s} no depth at this width")
            continue
        # A window has no holes.
        low, high = np.flatnonzero(inside)[[0, -1]]
        assert inside[low : high + 1].all(), (name, n)
        windows[name] = (int(t[low]), int(t[high]))
        print(
            f"  {name:32s} t = {t[low]:<7d} to {t[high]:<11d}"
            f" true error {true[inside].min():.0e} to {true[inside].max():.0e}"
        )
    return windows


windows = {}
for n in (100, 10**4, 10**6):
    print(f"LRU, n = {n}")
    windows[n] = judge(LRU_FORMS, n, sigprop.log_lru_energy)
    print(f"RNN, n = {n}")
    judge(RNN_FORMS, n, sigprop.log_rnn_energy)

deepest = 10**9
assert windows[10**6]["infinite width"][1] < windows[10**6]["genus two"][1] < 4 * 1000
assert windows[10**6]["critical"][1] < windows[10**6]["critical, two corrections"][1]
assert windows[10**6]["super-critical, two corrections"][0] > 2 * 1000
assert windows[10**6]["super-critical, two corrections"][1] == deepest
assert windows[10**6]["last two terms"][0] >= 10**6
assert windows[10**6]["uniform"] == (1, deepest)
assert windows[100]["published super-critical"] is None
assert windows[10**4]["published super-critical"] is None

# %% [markdown]
# What happens outside: each form fails by any factor where it was not made for, and says so first.
# At a million units, where the window of each ends:

# %%
beyond = {
    "infinite width": 10_000,  # c = 10: says t + 1
    "genus two": 10_000,
    "critical, two corrections": 200_000,
    "super-critical, two corrections": 1000,  # c = 1
    "published super-critical": 100_000,  # n^(5/6)
    "last two terms": 300_000,
}
for name, depth in beyond.items():
    result = LRU_FORMS[name](10**6, depth)
    distance = float(result.log_value - sigprop.log_lru_energy(10**6, depth))
    print(f"t = {depth:6d}, {name:32s} log of form / exact = {distance:+.4g}")
    assert not result.in_window
    assert abs(distance) > 0.5

# %%
t = depths_up_to(1e8, 161)
reference = sigprop.log_lru_energy(10**6, t)
shown = []
for name in (
    "genus two",
    "critical, two corrections",
    "super-critical, two corrections",
    "published super-critical",
    "last two terms",
    "uniform",
):
    result = LRU_FORMS[name](10**6, t)
    true = log_error(result, reference)
    drawn_errors = np.where(true < 1e6, true, np.nan)
    shown.append(plots.Form(name, t, drawn_errors, result.relative_error, result.in_window))

with writing.house_style():
    figure = Figure(figsize=(6.2, 4.0), layout="constrained")
    axes = plots.form_errors(figure.add_subplot(), shown)
    axes.set_ylim(1e-15, 1e3)
    axes.set_xlabel("depth $t$, at $n = 10^6$")
    axes.set_ylabel("relative error (thin: stated)")
    figure.legend(loc="outside lower center", ncols=3)
figure

# %% [markdown]
# The energies that these errors are taken against are float64 numbers. `certified` encloses the
# exact logarithm instead, to any number of digits, and the statements hold against it too:

# %%
for name, n, depth in (
    ("critical, two corrections", 10**6, 20),
    ("super-critical, two corrections", 10**6, 10**5),
    ("uniform", 10**6, 50_000),
    ("last two terms", 50, 10**5),
):
    enclosure = certified.log_lru_energy(n, depth)
    middle = (float(enclosure.lower) + float(enclosure.upper)) / 2
    result = LRU_FORMS[name](n, depth)
    true = abs(math.expm1(float(result.log_value) - middle))
    print(f"{name:32s} true {true:.1e}, stated {float(result.relative_error):.1e}")
    assert true <= float(result.relative_error) < 1e-5

# %% [markdown]
# Bounds that are proved, for every width and depth:

# %%
for n in (3, 100, 10**6):
    t = depths_up_to(100 * n, 61)
    for bounds, energies in (
        (asymptotics.lru_bounds(n, t), sigprop.log_lru_energy(n, t)),
        (asymptotics.rnn_bounds(n, t), sigprop.log_rnn_energy(n, t)),
    ):
        slack = FLOAT * (1.0 + np.abs(energies))
        assert np.all(bounds.log_lower <= energies + slack)
        assert np.all(energies <= bounds.log_upper + slack)

# %% [markdown]
# ## The published super-critical form and its window
#
# It is $S \approx (n^2/t^3)\, e^{t^2/(2n)}$ for $t \gg \sqrt n$. The full exponent is $n\varphi(a)$
# with $a = t/n$ and $\varphi(a) = (1+a)\log(1+a) - a = a^2/2 - a^3/6 + \dots$: the next term,
# $t^3/(6n^2)$, is not small from $t = n^{2/3}$ on. Logarithm of exact over published:

# %%
exponents = {"0.55": 0.55, "0.6": 0.6, "2/3": 2 / 3, "0.75": 0.75, "0.9": 0.9}
table = {}
print("       n  " + "".join(f"t = n^{name:<8s}" for name in exponents))
for n in (10**4, 10**6, 10**9, 10**12):
    steps = np.array([round(n**power) for power in exponents.values()])
    ratio = sigprop.log_lru_energy(n, steps) - asymptotics.published_lru(n, steps).log_value
    table[n] = dict(zip(exponents, ratio, strict=True))
    print(f"{n:8.0e}  " + "".join(f"{value:<+14.4g}" for value in ratio))

assert table[10**4]["0.6"] > 0.9  # much too small ...
assert table[10**4]["0.75"] < -1.3  # ... and much too large
assert table[10**6]["0.75"] < -5
assert table[10**12]["0.9"] < -4e7
for n, row in table.items():
    # At n^(2/3) the limit is -1/6, and the next order 67/12 n^(-1/3).
    assert abs(row["2/3"] + 1 / 6 - 67 / 12 * n ** (-1 / 3)) < 5 * n ** (-1 / 2)

# %% [markdown]
# Its window, $\sqrt n \ll t \ll n^{2/3}$, opens slowly: it does not exist at the widths that people
# use. Where the form says that it is within a tolerance:

# %%
opened = {}
for n in (10**4, 10**5, 10**6, 10**7, 10**9):
    steps = np.unique(np.round(n ** np.linspace(0.45, 0.8, 1001)).astype(np.int64))
    form = asymptotics.published_lru(n, steps)
    true = log_error(form, sigprop.log_lru_energy(n, steps))
    for tol in (0.5, 0.1):
        holds = np.asarray(form.relative_error) <= tol
        assert np.all(true[holds] <= tol)
        ends = steps[holds]
        opened[n, tol] = None if ends.size == 0 else (int(ends[0]), int(ends[-1]))
    within = steps[true <= 0.1]
    print(
        f"n = {n:.0e}: within 50 %: {opened[n, 0.5]}, within 10 %: {opened[n, 0.1]}, "
        f"{within.size} of {steps.size} depths truly within 10 %"
    )

assert opened[10**4, 0.5] is None
assert opened[10**5, 0.5] is not None
assert opened[10**6, 0.1] is None
assert opened[10**7, 0.1] is not None

# %% [markdown]
# (That some depths are truly within ten percent even at ten thousand units is no window: the form
# starts too small, ends too large, and crosses the exact value on its way.)
#
# ## The departure at $n^{2/3}$
#
# Against $b = t/n^{2/3}$ the distances of all widths fall onto $-b^3/6$. The critical profile is
# the same exponential in disguise and leaves along the same curve; the super-critical form with
# $n\varphi(t/n)$ does not leave at all.

# %%
b = np.linspace(0.05, 2.5, 50)
curves = []
for n in (10**6, 10**9, 10**12):
    steps = np.round(b * n ** (2 / 3)).astype(np.int64)
    exact_log = sigprop.log_lru_energy(n, steps)
    published = exact_log - asymptotics.published_lru(n, steps).log_value
    curves.append(plots.Curve(f"$n = 10^{{{round(math.log10(n))}}}$", b, published))
    unpublished = asymptotics.super_critical_lru(n, steps)
    profile = 0.5 * math.log(n) + asymptotics.log_critical_integral((steps + 1) / math.sqrt(n))
    far = b >= 0.5
    if n == 10**12:
        assert np.max(np.abs(published[far] + b[far] ** 3 / 6)) < 2e-3
        assert np.max(np.abs(exact_log - profile + b**3 / 6)[far]) < 2e-3
    assert np.all(log_error(unpublished, exact_log)[far] <= unpublished.relative_error[far])
    assert np.all(unpublished.relative_error[far] < 0.05)

with writing.house_style():
    figure = Figure(figsize=(5.2, 3.3), layout="constrained")
    axes = plots.compared_lines(
        figure.add_subplot(), curves, reference=plots.Curve("$-b^3/6$", b, -(b**3) / 6)
    )
    axes.set_ylim(-2.7, 1.0)
    axes.set_xlabel("$b = t / n^{2/3}$")
    axes.set_ylabel(r"$\log\,$(exact / published)")
    axes.legend()
figure

# %% [markdown]
# ## Beyond the width
#
# From depth $n - 1$ on the falling factorials are zero, and $S$ is nearly its last term, $S/Q
# \approx 1 + n/t$. The growth is $n\varphi(t/n)$, about $t\log(t/n)$, far below $t^2/(2n)$:

# %%
n = 100
for depth in (100, 1000, 10_000, 1_000_000):
    log_s, log_q = sigprop.log_lru_energy(n, depth), sigprop.log_rnn_energy(n, depth)
    a = depth / n
    phi = n * ((1 + a) * math.log1p(a) - a)
    proved = asymptotics.beyond_width_lru(n, depth)
    print(
        f"t = {depth:<8d} S/Q = {math.exp(log_s - log_q):.6f}  log S = {log_s:.6g}"
        f"  n phi = {phi:.6g}  t^2/(2n) = {depth**2 / (2 * n):.4g}"
        f"  last two terms within {float(proved.relative_error):.0e}"
    )
    assert log_error(proved, log_s) <= proved.relative_error
    ratio = asymptotics.super_critical_ratio(n, depth, order=2)
    # The difference of two float64 logarithms has lost what they share.
    lost = FLOAT * (1.0 + log_s)
    assert abs(ratio.value / math.exp(log_s - log_q) - 1) <= ratio.relative_error + lost
assert abs(math.exp(log_s - log_q) - 1) < 1.1e-4
assert abs(log_s / phi - 1) < 1e-5
assert sigprop.classify(100, 99).name == "beyond-width"
assert sigprop.classify(100, 98).name == "super-critical"

# %% [markdown]
# ## One line for all depths
#
# The uniform form, the exact last term times a function of two variables, has an error of at most
# about $5/n$ over every depth:

# %%
for n in (100, 1000, 10**4, 10**6):
    t = depths_up_to(1000 * n, 400 if FAST else 2000)
    worst = float(log_error(asymptotics.uniform_lru(n, t), sigprop.log_lru_energy(n, t)).max())
    print(f"n = {n:<8d} largest error {worst:.2e} = {worst * n:.2f}/n")
    assert 3 < worst * n < 5.2

# %% [markdown]
# ## Real weights
#
# The breakdown depth is the same to leading order. Then real eigenvalues take over: the profile
# ends early, near $\sqrt{n \log n}$, and the super-critical form gains a part that belongs to them.
# `takeover` is where the energy is twice that of complex weights.

# %%
both = {
    field: asdict(regimes.regime_boundaries(10**4, TOL, field)) for field in ("complex", "real")
}
print(f"{'n = 10^4, within 10 %':24s}{'complex':>8s}{'real':>8s}")
for name in both["real"]:
    print(f"{name:24s}{both['complex'][name]!s:>8s}{both['real'][name]!s:>8s}")

assert both["complex"]["sub_critical_end"] == 182
assert both["real"]["sub_critical_end"] == 178
assert both["complex"]["critical_end"] == 459
assert both["real"]["critical_end"] == 267
assert both["real"]["super_critical_start"] == 411

# There the energy of the RNN is doubled, to a step or two.
takeover = both["real"]["takeover"]
doubled = int(asymptotics.takeover_depth(10**4))
ratios = np.exp(
    sigprop.log_rnn_energy(10**4, [doubled - 1, doubled], field="real")
    - sigprop.log_rnn_energy(10**4, [doubled - 1, doubled])
)
print(f"real over complex energy of the RNN at {doubled - 1} and {doubled}: {ratios.round(3)}")
assert ratios[0] < 2.0 <= ratios[1]
assert abs(takeover - doubled) <= 1

for n in (10**6, 10**12):
    depth = {field: sigprop.breakdown_depth(n, TOL, field=field) for field in ("complex", "real")}
    print(f"n = {n:.0e}: breakdown complex {depth['complex']}, real {depth['real']}")
    assert 0 <= depth["complex"] - depth["real"] <= 4
assert sigprop.classify(10**4, 400, field="real").name == "crossover"
assert sigprop.classify(10**4, 400).name == "critical"

# %% [markdown]
# The breakdown depths differ by the same few steps at every width. The forms of real weights state
# their errors too:

# %%
REAL_RNN_FORMS = {
    "fixed depth": asymptotics.real_sub_critical_rnn,
    "critical": asymptotics.real_critical_rnn,
    "uniform": asymptotics.real_uniform_rnn,
}
REAL_LRU_FORMS = {
    "critical, LRU": asymptotics.real_critical_lru,
    "uniform, LRU": asymptotics.real_uniform_lru,
}
n = 10**4
ends = {}
for forms, log_energy, t in (
    (REAL_RNN_FORMS, sigprop.log_rnn_energy, depths_up_to(4000, 81)),
    (REAL_LRU_FORMS, sigprop.log_lru_energy, depths_up_to(2000, 9 if FAST else 25)),
):
    reference = log_energy(n, t, field="real")
    for name, form in forms.items():
        result = form(n, t)
        true, stated = log_error(result, reference), np.asarray(result.relative_error)
        known = np.isfinite(stated)
        assert np.all(true[known] <= stated[known] + FLOAT * (1.0 + np.abs(reference[known])))
        inside = np.asarray(result.in_window)
        ends[name] = int(t[inside][-1])
        print(f"{name:15s} up to t = {ends[name]:<5d} true error up to {true[inside].max():.0e}")
assert ends["fixed depth"] < ends["critical"] < 500 < 4000 == ends["uniform"]
assert ends["uniform, LRU"] == 2000

# %% [markdown]
# On the command line: `sigprop regime --width 10000 --depth 300`, and `--field real`.
