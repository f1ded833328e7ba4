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
# # The recurrences that people use
#
# Diagonal LRU, RotRNN, S4D, S4 and S5 at initialisation: how large is the state after $t$ steps,
# which normalisation keeps it constant and for which inputs, and how far back does the layer
# remember? Each family answers exactly. This notebook looks at the norm over time of RotRNN and
# LRU for white and for constant inputs, at a normalisation that overshoots by a factor of ten, at
# the median layer against the mean, at memory horizons, at a recurrence with the spectrum of a
# Gaussian matrix and another energy, and at RotRNN and LRU as one and the same map. Everything it
# says it asserts.

# %%
import math
import os

import numpy as np
from matplotlib.figure import Figure
from scipy.integrate import quad

import sigprop
from sigprop import exact, plots
from sigprop.gallery import writing
from sigprop.recurrences import DiagonalLRU, GaussianLRU, GinibreSpectrum, from_layer
from sigprop.recurrences.converters import lru_to_rotrnn, rotrnn_to_lru
from sigprop.recurrences.diagonal_lru import CODE_MAX_PHASE, PRESETS
from sigprop.recurrences.rotrnn import RotRNN
from sigprop.recurrences.s4 import S4
from sigprop.recurrences.s4d import S4D
from sigprop.recurrences.s5 import S5

# %matplotlib inline

FAST = bool(os.environ.get("SIGPROP_FAST"))  # fewer draws, the same statements
SAMPLES = 256 if FAST else 1024

# %% [markdown]
# ## Norm over time, white inputs
#
# An LRU scales its inputs by $\gamma = \sqrt{1 - |\lambda|^2}$, a RotRNN by $\xi = \sqrt{(1 -
# \gamma^2)/\operatorname{tr} B^T B}$, so that the energy stays at one: per unit of an LRU, per head
# of a RotRNN. From a zero state neither does from the start. The transient is the same,
# $1 - |\lambda|^{2(t+1)}$ and $1 - \gamma^{2(t+1)}$, and a RotRNN whose first input is not scaled
# down has none.

# %%
steps = np.array([0, 1, 3, 10, 30, 100, 300, 1000, 3000])
decay = 0.99
lru = DiagonalLRU(32, decay, decay)
rot = RotRNN(4, 8, decay, decay)
unit = RotRNN(4, 8, decay, decay, first_step="unit")
transient = -np.expm1(2 * (steps + 1) * math.log(decay))
assert np.allclose(lru.state_energy(steps), transient, rtol=1e-13, atol=0)
assert np.allclose(rot.head_energy(steps), transient, rtol=1e-13, atol=0)
assert np.all(unit.head_energy(steps) == 1.0)
assert np.all(DiagonalLRU(32, decay, decay, first_step="unit").state_energy(steps) == 1.0)

# The ring law of the LRU, taken for the decays of a RotRNN, gives the same mean energies.
ring_lru = DiagonalLRU(32, 0.9, 0.999)
ring_rot = RotRNN(4, 8, 0.9, 0.999, decay="ring")
assert np.allclose(ring_lru.state_energy(steps), ring_rot.head_energy(steps), rtol=1e-12, atol=0)

# The law of the published code is another one, and takes five times as long to settle.
rot_code = RotRNN(4, 8)
print("burn-in to 95 %: LRU ring [0.9, 0.999]", int(ring_lru.horizon("burn_in")), "steps,", end=" ")
print("RotRNN code", int(rot_code.horizon("burn_in")), "steps")
assert ring_lru.horizon("burn_in") == 88
assert rot_code.horizon("burn_in") == 482

# %% [markdown]
# For a RotRNN this is not only true in the mean. Rotations keep norms and $\xi$ divides by the
# trace that was drawn, so every single layer has that energy. An LRU layer has it on average over
# $B$. The energies of one given layer are those of `from_layer`:


# %%
def quenched(layer, inputs="white"):
    """The recurrence of one drawn diagonal layer, its input scale taken into B."""
    b = layer.scale[:, np.newaxis] * layer.input_matrix
    return from_layer(log_eigenvalues=layer.log_eigenvalue, B=b, inputs=inputs)


