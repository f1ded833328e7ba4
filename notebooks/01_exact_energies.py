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
# # Exact energies of a linear recurrence of finite width
#
# A linear RNN applies the same random matrix $W$ at every step, $h^{(k)} = W^k x$; a linear
# recurrent unit (LRU) also receives an input at every step, $h^{(t)} = W h^{(t-1)} + x^{(t)}$. With
# independent complex Gaussian entries, $\mathbb{E}|W_{ij}|^2 = 1/n$, an infinitely wide network
# keeps every signal at the size it came with. How long does that hold at width $n$? This notebook
# answers exactly, in three ways that must agree, and then looks at where infinite width ends.
# Everything it says it asserts.

# %%
import math
from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np
import sympy
from matplotlib.figure import Figure

import sigprop
from sigprop import asymptotics, combinatorics, exact, plots

# %matplotlib inline

# %% [markdown]
# ## The energy as a count of permutations
#
# Wick's theorem turns the mean energy per unit $Q_{n,k} = \mathbb{E}\|W^k x\|^2 / n$ into a sum
# over the permutations $\sigma$ of the $k$ factors. Each contributes $n$ to the number of index
# sums that are left free, which is the number of cycles of a commutator built from $\sigma$:
#
# $$Q_{n,k} = \frac{1}{n^{k+1}} \sum_{\sigma \in S_k} n^{\,\mathrm{cycles}(\sigma)} .$$
#
# For $k = 4$ there are 24 permutations: one leaves five sums free, fifteen leave three, eight leave
# one.

# %%
counts: dict[int, int] = {}
for sigma in permutations(range(4)):
    cycles = combinatorics.commutator_cycle_count(sigma)
    counts[cycles] = counts.get(cycles, 0) + 1

assert counts == {5: 1, 3: 15, 1: 8}
assert combinatorics.wick_polynomial(4) == counts
assert sum(counts.values()) == math.factorial(4)
dict(sorted(counts.items(), reverse=True))

# %% [markdown]
# These counts are the Hultman numbers, which come from Stirling numbers without any enumeration, so
# that the row for $k = 100$ (with $100!$ permutations) is as easy.

# %%
assert combinatorics.hultman_row(4) == [8, 0, 15, 0, 1]
assert sum(combinatorics.hultman_row(100)) == math.factorial(100)

# %% [markdown]
# ## Symbolic in the width
#
# Only even powers of $1/n$ appear: the genus expansion.

# %%
n = sympy.Symbol("n", positive=True)
assert exact.rnn_energy(n, 4) == 1 + 15 / n**2 + 8 / n**4
assert exact.genus_coefficients(6) == [1, 70, 469, 180]
assert sympy.expand(exact.lru_energy(n, 4) - sum(exact.rnn_energy(n, k) for k in range(5))) == 0
exact.rnn_energy(n, 6)

# %% [markdown]
# ## A closed form
#
# The generating function of Stirling numbers sums the expansion: with rising and falling
# factorials,
#
# $$Q_{n,k} = \frac{n(n+1)\cdots(n+k+1) \;-\; n(n-1)\cdots(n-k-1)}{(k+1)(k+2)\, n^{k+1}} .$$
#
# Three routes, one number: enumeration, Hultman numbers, factorials.


# %%
def by_factorials(width: int, depth: int) -> Fraction:
    rising = math.prod(range(width, width + depth + 2))
    falling = math.prod(range(width, width - depth - 2, -1))
    return Fraction(rising - falling, (depth + 1) * (depth + 2) * width ** (depth + 1))


for width in (1, 2, 3, 5, 10):
    for depth in range(7):
        wick = combinatorics.wick_polynomial(depth)
        by_wick = Fraction(sum(c * width**j for j, c in wick.items()), width ** (depth + 1))
        row = enumerate(combinatorics.hultman_row(depth), start=1)
        by_hultman = Fraction(sum(c * width**j for j, c in row), width ** (depth + 1))
        assert (
            exact.rnn_energy(width, depth) == by_wick == by_hultman == by_factorials(width, depth)
        )

assert exact.rnn_energy(1, 20) == math.factorial(20)
exact.rnn_energy(5, 3), exact.lru_energy(3, 2)

# %% [markdown]
# ## float64, at any size
#
# A difference of log-gamma functions loses all digits at large width. At $n = 10^{12}$, $k = 2$ the
# energy is $1 + 10^{-24}$, and the excess over infinite width is a number of its own.

# %%
assert math.isclose(sigprop.rnn_excess(10**12, 2), 1e-24, rel_tol=1e-12)

widths = np.array([1, 10, 100, 1000])
depths = np.array([0, 1, 5, 30])
worst = 0.0
for width in widths:
    for depth in depths:
        true = exact.lru_energy(int(width), int(depth))
        error = abs(Fraction(float(sigprop.lru_energy(width, depth))) / true - 1)
        worst = max(worst, float(error))
assert worst < 1e-12
print(f"worst relative error: {worst:.1e}")

# %% [markdown]
# ## Where infinite width ends
#
# Against $c = k/\sqrt{n}$ the energies of all widths fall onto one curve, $Q_{n,k} \to
# (2/c^2)\sinh(c^2/2)$: infinite width ends after about $\sqrt{n}$ steps, not after $n$.

# %%
curves = []
for width in (16, 256, 4096):
    steps = np.arange(math.floor(3 * math.sqrt(width)) + 1)
    curves.append(
        plots.Curve(f"n = {width}", steps / math.sqrt(width), sigprop.rnn_energy(width, steps))
    )
grid = np.linspace(0.0, 3.0, 61)
limit = plots.Curve("limit", grid, asymptotics.critical_profile(grid))

figure = Figure(figsize=(5, 3.2), layout="constrained")
axes = plots.scaling_collapse(figure.add_subplot(), curves, limit)
axes.set_yscale("log")
axes.set_ylabel(r"$Q_{n,k}$")
axes.legend()

at_two = [float(sigprop.rnn_energy(4**m, 2**m * 2)) for m in (4, 6, 8, 10)]
distances = [abs(q - math.sinh(2.0) / 2.0) for q in at_two]
assert all(later < earlier / 3 for earlier, later in pairwise(distances))
figure

# %% [markdown]
# The breakdown depth makes it a number: the first depth at which the energy is more than ten
# percent above that of infinite width. It grows like the square root of the width.

# %%
breakdown = {width: sigprop.breakdown_depth(width, tol=0.1) for width in (100, 10_000, 1_000_000)}
assert breakdown[10_000] == 182
assert all(1.7 < depth / math.sqrt(width) < 1.9 for width, depth in breakdown.items())
breakdown
