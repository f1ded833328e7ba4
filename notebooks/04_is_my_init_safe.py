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
# # Is my initialisation safe?
#
# You have a recurrent layer of 256 units and sequences of 256 steps. Which of these is safe:
# PyTorch's default, Glorot, or something else? `sigprop.initialization` answers before anything is
# run, `sigprop.torch` measures it on the layer, and `sigprop.auditing` judges the weights that came
# out. This notebook does all three on a real `torch.nn.RNN`, and asserts everything it says.
#
# It needs PyTorch: `pip install 'sigprop[torch]'`.

# %%
import math
import os

import numpy as np
import torch
from matplotlib.figure import Figure

from sigprop import plots
from sigprop.auditing import audit
from sigprop.initialization import framework_defaults, gain_report
from sigprop.torch import EnergyMonitor, gaussian_recurrent_, rotation_

# %matplotlib inline

FAST = bool(os.environ.get("SIGPROP_FAST"))  # fewer draws, the same statements

WIDTH, LENGTH = 256, 256

# %% [markdown]
# ## What theory says
#
# The weights matter through their gain $g$, $g^2 = n\,E|W_{ij}|^2$, and through the draw. Without
# inputs the energy per unit after $t$ steps, $\|h_t\|^2/n$, is $g^{2t}$ times that of gain 1, which
# in a network of finite width is not 1:

# %%
for row in framework_defaults(WIDTH, LENGTH):
    print(f"{row.name:40s} g^2 = {row.gain_squared:.3f}  {row.verdict}")

default, glorot = framework_defaults(WIDTH, LENGTH)[:2]
assert default.verdict == "vanishes"
assert glorot.verdict == "explodes"

# %% [markdown]
# The largest gain that keeps the energy of 95 draws in 100 below 10 at every step, and the line to
# paste (on the command line: `sigprop gain --width 256 --length 256`):

# %%
report = gain_report(WIDTH, LENGTH)
print(f"gain 1, a median draw: energy e^{report.default_gain_median:.1f} at the end")
print(f"safe gain: {report.safe_gain:.4f} +- {report.safe_gain_error:.4f}")
print(report.paste["torch"])
assert report.safe_gain < report.median_unit_gain < 1.0

# %% [markdown]
# The gain at which the *mean* energy is 1 is of no use here: the mean is carried by rare draws.

# %%
print(f"gain of mean energy 1: {report.mean_unit_gain:.4f}")
print(report.remark)
assert report.mean_unit_gain_log_energy < -100.0

# %% [markdown]
# ## What the layer does
#
# Three copies of a layer. The state starts so small that tanh is linear: this is the regime in
# which signals and gradients either survive or do not. `EnergyMonitor` reads the states of the
# running layer, and knows what a linear Gaussian recurrence of the measured gain would do.

# %%
SMALL = 1e-8  # size of the first state


def new_layer():
    return torch.nn.RNN(1, WIDTH, bias=False, dtype=torch.float64)


def run(layer, batch=16):
    """Run the layer without inputs from small random states; return its monitor."""
    states = SMALL * torch.randn(1, batch, WIDTH, dtype=torch.float64)
    with EnergyMonitor(layer) as monitor, torch.no_grad():
        layer(torch.zeros(LENGTH, batch, 1, dtype=torch.float64), states)
    return monitor


torch.manual_seed(3)
layers = {"default": new_layer(), "Glorot": new_layer(), "safe gain": new_layer()}
torch.nn.init.xavier_normal_(layers["Glorot"].weight_hh_l0)
gaussian_recurrent_(layers["safe gain"].weight_hh_l0, LENGTH)

monitors = {name: run(layer) for name, layer in layers.items()}
energies = {name: monitor.energies() / SMALL**2 for name, monitor in monitors.items()}
predictions = {name: monitor.predicted() for name, monitor in monitors.items()}
last = {name: math.log(values[-1]) for name, values in energies.items()}
for name, predicted in predictions.items():
    low, high = predicted.log_low[-1], predicted.log_high[-1]
    print(
        f"{name:9s} gain {predicted.gain:.3f}: energy e^{last[name]:.1f} after {LENGTH} steps, "
        f"predicted e^{low:.1f} to e^{high:.1f}"
    )
    assert low < last[name] < high

assert last["default"] < -200.0
assert last["Glorot"] > 10.0
assert last["safe gain"] < math.log(10.0)