rng = np.random.default_rng(1)
one_head = RotRNN(1, 8, decay, decay, input_size=4)
of_rot = [quenched(rotrnn_to_lru(one_head.sample(rng))) for _ in range(20)]
of_lru = [quenched(DiagonalLRU(8, decay, decay, input_size=4).sample(rng)) for _ in range(20)]
assert {recurrence.average for recurrence in of_rot} == {"quenched"}
for recurrence in of_rot:
    assert np.allclose(recurrence.layer_energy(steps), transient, rtol=1e-12, atol=0)
spread = np.std([recurrence.stationary_energy() for recurrence in of_lru])
print(f"stationary energy of 20 RotRNN layers: 1 each; of 20 LRU layers: 1 +- {spread:.2f}")
assert 0.05 < spread < 0.5

# %% [markdown]
# ## Norm over time, constant inputs
#
# White noise is one input law. For a constant input the energy of a mode is $(1 - |\lambda|^2)\,|1
# - \lambda^{t+1}|^2/|1 - \lambda|^2$, and its mean depends on the phases. If they fill the circle
# the mean energy is that of white inputs, at every step and for every autocorrelation: such a layer
# is blind to colour. If they do not, it is not. Phases up to $\pi/10$:

# %%
for inputs in ("constant", ("ar1", 0.9), [1.0, 0.5, 0.2]):
    for recurrence in (ring_lru, rot_code):
        assert np.allclose(
            recurrence.state_energy(steps, inputs), recurrence.state_energy(steps), rtol=1e-9
        )

narrow = {"max_phase": math.pi / 10}
models = {
    "LRU, ring": DiagonalLRU(32, 0.9, 0.999, **narrow),
    "RotRNN, scaled first step": RotRNN(4, 8, **narrow),
    "RotRNN, unit first step": RotRNN(4, 8, **narrow, first_step="unit"),
}
sampled_steps = [0, 2, 8, 32, 100]
cells = {}
for name, model in models.items():
    for inputs in ("white", "constant"):
        run = sigprop.simulate(model, sampled_steps, SAMPLES, rng=2, inputs=inputs).cells
        cells[name, inputs] = run
        without_theory = name.endswith("unit first step") and inputs == "constant"
        for cell in run:
            assert (cell.z is None) if without_theory else abs(cell.z) < 4, (name, inputs, cell)

curve_steps = np.unique(np.round(np.geomspace(1, 5001, 60)).astype(np.int64)) - 1
total = {name: model.units_per_head for name, model in models.items()}
total["LRU, ring"] = 1  # per unit
with writing.house_style():
    figure = Figure(figsize=(8.2, 3.5), layout="constrained")
    for axes, inputs in zip(figure.subplots(1, 2), ("white", "constant"), strict=True):
        exact_lines, points = [], []
        for name, model in models.items():
            try:
                energies = total[name] * model.state_energy(curve_steps, inputs)
            except ValueError:  # no formula: sampled only
                exact_lines.append(None)
            else:
                exact_lines.append(plots.Curve(name, curve_steps + 1, energies))
            run = cells[name, inputs]
            points.append(
                plots.Curve(
                    "" if exact_lines[-1] else f"{name}, sampled",
                    [cell.depth + 1 for cell in run],
                    [total[name] * cell.mean for cell in run],
                    [total[name] * cell.standard_error for cell in run],
                )
            )
        plots.compared_lines(axes, exact_lines, points)
        axes.set_xscale("log")
        axes.set_xlabel("inputs seen, $t + 1$")
        axes.set_ylabel("mean energy, per unit (LRU) or head")
        axes.set_title(f"{inputs} inputs")
        axes.set_ylim(bottom=0.0)
        axes.legend(loc="lower right")
figure

# %% [markdown]
# ## The overshoot of PathX
#
# The published LRU for PathX has a ring of $[0.999, 0.9999]$ and phases up to $\pi/10$. Its
# normalisation is made for white inputs, and pixels are not white. For constant inputs the mean
# energy settles at 9.99 instead of 1. Over the phases it is an integral of the Poisson kernel,
#
# $$ \frac1\varphi\int_0^\varphi \frac{1 - r^2}{|1 - re^{i\theta}|^2}\,d\theta
#    = \frac2\varphi \arctan\frac{(1 + r)\tan(\varphi/2)}{1 - r}\;\to\;\frac\pi\varphi
#    \quad (r \to 1). $$

# %%
pathx = DiagonalLRU.from_preset("PathX")
overshoot = pathx.stationary_energy("constant")


