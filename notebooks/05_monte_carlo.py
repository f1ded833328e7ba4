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
# # Monte Carlo that tells the truth
#
# How large is $W^k x$ for a random $W$ of width $n$? Simulate it and average: that is what
# everybody does. It is right up to about $c = k/\sqrt{n} = 2$, and beyond $c = 3$ it is wrong by
# orders of magnitude with an error bar that says otherwise. This notebook shows where and why, how
# `sigprop` notices, and what to do instead: quantiles, importance sampling, and the exact mean
# beside all of them. Everything it says it asserts.

# %%
import math
import os
import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.stats import ks_2samp

import sigprop
from sigprop import fluctuations, montecarlo, plots
from sigprop.recurrences import GaussianLRU, GaussianRNN

# %matplotlib inline

FAST = bool(os.environ.get("SIGPROP_FAST"))  # fewer samples, the same statements

# %% [markdown]
# ## The error bar that lies
#
# Width 64, two thousand draws of $W$, energies $E = \|W^k x\|^2/n$ after 8 steps ($c = 1$) and
# after 64 steps ($c = 8$). Mean and standard error as in every textbook, the exact mean next to
# them:

# %%
rnn = GaussianRNN(64)
log_energies = montecarlo.simulate_log_energies(rnn, [8, 64], 2000, rng=1, method="krylov")
for depth, column in zip((8, 64), log_energies.T, strict=True):
    energies = np.exp(column)
    mean, error = energies.mean(), energies.std(ddof=1) / math.sqrt(energies.size)
    exact = sigprop.rnn_energy(64, depth)
    print(f"c = {depth // 8}: naive {mean:.4g} +- {error:.2g}, exact {exact:.4g}")

shallow, deep = np.exp(log_energies).mean(axis=0)
naive = np.exp(log_energies).std(axis=0, ddof=1) / math.sqrt(2000)
assert abs(shallow - sigprop.rnn_energy(64, 8)) < 2.0 * naive[0]
assert deep < sigprop.rnn_energy(64, 64) / 100.0  # far more than a hundred times too low ...
assert naive[1] < 0.4 * deep  # ... with an error bar of less than 40 percent

# %% [markdown]
# The mean at $c = 8$ is carried by draws so rare that two thousand of them do not hold one, and a
# sample cannot know of what it does not hold. The exact second moment does know, and says how many
# draws a relative error of 10 % takes:

# %%
for depth in (8, 16, 24, 64):
    needed = fluctuations.required_samples(64, depth, 0.1)
    print(f"c = {depth // 8}: 10^{math.log10(needed):.1f} trajectories")
assert fluctuations.required_samples(64, 8, 0.1) < 2000 < fluctuations.required_samples(64, 24, 0.1)
assert fluctuations.required_samples(64, 64, 0.1) > 10**16

# %% [markdown]
# `simulate` reads the shape of the sample's bulk, sees that the second moment lies where no draw
# is, refuses the error bar and says why:

# %%
fine, flagged = sigprop.simulate(rnn, [8, 64], 2000, rng=1, method="krylov").cells
assert fine.trustworthy
assert abs(fine.z) < 4.0
assert not flagged.trustworthy
assert flagged.standard_error is None
flagged.reason

# %% [markdown]
# ## Any width at the price of the depth
#
# The law of $W$ does not change under rotations, so in the basis that the trajectory itself spans
# it is a $(k+1) \times (k+1)$ Hessenberg matrix with independent entries, whatever the width. Same
# law, no $n \times n$ matrix: `method="auto"` takes it wherever it applies.

# %%
COUNT = 1000 if FAST else 4000
by_matrix = montecarlo.simulate_log_energies(GaussianRNN(16), 12, COUNT, rng=1, method="direct")
width_free = montecarlo.simulate_log_energies(GaussianRNN(16), 12, COUNT, rng=2, method="krylov")
other_law = montecarlo.simulate_log_energies(
    GaussianRNN(16, field="real"), 12, COUNT, rng=2, method="krylov"
)
assert ks_2samp(by_matrix[:, 0], width_free[:, 0]).pvalue > 1e-3
assert ks_2samp(by_matrix[:, 0], other_law[:, 0]).pvalue < 1e-3  # real weights are not the same