# %% [markdown]
# Dashed lines are the predicted means, shaded the bands from 5 % to 95 % of draws; on the right the
# same closer to 1. The mean leaves the band where rare draws carry it.

# %%
figure = Figure(figsize=(8.5, 3.4), layout="constrained")
everything, closer = figure.subplots(1, 2)
for axes in (everything, closer):
    plots.energies_over_time(axes, energies, [known.band() for known in predictions.values()])
closer.set_ylim(-45.0, 45.0)
everything.legend(fontsize="small")
figure

# %% [markdown]
# ## One draw, or many
#
# The safe gain is a statement on draws: at most 5 in 100 may pass the bound. So it is measured on
# many.

# %%
DRAWS = 40 if FAST else 200


def share_below(fill, bound=10.0):
    layer, count = new_layer(), 0
    for _ in range(DRAWS):
        fill(layer.weight_hh_l0)
        count += bool(run(layer, batch=1).energies()[-1] <= bound * SMALL**2)
    return count / DRAWS


safe = share_below(lambda weights: gaussian_recurrent_(weights, LENGTH))
unsafe = share_below(torch.nn.init.xavier_normal_)
print(f"energy below 10 at the end: safe gain {safe:.1%}, Glorot {unsafe:.1%} of {DRAWS} draws")

error = math.sqrt(0.95 * 0.05 / DRAWS)  # of a share of 95 %
assert abs(safe - 0.95) < 4.0 * error
assert unsafe < 0.95 - 4.0 * error

# %% [markdown]
# ## The audit of a checkpoint
#
# A state dict (or a file: `sigprop audit layer.pt`) is all that the audit needs. It measures the
# powers of the very matrix, says where it parts from a random one, and what to change.

# %%
DEPTHS = [2**power for power in range(9)]

records = {
    name: audit(layer.state_dict(), DEPTHS, key="weight_hh").tensors[0]
    for name, layer in layers.items()
}
for name, record in records.items():
    print(f"{name}: {record.verdict}\n")
    # Sixteen states, not all, after 256 steps: a fluctuation, not a rounding.
    assert abs(record.log_energy[-1] - last[name]) < 1.0

assert "it fades" in records["default"].verdict
assert "it grows" in records["Glorot"].verdict

# %% [markdown]
# The gain protects from explosion, not one draw from fading: at $c = t/\sqrt{n} = 16$ draws of one
# gain differ by powers of ten. The audit says which factor this matrix needs. Or take weights whose
# energy is 1 at every step for every draw: rotations.

# %%
factor = math.exp(-records["safe gain"].log_energy[-1] / (2 * LENGTH))
assert f"Multiply W by {factor:.6g}" in records["safe gain"].verdict
with torch.no_grad():
    layers["safe gain"].weight_hh_l0.mul_(factor)
mended = run(layers["safe gain"]).energies()[-1] / SMALL**2

turning = new_layer()
rotation_(turning.weight_hh_l0)
turned = run(turning).energies() / SMALL**2
print(f"energy at the end: mended {mended:.3f}, rotation {turned[-1]:.3f}")
assert 0.3 < mended < 3.0
assert np.ptp(turned) < 1e-9

# %% [markdown]
# ## Gates
#
# An LSTM keeps four matrices in one tensor, and each gate is judged on its own: never the tensor as
# one matrix. Its energies are measured like any other. What theory says of them stops at the gates:
# the audit says so, and the monitor asks for the gain.

# %%
lstm = torch.nn.LSTM(8, 64)
gates = audit(lstm.state_dict(), [1, 8, 64], key="weight_hh").tensors
for gate in gates:
    profile = np.round(gate.log_energy, 1).tolist()
    print(f"{gate.name}: gain^2 {gate.gain_squared:.3f}, log energies {profile}")
print("\nCovers", gates[0].not_covered)
assert [gate.block for gate in gates] == ["i", "f", "g", "o"]
assert all(abs(gate.gain_squared - 1.0 / 3.0) < 0.02 for gate in gates)

with EnergyMonitor(lstm) as monitor:
    lstm(torch.randn(100, 4, 8))
print(f"energy of the states after 100 steps: {monitor.energies()[-1]:.4f}")
assert monitor.counts().tolist() == [4] * 100
try:
    monitor.predicted()
except ValueError as refusal:
    print(refusal)
else:
    raise AssertionError