def kernel_mean(q: float, phase: float) -> float:
    r = math.sqrt(q)
    angle = math.atan2((1 + r) * math.sin(phase / 2), (1 - r) * math.cos(phase / 2))
    return 2 / phase * angle


low, high = pathx.r_min**2, pathx.r_max**2
by_quadrature = quad(kernel_mean, low, high, args=(pathx.max_phase,), epsrel=1e-12)[0]
print(f"white {pathx.stationary_energy():.6f}, constant {overshoot:.6f}")
assert abs(pathx.stationary_energy() - 1) < 1e-12
assert abs(overshoot - 9.99) < 0.005
assert abs(by_quadrature / (high - low) / overshoot - 1) < 1e-10

print("colour of the inputs:")
previous = 1.0
for rho in (0.5, 0.9, 0.99):
    energy = pathx.stationary_energy(("ar1", rho))
    print(f"  AR(1), rho = {rho:<5g} {energy:.3f}")
    assert previous < energy < overshoot
    previous = energy

print("largest phase, constant inputs:")
for name, phase in {
    "pi/50": math.pi / 50,
    "pi/10": math.pi / 10,
    "pi": math.pi,
    "6.28": CODE_MAX_PHASE,
    "2 pi": 2 * math.pi,
}.items():
    energy = DiagonalLRU.from_preset("PathX", max_phase=phase).stationary_energy("constant")
    print(f"  {name:6s} {energy:8.4f}   pi/phase {math.pi / phase:8.4f}")
    if phase <= math.pi:
        assert 0.99 * math.pi / phase < energy < math.pi / phase * (1 + 1e-12)
assert abs(energy - 1) < 1e-12  # the whole circle

# %% [markdown]
# The public code writes 6.28 for $2\pi$. The wedge of three milliradians that this leaves out next
# to phase zero is where half of the energy of constant inputs is. A RotRNN overshoots as an LRU
# does; a scale made for constant inputs (or for AR(1) inputs of a given correlation) does not:

# %%
code_phase = DiagonalLRU.from_preset("PathX", max_phase=CODE_MAX_PHASE)
assert abs(code_phase.stationary_energy("constant") - 0.5544) < 5e-5
ring = {"gamma_min": 0.999, "gamma_max": 0.9999, **narrow}
for law in ("ring", "log_uniform"):
    model = RotRNN(8, 32, decay=law, **ring)
    energy = model.units_per_head * model.stationary_energy("constant")
    print(f"RotRNN, {law}: {energy:.4f} per head")
    assert abs(energy - 9.99) < 0.005
for rho, matched in ((1.0, "constant"), (0.9, ("ar1", 0.9))):
    repaired = DiagonalLRU.from_preset("PathX", normalization=matched)
    inputs = "constant" if rho == 1.0 else ("ar1", rho)
    assert abs(repaired.stationary_energy(inputs) - 1) < 1e-10

# %% [markdown]
# ## The median layer is not the mean
#
# The mean over initialisations is carried by few modes near phase zero. One layer of 256 modes has
# no such average; `from_layer` gives its energy at every step. The median PathX layer overshoots by
# seven, one in twenty by more than twenty-five. With the full circle the mean is one and the median
# layer is at a tenth of it: the mean of one, that makes the normalisation exact, is what almost no
# layer has.


# %%
def layer_energies(model, times, draws, seed):
    """Energy per unit of single layers for constant inputs, shape (draws, times)."""
    rng = np.random.default_rng(seed)
    result = []
    for _ in range(draws):
        layer = model.sample(rng)
        log = layer.log_eigenvalue
        share = (layer.scale / np.abs(np.expm1(log))) ** 2
        grown = np.abs(np.expm1(np.multiply.outer(times + 1.0, log))) ** 2
        result.append((grown * share).mean(axis=-1))
    return np.array(result)


DRAWS = 600 if FAST else 2000
times = np.unique(np.round(np.geomspace(1, 1e5, 41)).astype(np.int64))
energies = layer_energies(pathx, times, DRAWS, 3)
full = layer_energies(
    DiagonalLRU.from_preset("PathX", max_phase=2 * math.pi), times[-1:], DRAWS, 4
)[:, 0]
settled = energies[:, -1]