(wide,) = sigprop.simulate(GaussianRNN(10**9), 100, 256, rng=1).cells
assert wide.method == "krylov"
assert abs(wide.z) < 4.0
print(f"n = 1e9, k = 100: {wide.mean:.6f} +- {wide.standard_error:.6f}")
print(f"standard error, exact: {wide.exact_standard_error:.6f}")

# %% [markdown]
# The standard error of the sample agrees with the exact one there: at $c \ll 1$ plain Monte Carlo
# is honest.
#
# ## Quantiles do not care about the tail
#
# The number of draws below the true median is binomial whatever the law, so two order statistics
# enclose it with a known probability. Quantiles are what a single network will do, and at $c = 8$
# the typical energy is millions of times below the mean.

# %%
more = montecarlo.simulate_log_energies(rnn, [64], 1000 if FAST else 8000, rng=2, method="krylov")
for q in (0.05, 0.5, 0.95):
    estimate = montecarlo.quantile_estimate(log_energies[:, 1], q)
    low, value, high = np.exp([estimate.log_low, estimate.log_value, estimate.log_high])
    print(f"{q:4.0%} quantile {value:9.3g}, 95 % interval {low:9.3g} ... {high:9.3g}")
    # Another sample has that share of its draws below, to four standard errors of both.
    below = float((more <= estimate.log_value).mean())
    assert abs(below - q) < 4.0 * math.sqrt(q * (1.0 - q) * (1 / 2000 + 1 / len(more)))

assert flagged.median * 1e6 < flagged.exact

# %% [markdown]
# ## Importance sampling: the mean back, with an error bar that holds
#
# The draws that carry the mean have one large eigenvalue. Ritz importance sampling draws that
# eigenvalue first and the rest of the matrix given it, and weighs what it drew. `auto` takes it
# where the exact relative variance says that a plain sample is too small, and says so:

# %%
(rare,) = sigprop.simulate(rnn, 64, 500, rng=1).cells
print(f"method: {rare.method}, since {rare.choice}")
print(f"{rare.mean:.4g} +- {rare.standard_error:.2g}, exact {rare.exact:.4g}")
print(f"effective: {rare.effective_samples:.0f} of {rare.samples} samples")
assert rare.method == "importance"
assert rare.trustworthy
assert abs(rare.mean - rare.exact) < 1.96 * rare.standard_error
assert rare.standard_error < 0.02 * rare.mean
assert rare.effective_samples > 0.7 * rare.samples

# %% [markdown]
# Over a range of $c$, both samplers on the exact curve. A cross is a plain mean whose error bar was
# refused: the crosses leave the curve and never say so.

# %%
depths = [8, 12, 16, 24, 32, 40, 48, 64]
plain = sigprop.simulate(rnn, depths, 2000, rng=1, method="krylov").cells
rare_cells = [
    sigprop.simulate(rnn, depth, 200 if FAST else 500, rng=1, method="importance").cells[0]
    for depth in depths
    if depth >= 24
]
steps = np.arange(8, 65)


def curve(label, cells):
    errors = [cell.standard_error for cell in cells]
    return plots.Curve(label, [cell.c for cell in cells], [cell.mean for cell in cells], errors)


figure = Figure(figsize=(5.5, 3.4), layout="constrained")
axes = plots.sampled_energies(
    figure.add_subplot(),
    [plots.Curve("exact", steps / 8.0, sigprop.rnn_energy(64, steps))],
    [curve("plain, 2000 draws", plain), curve("importance sampling", rare_cells)],
)
axes.set_yscale("log")
axes.set_ylabel(r"$Q_{64,k}$")
axes.legend()

assert all(cell.trustworthy for cell in plain if cell.c <= 1.5)
assert not any(cell.trustworthy for cell in plain if cell.c >= 4.0)
assert all(abs(cell.z) < 4.0 for cell in rare_cells)
figure

