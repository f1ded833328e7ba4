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
# # Real weights
#
# Every default initialisation is real, and the theory of the mean energy was complex: for real
# Gaussian weights only the inequality $Q^R_{n,k} \ge Q_{n,k}$ was known. `sigprop` has the exact
# value. This notebook shows what it says: the same critical profile, a gap that is known exactly,
# twice the exponent far beyond $\sqrt n$, an input law that matters, and what one draw of $W$ does
# as opposed to the mean. Everything it says it asserts.

# %%
import math
import os

import numpy as np
import sympy

import sigprop
from sigprop import asymptotics, exact
from sigprop.gallery import real_weights, writing
from sigprop.recurrences import GaussianLRU, GaussianRNN
from sigprop.typical import energy_quantiles

# %matplotlib inline

FAST = bool(os.environ.get("SIGPROP_FAST"))  # fewer samples, the same statements

# %% [markdown]
# ## Exact, as a fraction and as a polynomial in 1/n
#
# A closed form of O(k) terms; its proof, down to symbolic identities that the test suite runs
# again, is in the documentation ("Real Gaussian weights").

# %%
n = sympy.Symbol("n")
print("Q^R at n = 7, k = 3:", exact.rnn_energy(7, 3, field="real"))
for k in (2, 3, 4, 5):
    print(
        f"k = {k}:  real {exact.rnn_energy(n, k, field='real')},  complex {exact.rnn_energy(n, k)}"
    )

assert str(exact.rnn_energy(7, 3, field="real")) == "417/343"
assert exact.rnn_energy(7, 3, field="real") == exact.rnn_energy(n, 3, field="real").subs(n, 7)

# %% [markdown]
# The gap $Q^R - Q$ has non-negative coefficients only, so real weights never have less energy:

# %%
for k in range(2, 9):
    gap = sympy.expand(exact.rnn_energy(n, k, field="real") - exact.rnn_energy(n, k))
    assert all(coefficient > 0 for coefficient in gap.as_coefficients_dict().values())
print("gap at k = 8:", gap)

# %% [markdown]
# ## One critical profile, and the gap below it
#
# At $k = c\sqrt n$ both energies tend to $F(c) = (2/c^2)\sinh(c^2/2)$. The gap is
# $\psi(c)/\sqrt n$, known in closed form:

# %%
c = 1.0
for width in (100, 400, 1600, 6400):
    k = round(c * math.sqrt(width))
    gap = float(exact.rnn_energy(width, k, field="real") - exact.rnn_energy(width, k))
    print(f"n = {width:5d}: sqrt(n) (Q^R - Q) = {gap * math.sqrt(width):.5f}")
psi = float(asymptotics.real_correction(c))
print(f"psi(1)  = {psi:.5f} = {asymptotics.real_correction_integral_form(c):.5f} (double integral)")
assert abs(gap * math.sqrt(width) / psi - 1) < 0.03

# %% [markdown]
# ## Then twice the exponent
#
# Far beyond $\sqrt n$ the real eigenvalues take over: $Q^R \approx \frac{1}{2k+1}\prod_{j=0}^{k}
# (1 + 2j/n)$, exponent $k^2/n$ where complex weights have $k^2/(2n)$. Thresholds computed for
# complex weights are not conservative there.

# %%
depths = np.array([10, 20, 30, 40])
real = sigprop.log_rnn_energy(100, depths, field="real")
complex_ = sigprop.log_rnn_energy(100, depths)
for row in zip(depths, real, complex_, strict=True):
    print("n = 100, k = {}: log Q^R = {:.6f}, log Q = {:.6f}".format(*row))
print("takeover depth:", asymptotics.takeover_depth(100))
assert np.all(real > complex_)
far = sigprop.log_rnn_energy(10_000, 1200, field="real") - sigprop.log_rnn_energy(
    10_000, 800, field="real"
)
near = sigprop.log_rnn_energy(10_000, 1200) - sigprop.log_rnn_energy(10_000, 800)
print(f"growth from c = 8 to 12 at n = 10^4: real {far:.3f}, complex {near:.3f}")
assert 1.9 < far / near < 2.0

# %%
with writing.house_style():
    figure = real_weights.plot(real_weights.compute(fast=FAST))
figure

# %% [markdown]
# ## The input law matters
#
# With complex weights every input law of unit variance gives the same mean energy. With real ones
# $E\,\mathrm{tr}\,(W^i)^T W^j$ does not vanish for even $i + j$, and a constant input is worse than
# a fresh one, at leading order:

# %%
laws = {"white": "white", "AR(1), rho = 0.9": ("ar1", 0.9), "constant": "constant"}
energies = {}
for name, law in laws.items():
    energies[name] = float(sigprop.lru_energy(400, 40, field="real", inputs=law))
    same = float(sigprop.lru_energy(400, 40, inputs=law))
    print(f"{name:18s} real {energies[name]:.4f}   complex {same:.4f}")
assert energies["white"] < energies["AR(1), rho = 0.9"] < energies["constant"]
assert exact.lru_energy(n, 2, field="real", inputs="constant") == 3 + 2 / n + 2 / n**2

# %% [markdown]
# The simulation agrees, with one input drawn and repeated:

# %%
lru = GaussianLRU(64, "real", inputs="constant")
(cell,) = sigprop.simulate(lru, 8, 1024 if FAST else 4096, rng=7).cells
print(
    f"n = 64, t = 8: exact {cell.exact:.4f}, simulated {cell.mean:.4f} +- {cell.standard_error:.4f}"
)
assert abs(cell.z) < 4

# %% [markdown]
# ## What one draw of W does
#
# The mean is not what one network does. Quantiles of the energy of one draw, with their errors:

# %%
found = energy_quantiles(1024, 96, (0.05, 0.5, 0.95), field="real")
mean = float(sigprop.log_rnn_energy(1024, 96, field="real"))
print("log energy at n = 1024, k = 96 (c = 3), by", found.method)
for q, value, error in zip((0.05, 0.5, 0.95), found.values, found.errors, strict=True):
    print(f"  {100 * q:4.0f} %: {value:7.3f} +- {error:.2f}")
print(f"  mean : {mean:7.3f}")
assert found.values[1] < mean

sample = sigprop.montecarlo.simulate_log_energies(
    GaussianRNN(1024, "real"), 96, 256 if FAST else 1024, rng=3
)
median, half = float(np.median(sample)), 1.2533 * sample.std() / math.sqrt(sample.size)
print(f"  simulated median {median:.3f} +- {half:.3f}")
assert abs(median - found.values[1]) < found.errors[1] + 3 * half