# The same numbers by the public interface.
layer = pathx.sample(np.random.default_rng(3))
one = from_layer(log_eigenvalues=layer.log_eigenvalue, B=np.diag(layer.scale))
assert np.allclose(one.state_energy(times, "constant"), energies[0], rtol=1e-10)

for name, values, mean in (("phase pi/10", settled, overshoot), ("full circle", full, 1.0)):
    low, median, high = np.quantile(values, (0.05, 0.5, 0.95))
    print(f"{name}: mean {mean:.3f}, median layer {median:.3f}, 5 to 95 % {low:.3f} to {high:.3f}")
error = settled.std(ddof=1) / math.sqrt(DRAWS)
assert abs(settled.mean() - overshoot) < 4 * error
assert 6.0 < np.median(settled) < 8.2
assert np.quantile(settled, 0.05) < 1.5 < 20 < np.quantile(settled, 0.95)
assert np.median(full) < 0.15
assert np.mean(full < 1.0) > 0.8

with writing.house_style():
    figure = Figure(figsize=(5.4, 3.4), layout="constrained")
    quantiles = np.quantile(energies, (0.05, 0.25, 0.5, 0.75, 0.95), axis=0)
    axes = plots.energy_bands(
        figure.add_subplot(),
        plots.Bands(
            times,
            (quantiles[0], quantiles[4]),
            (quantiles[1], quantiles[3]),
            quantiles[2],
            pathx.state_energy(times, "constant"),
            outer_label="5 % to 95 % of layers",
        ),
    )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("step $t$")
    axes.set_ylabel("energy per unit, constant inputs")
    axes.set_title("PathX, 256 modes")
    axes.legend(loc="lower right")
figure

# %% [markdown]
# ## Memory horizons
#
# In steps, for white inputs: the mean lag of what is in the state, the lags within which half and
# 90 % of the energy lie, the burn-in to 95 %, and the share that is older than 1024 steps.

# %%
families = {f"LRU {task}": DiagonalLRU.from_preset(task) for task in PRESETS}
families["LRU code default"] = DiagonalLRU(256)
families["RotRNN code"] = RotRNN(64, 32)
for init in ("lin", "inv", "legs", "real"):
    for discretization in ("zoh", "bilinear"):
        families[f"S4D-{init} {discretization}"] = S4D(init=init, discretization=discretization)
families["S5"] = S5()

table = {}
print(f"{'':20s}  mean lag  half  90 %  95 %  older than 1024")
for name, model in families.items():
    kinds = ("mean_lag", "half_energy", ("burn_in", 0.9), "burn_in", ("tail", 1024))
    row = [model.horizon(kind) for kind in kinds]
    table[name] = row
    print(f"{name:20s} {row[0]:9.1f} {row[1]:5.0f} {row[2]:5.0f} {row[3]:5.0f}  {row[4]:.1e}")

published = {
    "LRU sCIFAR": (23.23, 7, 47, 88, 6.7e-4),
    "LRU ListOps": (2.997, 0, 7, 14, 1.1e-12),
    "LRU Text": (1.452, 1, 4, 6, 0.0),
    "LRU PathX": (1278.7, 687, 3022, 4508, 0.372),
    "LRU code default": (math.inf, 0, 8, 18, 9.7e-4),
    "RotRNN code": (105.8, 28, 293, 482, 9.8e-3),
    "S4D-inv bilinear": (816.5, 31, 435, 1413, 0.060),
    "S4D-legs zoh": (57.2, 18, 120, 224, 5.1e-3),
}
for name, row in published.items():
    mean_lag, *lags, tail = table[name]
    assert mean_lag == row[0] or abs(mean_lag / row[0] - 1) < 2e-3
    assert tuple(lags) == row[1:4]
    assert abs(tail - row[4]) <= 0.01 * row[4] + 1e-20

# %% [markdown]
# Half of the energy of the default LRU is the current input, although its mean lag is infinite. The
# only initialisation in the table that remembers a sequence of thousands is that of PathX.
#
# ## S4D, S4, S5: a step size in place of a normalisation
#
# State-space layers are not normalised: for constant inputs the discretisation does it, the energy
# of a mode being $1/|A|^2$ at every step size. Under white noise the energy is about
# $\Delta/2\alpha$ (exactly so for the bilinear rule), and so proportional to the step size.