# %% [markdown]
# ## Running estimates
#
# A mean that a few draws carry betrays itself: it creeps up and jumps as the sample grows. At $c =
# 1$ the running estimate settles on the exact value; at $c = 8$ it is more than a hundred times
# below it all along.

# %%
runs = []
for depth, column in zip((8, 64), log_energies.T, strict=True):
    running = montecarlo.running_estimates(column)
    exact = sigprop.rnn_energy(64, depth)
    runs.append(
        plots.Running(
            f"c = {depth // 8}",
            list(running),
            [estimate.mean / exact for estimate in running.values()],
            [
                None if estimate.standard_error is None else estimate.standard_error / exact
                for estimate in running.values()
            ],
        )
    )

figure = Figure(figsize=(5.5, 3.4), layout="constrained")
axes = plots.convergence(figure.add_subplot(), runs, exact=1.0)
axes.set_yscale("log")
axes.set_ylabel("mean / exact mean")
axes.legend()

critical, super_critical = runs
assert critical.standard_errors[-1] is not None
assert abs(critical.means[-1] - 1.0) < 0.05
assert set(super_critical.standard_errors) == {None}
assert max(super_critical.means) < 0.01
figure

# %% [markdown]
# The means of sixteen batches tell the same story: at $c = 1$ they agree, at $c = 8$ they differ by
# factors.

# %%
spread = [float(np.ptp(montecarlo.batch_means(column))) for column in log_energies.T]
print("largest over smallest batch mean:", ", ".join(f"{math.exp(s):.3g}" for s in spread))
assert spread[0] < math.log(2.0)
assert spread[1] > math.log(10.0)

# %% [markdown]
# ## A campaign that can be stopped
#
# Many cells, many samples, one file that keeps what is finished. Here a run is interrupted, run
# again, and then extended; the result is that of a run without interruption, bit for bit, and would
# be on any number of threads, processes or machines.

# %%
grid = [GaussianRNN(64), GaussianLRU(256)]
campaign = montecarlo.Campaign.grid(grid, samples=1000, seed=1, c=[0.5, 1.0])


def stop_half_way(done, total):
    if done >= total // 2:
        raise KeyboardInterrupt


with tempfile.TemporaryDirectory() as folder:
    store = Path(folder) / "campaign.db"
    try:
        campaign.run(store=store, progress=stop_half_way)
    except KeyboardInterrupt:
        print("interrupted")

    calls = []
    resumed = campaign.run(store=store, progress=lambda *call: calls.append(call))
    print(f"resumed at {calls[0][0]} of {calls[0][1]} trajectories")

    calls = []
    larger = montecarlo.Campaign.grid(grid, samples=1500, seed=1, c=[0.5, 1.0])
    extended = larger.run(store=store, progress=lambda *call: calls.append(call))
    print(f"extended from {calls[0][0]} to {calls[-1][0]} trajectories")

uninterrupted = campaign.run()
assert resumed == uninterrupted
assert all(
    np.array_equal(one, other)
    for one, other in zip(resumed.log_energies, uninterrupted.log_energies, strict=True)
)
assert extended == larger.run()
assert 0 < calls[0][0] < calls[-1][0] == 3000
assert all(early[0] <= late[0] for early, late in pairwise(calls))

# %% [markdown]
# Every cell of it agrees with theory:

# %%
for cell in extended.cells:
    print(
        f"{cell.model} n={cell.width:<4d} depth={cell.depth:<3d} "
        f"{cell.mean:8.4f} +- {cell.standard_error:.4f}  exact {cell.exact:8.4f}  z {cell.z:+.1f}"
    )
assert all(cell.trustworthy and abs(cell.z) < 4.0 for cell in extended.cells)

# %% [markdown]
# On the command line: `sigprop simulate --width 64 --c 0.5 1 --samples 1500 --seed 1 --store
# campaign.db`. Interrupt it, kill it, run it again.