# %%
print("step size   S4D-lin white, zoh   bilinear   constant   S4, per channel: white  constant")
constants = set()
for dt in (1e-3, 1e-2, 1e-1):
    step_size = {"dt_min": dt, "dt_max": dt}
    zoh, bilinear = S4D(**step_size), S4D(discretization="bilinear", **step_size)
    dense = S4(64, **step_size)
    numbers = [
        zoh.units_per_head * zoh.stationary_energy(),
        bilinear.units_per_head * bilinear.stationary_energy(),
        zoh.units_per_head * zoh.stationary_energy("constant"),
        dense.units_per_head * dense.stationary_energy(),
        dense.units_per_head * dense.stationary_energy("constant"),
    ]
    print("{:9g}   {:18.5f} {:10.5f} {:10.5f} {:23.5f} {:9.5f}".format(dt, *numbers))
    # alpha = 1/2: Delta/(2 alpha) = Delta for each of the 32 modes.
    assert abs(numbers[1] / (32 * dt) - 1) < 1e-12
    assert numbers[0] < numbers[1]
    by_modes = sum(1 / abs(complex(-0.5, math.pi * m)) ** 2 for m in range(32))
    assert abs(numbers[2] / by_modes - 1) < 1e-12
    assert abs(bilinear.units_per_head * bilinear.stationary_energy("constant") / by_modes - 1) < (
        1e-12
    )
    # HiPPO-LegS, the whole matrix: Delta N/2, and 1 for constant inputs.
    assert abs(numbers[3] / (dt * 64 / 2) - 1) < 1e-10
    assert abs(numbers[4] - 1) < 1e-10

outputs = {init: S4D(init=init).output_energy() for init in ("lin", "inv", "legs", "real")}
print("E y^2 at default step sizes:", {init: round(y, 3) for init, y in outputs.items()})
assert {init: round(y, 3) for init, y in outputs.items()} == {
    "lin": 0.847,
    "inv": 0.989,
    "legs": 0.939,
    "real": 0.085,
}
names = ("lecun_normal", "trunc_standard_normal", "complex_normal")
by_init = [S5(c_init=name).output_energy() for name in names]
print("E y^2 of S5 by the initialisation of C:")
for name, y in zip(names, by_init, strict=True):
    print(f"  {name:22s} {y:.2g}")
assert abs(by_init[2] / by_init[0] - 128 * 256 / 2) < 1e-6 * 128 * 256

# %% [markdown]
# ## Same spectrum, different energy
#
# The ring law comes from the spectrum of a Gaussian matrix. A diagonal recurrence with exactly the
# eigenvalues of $W$ has $Q^{eig}_{n,k} = \frac{1}{k+1}\prod_{j \le k}(1 + j/n)$, close to
# $1/(k+1)$; the matrix itself has $Q_{n,k} \ge 1$. The ratio,
#
# $$ \frac{n+k+1}{k+2}\Big(1 - \prod_{j \le k+1}\frac{n-j}{n+j}\Big) \approx
#    k\,\frac{1 - e^{-c^2}}{c^2}, \quad c = k/\sqrt n, $$
#
# is due to $W$ not being normal, which no choice of eigenvalues can imitate.

# %%
n = 4096
lags = np.unique(np.round(np.geomspace(1, 4 * 64, 40)).astype(np.int64))
diagonal = GinibreSpectrum(n).impulse_energy(lags)
dense_energy = sigprop.rnn_energy(n, lags)
c = lags / math.sqrt(n)
for lag, value in zip(lags[:6], diagonal, strict=False):
    product = math.prod(1 + j / n for j in range(1, int(lag) + 1)) / (lag + 1)
    assert abs(value / product - 1) < 1e-13
ratio = dense_energy / diagonal
for lag, value in zip(lags, ratio, strict=True):
    vanishing = math.prod((n - j) / (n + j) for j in range(1, int(lag) + 2))
    assert abs(value / ((n + lag + 1) / (lag + 2) * (1 - vanishing)) - 1) < 1e-11
predicted = lags * -np.expm1(-(c**2)) / c**2
critical = (c > 0.5) & (c < 2)
assert np.all(np.abs(ratio / predicted - 1)[critical] < 0.05)

with writing.house_style():
    figure = Figure(figsize=(5.2, 3.3), layout="constrained")
    axes = plots.compared_lines(
        figure.add_subplot(),
        [
            plots.Curve("Gaussian matrix", lags, dense_energy),
            plots.Curve("diagonal, its eigenvalues", lags, diagonal),
            plots.Curve("ring [0, 1]", lags, 1 / (lags + 1.0)),
        ],
    )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(f"lag $k$, at $n = {n}$")
    axes.set_ylabel("impulse energy $Q_k$")
    axes.legend(loc="lower left")

for model in (GaussianLRU(32), GinibreSpectrum(32)):
    (cell,) = sigprop.simulate(model, 8, SAMPLES, rng=5, method="direct").cells
    print(f"{cell.model:17s} S_8 = {cell.mean:.3f} +- {cell.standard_error:.3f}", end="")
    print(f", exact {cell.exact:.3f}")
    assert abs(cell.z) < 4
assert cell.exact < 0.4 * float(exact.lru_energy(32, 8))
figure

# %% [markdown]
# ## An input schedule that holds the norm constant
#
# Whatever mixture of decays a layer has, one scale $\xi_t$ for all its units keeps the mean energy
# constant from the first step on. For a Gaussian recurrence there is none:

# %%
schedule = rot_code.input_schedule(200, target=1 / rot_code.units_per_head)
impulse = rot_code.impulse_energy(np.arange(200))
held = np.array([schedule[: t + 1] @ impulse[t::-1] for t in range(200)])
print("xi_t^2 on top of xi:", schedule[[0, 1, 10, 100, 199]].round(5))
assert np.all(schedule > 0)
assert np.all(np.diff(schedule) <= 0)
assert np.allclose(rot_code.units_per_head * held, 1.0, rtol=1e-12)
try:
    GaussianLRU(64).input_schedule(10)
except ValueError as reason:
    refusal = str(reason)
print(refusal)
assert "no input scaling" in refusal

# %% [markdown]
# ## RotRNN and LRU are the same maps
#
# A head of $N$ units is $N$ diagonal modes $\gamma e^{\pm i\theta}$; a complex unit is a head of
# two units. Both converters are exact: the same outputs, and the same norm at every step.


# %%
def run(layer, inputs):
    """Outputs and squared norms of the state over time."""
    state = layer.first_state(inputs[0])
    outputs, norms = [layer.output(state, inputs[0])], [np.sum(np.abs(state) ** 2)]
    for u in inputs[1:]:
        state = layer.step(state, u)
        outputs.append(layer.output(state, u))
        norms.append(np.sum(np.abs(state) ** 2))
    return np.array(outputs), np.array(norms)


rng = np.random.default_rng(6)
u = rng.standard_normal((300, 5))
rot_layer = RotRNN(3, 6, input_size=5, output_size=5).sample(rng)
lru_layer = DiagonalLRU(12, 0.9, 0.999, input_size=5, output_size=5).sample(rng)
for layer, convert, back in (
    (rot_layer, rotrnn_to_lru, lru_to_rotrnn),
    (lru_layer, lru_to_rotrnn, rotrnn_to_lru),
):
    y, norms = run(layer, u)
    for other in (convert(layer), back(convert(layer))):
        y_other, norms_other = run(other, u)
        scale = np.abs(y).max()
        print(
            f"{type(layer).__name__} -> {type(other).__name__}: outputs differ by "
            f"{np.abs(y_other - y).max() / scale:.0e} of their scale"
        )
        assert np.abs(y_other - y).max() < 1e-12 * scale
    _, norms_other = run(convert(layer), u)
    assert np.allclose(norms_other, norms, rtol=1e-12)

# %% [markdown]
# What differs is how the input scale is kept. A RotRNN computes $\xi$ from the current $\gamma$ and
# $B$; an LRU trains $\gamma$ on its own. Moving $|\lambda|$ from 0.99 to 0.999 with the scale held
# multiplies the energy of the LRU by ten:

# %%
moved = from_layer([0.999] * 4, B=math.sqrt(1 - 0.99**2) * np.eye(4))
print(f"energy after the move: {moved.stationary_energy():.3f}")
assert abs(moved.stationary_energy() - (1 - 0.99**2) / (1 - 0.999**2)) < 1e-9
assert abs(moved.stationary_energy() - 9.955) < 1e-3

# %% [markdown]
# On the command line: `sigprop recurrence lru --preset PathX --inputs constant`.
