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
# # From Wick pairings to Hultman numbers
#
# The mean energy $Q_{n,k} = \mathbb{E}\|W^k x\|^2/n$ of a linear recurrence with complex Gaussian
# weights is a polynomial in $1/n$ whose coefficients count permutations. This notebook walks the
# whole way: pairings of matrix entries, their free indices, cycles of a commutator, the Hultman
# numbers, a closed form, the law of the counts, and the convergence of the expansion. At the end
# the same is done for real weights, where there are more pairings and no such count. At every step
# a slow and obvious computation meets a fast one. Everything it says it asserts.

# %%
import itertools
import math
import os
from collections import Counter
from fractions import Fraction
from itertools import pairwise, permutations, product

import numpy as np

import sigprop
from sigprop import asymptotics, combinatorics, exact
from sigprop.gallery import hultman, writing
from sigprop.recurrences import GaussianRNN
from sigprop.theory import real_pairings, real_triple_sum

# %matplotlib inline

FAST = bool(os.environ.get("SIGPROP_FAST"))  # smaller depths, the same statements

# %% [markdown]
# ## Pairings
#
# Written out, $n\,Q_{n,k}$ is a sum over two index paths $i_0, \dots, i_k$ and $j_0, \dots, j_k$
# with common ends:
#
# $$ n\,Q_{n,k} = \sum_{i,j} \mathbb{E} \prod_{s=1}^k W_{i_{s-1} i_s}\,
#    \overline{W_{j_{s-1} j_s}} . $$
#
# Wick: pair every $W$ with a $\overline W$ in all $k!$ ways; a pair gives $1/n$ if both its indices
# agree, else 0. The slowest computation there is visits every path and every pairing.


# %%
def by_paths(n: int, k: int) -> Fraction:
    """All index paths, all pairings."""
    total = 0
    for ends in product(range(n), repeat=2):
        inner = list(product(range(n), repeat=k - 1))
        paths = [(ends[0], *middle, ends[1]) for middle in inner]
        edges = [tuple(pairwise(path)) for path in paths]
        for first, second in product(edges, repeat=2):
            total += sum(
                all(first[s] == second[sigma[s]] for s in range(k))
                for sigma in permutations(range(k))
            )
    return Fraction(total, n ** (k + 1))


for n, k in ((1, 4), (2, 2), (2, 3), (3, 2), (3, 3)):
    assert by_paths(n, k) == exact.rnn_energy(n, k)
by_paths(2, 3), by_paths(3, 3)

# %% [markdown]
# ## Free indices
#
# The paths need not be visited: a pairing $\sigma$ identifies indices, and $n$ to the number of
# classes counts the paths that survive. Here the classes are found by merging:


# %%
def free_indices(sigma: tuple[int, ...]) -> int:
    """Merge the indices that the pairs of sigma identify, and count what is left."""
    k = len(sigma)
    label = {("i", s): ("i", s) for s in range(k + 1)} | {("j", s): ("j", s) for s in range(k + 1)}

    def merge(one, other):
        kept, dropped = label[one], label[other]
        for index, value in label.items():
            if value == dropped:
                label[index] = kept

    merge(("i", 0), ("j", 0))
    merge(("i", k), ("j", k))
    for s, partner in enumerate(sigma):
        merge(("i", s), ("j", partner))
        merge(("i", s + 1), ("j", partner + 1))
    return len(set(label.values()))


print("pairing of three factors -> free indices")
for sigma in permutations(range(3)):
    print(f"  {sigma}: n^{free_indices(sigma)}")
assert Counter(free_indices(sigma) for sigma in permutations(range(3))) == {4: 1, 2: 5}
assert exact.rnn_energy(7, 3) == Fraction(7**4 + 5 * 7**2, 7**4)

# %% [markdown]
# ## The cycles of a commutator
#
# Eliminating $j$ turns the merging into group theory. With $\tilde\sigma$ the pairing extended by a
# fixed point in front, and $\tau = (0\,1 \cdots k)$, one free index is left for each cycle of
# $\tau\tilde\sigma\tau^{-1}\tilde\sigma^{-1}$. It holds pairing by pairing:

# %%
LAST = 5 if FAST else 6
for k in range(LAST + 1):
    for sigma in permutations(range(k)):
        assert free_indices(sigma) == combinatorics.commutator_cycle_count(sigma)
print("merging = commutator for all pairings of up to", LAST, "factors")

# %% [markdown]
# A commutator is an even permutation, so its number of cycles has the parity of $k + 1$, and only
# every second power of $1/n$ can occur. The identity alone has $k + 1$ cycles: the limit of
# infinite width. Half of what is missing is the genus of the surface that the pairing glues.

# %%
for k in range(8):
    genera = Counter(
        Fraction(k + 1 - combinatorics.commutator_cycle_count(sigma), 2)
        for sigma in permutations(range(k))
    )
    assert all(genus.denominator == 1 and genus >= 0 for genus in genera)
    assert genera[Fraction(0)] == 1
    print(f"k = {k}: pairings by genus", {int(g): genera[g] for g in sorted(genera)})

# %% [markdown]
# ## Hultman numbers
#
# The number of pairings of $k$ factors with $j$ cycles is the Hultman number
#
# $$ S_H(k, j) = \frac{2\,c(k+2, j)}{(k+1)(k+2)} \quad (k - j \text{ odd}), $$
#
# with $c$ the unsigned Stirling numbers of the first kind, and 0 if $k - j$ is even. The slow
# enumeration and the fast row agree:

# %%
for k in range(8 if FAST else 9):
    slow = combinatorics.wick_polynomial(k)
    row = combinatorics.hultman_row(k)
    assert slow == {j: row[j - 1] for j in range(k + 1, 0, -1) if row[j - 1]}
    stirling = combinatorics.stirling_row(k + 2)
    for j in range(1, k + 2):
        expected = Fraction(2 * stirling[j], (k + 1) * (k + 2)) if (k - j) % 2 else 0
        assert row[j - 1] == expected
    assert sum(row) == math.factorial(k)
print("row of depth", k, "by enumeration and by Stirling numbers:", row)

deep = combinatorics.hultman_row(1000)
assert sum(deep) == math.factorial(1000)
print(f"row of depth 1000: {len(deep)} numbers, the largest of {len(str(max(deep)))} digits")

# %% [markdown]
# ## Why: a product of two long cycles
#
# When $\tilde\sigma$ runs over the permutations that fix 0, $\zeta = \tilde\sigma\tau^{-1}
# \tilde\sigma^{-1}$ runs over all $k!$ long cycles of $k + 1$ letters, once each. So the count is
# that of the cycles of $\tau\zeta$, a fixed long cycle times a random one.


# %%
def compose(first, second):
    """First ``second``, then ``first``."""
    return tuple(first[letter] for letter in second)


def inverse(sigma):
    return tuple(sorted(range(len(sigma)), key=lambda letter: sigma[letter]))


K = 5
tau = (*range(1, K + 1), 0)
zetas = []
for sigma in permutations(range(K)):
    extended = (0, *(letter + 1 for letter in sigma))
    zeta = compose(compose(extended, inverse(tau)), inverse(extended))
    zetas.append(zeta)
    cycles = combinatorics.cycle_count(compose(tau, zeta))
    assert cycles == combinatorics.commutator_cycle_count(sigma)
assert all(combinatorics.cycle_count(zeta) == 1 for zeta in zetas)
assert len(set(zetas)) == math.factorial(K)
print(len(zetas), "pairings, as many long cycles of", K + 1, "letters")

# %% [markdown]
# On long cycles only hook-shaped characters differ from zero, which leaves a sum of $k + 1$ rising
# factorials, and this telescopes to the closed form
#
# $$ n^{k+1} Q_{n,k} = \frac1{k+1}\sum_{r=0}^{k} (n-r)^{(k+1)}
#    = \frac{n^{(k+2)} - n_{(k+2)}}{(k+1)(k+2)} . $$


# %%
def rising(x: int, m: int) -> int:
    return math.prod(range(x, x + m))


def falling(x: int, m: int) -> int:
    return math.prod(range(x, x - m, -1))


for n, k in product((1, 2, 3, 7, 50), (0, 1, 2, 5, 12, 60)):
    hooks = Fraction(sum(rising(n - r, k + 1) for r in range(k + 1)), k + 1)
    closed = Fraction(rising(n, k + 2) - falling(n, k + 2), (k + 1) * (k + 2))
    row = combinatorics.hultman_row(k)
    assert hooks == closed == sum(number * n**j for j, number in enumerate(row, start=1))
    assert exact.rnn_energy(n, k) == closed / n ** (k + 1)
assert exact.rnn_energy(1, 30) == math.factorial(30)

# %% [markdown]
# Three successive energies satisfy a recurrence, which makes a table without any factorial:

# %%
for n in (2, 9):
    q = exact.rnn_energies(n, 40)
    for k in range(39):
        step = (
            (2 * k + 5) * q[k + 1] - (k + 1) * q[k] + Fraction((k + 1) * (k + 2) ** 2, n**2) * q[k]
        )
        assert (k + 4) * q[k + 2] == step

# %% [markdown]
# And a simulation that knows nothing of permutations agrees:

# %%
(cell,) = sigprop.simulate(GaussianRNN(4), 4, 2048 if FAST else 16384, rng=1).cells
print(f"n = 4, k = 4: {cell.mean:.4f} +- {cell.standard_error:.4f}, exact {cell.exact:.4f}")
assert abs(cell.z) < 4
assert cell.exact == float(1 + Fraction(15, 4**2) + Fraction(8, 4**4))

# %% [markdown]
# ## The triangle, the law, the expansion

# %%
with writing.house_style():
    figure = hultman.plot(hultman.compute(fast=FAST))
figure

# %% [markdown]
# ### The law of the cycles
#
# The formula has a reading: $S_H(k, \cdot)/k!$ is the law of the number of cycles of a uniform
# *odd* permutation of $k + 2$ letters. Enumerated:

# %%
for k in range(5):
    letters = k + 2
    odd = Counter(
        count
        for sigma in permutations(range(letters))
        if (letters - (count := combinatorics.cycle_count(sigma))) % 2
    )
    number = math.factorial(letters) // 2
    assert sum(odd.values()) == number
    for j, pairings in enumerate(combinatorics.hultman_row(k), start=1):
        assert Fraction(odd[j], number) == Fraction(pairings, math.factorial(k))

# %% [markdown]
# So a random pairing has about $\log k$ cycles: its genus is nearly as large as it can be, and the
# planar one that infinite width keeps is one of $k!$. Its mean is $H_{k+2} - (-1)^k/((k+1)(k+2))$
# exactly, with $H$ the harmonic numbers; its variance is close to that of all permutations; and the
# law tends to the normal law, but only as $\log k$ grows: its skewness falls like $1/\sqrt{\log
# k}$.

# %%
skewnesses = []
for k in (30, 300, 1000 if FAST else 3000):
    row, total = combinatorics.hultman_row(k), math.factorial(k)
    mean = Fraction(sum(j * number for j, number in enumerate(row, start=1)), total)
    harmonic = sum(Fraction(1, m) for m in range(1, k + 3))
    assert mean == harmonic - Fraction((-1) ** k, (k + 1) * (k + 2))

    shares = np.array([number / total for number in row])
    distances = np.arange(1, k + 2) - float(mean)
    variance, third = (float(shares @ distances**power) for power in (2, 3))
    # Cumulants of the number of cycles of k + 2 letters, odd or even.
    m = np.arange(1.0, k + 3.0)
    assert abs(variance - np.sum(1 / m - 1 / m**2)) < 8 * math.log(k) / k**2
    assert abs(third - np.sum(1 / m - 3 / m**2 + 2 / m**3)) < 24 * math.log(k) ** 2 / k**2

    skewnesses.append(third / variance**1.5)
    normal = np.exp(-(distances**2) / (2 * variance)) / math.sqrt(2 * math.pi)
    gap = np.max(np.abs(shares * math.sqrt(variance) / 2 - normal)[shares > 0])
    print(
        f"k = {k:4d}: mean {float(mean):.3f}, variance {variance:.3f}, "
        f"skewness {skewnesses[-1]:.3f}, largest distance from normal density {gap:.3f}"
    )
    assert 0.02 < gap < 0.05
assert all(later < earlier for earlier, later in pairwise(skewnesses))
assert skewnesses[-1] > 0.3  # still far from normal

# %% [markdown]
# ### The genus expansion
#
# $Q_{n,k} = \sum_g q_g(k)\, n^{-2g}$ ends at genus $k/2$, and $q_g$ is a polynomial in the depth:
# $q_1 = \binom{k+2}{4}$, $q_2 = \binom{k+2}{6}\frac{3k^2+5k-4}{8}$.

# %%
for k in range(60):
    q = exact.genus_coefficients(k)
    assert len(q) == k // 2 + 1
    assert q[0] == 1
    if k >= 2:
        assert q[1] == math.comb(k + 2, 4)
    if k >= 4:
        assert q[2] == math.comb(k + 2, 6) * Fraction(3 * k * k + 5 * k - 4, 8)

# %% [markdown]
# Each part is at most $x^2/((2g+2)(2g+3))$ times the one before it, $x = (k+1)(k+2)/(2n)$. So at
# $k = c\sqrt n$ the parts grow up to genus $c^2/4$ or so and then fall faster than any power: the
# expansion converges at every depth, and the number of genera that it takes grows like $c^2$, not
# like $\sqrt n$.

# %%
print("  c   parts  largest part   genera for 1e-12, by width")
for c in (0.5, 1, 2, 4, 6):
    needed = {}
    for n in (100, 10**4, 10**5):
        k = round(c * math.sqrt(n))
        q = exact.genus_coefficients(k)
        energy = exact.rnn_energy(n, k)
        parts = [number / Fraction(n) ** (2 * g) for g, number in enumerate(q[:45])]
        x = Fraction((k + 1) * (k + 2), 2 * n)
        for g, (part, following) in enumerate(pairwise(parts)):
            assert following <= part * x**2 / ((2 * g + 2) * (2 * g + 3))
        sums = list(itertools.accumulate(parts))
        assert all(earlier < later for earlier, later in pairwise(sums))
        assert sums[-1] <= energy
        needed[n] = next(g for g, total in enumerate(sums) if 1 - total / energy < 1e-12)
    largest = parts.index(max(parts))
    print(f"{c:5.1f} {len(q):5d} {largest:9d}        {needed}")
    assert largest <= c * c / 4
    assert max(needed.values()) <= 8 + c * c
    assert abs(needed[10**4] - needed[10**5]) <= 1
assert needed[10**5] < 40

# %% [markdown]
# Cut at any genus, the expansion states an error that is proved, and is not far above the true one:

# %%
n, k = 10_000, 200
for genus in range(1, 8):
    form = asymptotics.sub_critical_rnn(n, k, genus)
    q = exact.genus_coefficients(k)
    cut = sum(number / Fraction(n) ** (2 * g) for g, number in enumerate(q[: genus + 1]))
    true = float(1 - cut / exact.rnn_energy(n, k))
    stated = float(form.relative_error)
    print(f"genus {genus}: true error {true:.2e}, stated {stated:.2e}")
    assert true <= stated < 1.2 * true + 1e-14
    assert abs(float(form.value) / float(cut) - 1) < 1e-14

# %% [markdown]
# ## Real weights: all pairings
#
# Real Gaussian weights have no conjugates to tell apart: all $(2k-1)!!$ pairings of the $2k$
# factors count, not only the $k!$ that pair the first path with the second. Odd powers of $1/n$
# appear, which belong to surfaces that are not orientable.

# %%
for k in range(6 if FAST else 8):
    counts = real_pairings.pairing_polynomial(k)
    complex_counts = combinatorics.wick_polynomial(k)
    assert sum(counts.values()) == math.prod(range(1, 2 * k, 2))
    assert all(counts[power] >= number for power, number in complex_counts.items())
    for n in (1, 2, 5):
        energy = Fraction(sum(c * n**power for power, c in counts.items()), n ** (k + 1))
        assert energy == exact.rnn_energy(n, k, field="real")
        assert energy >= exact.rnn_energy(n, k)
    print(f"k = {k}: {counts}")

assert real_pairings.pairing_polynomial(3) == {4: 1, 2: 10, 1: 4}
assert combinatorics.wick_polynomial(3) == {4: 1, 2: 5}
odd_power = {k: real_pairings.pairing_polynomial(k).get(k - 2, 0) for k in range(2, 6)}
assert odd_power == {2: 0, 3: 4, 4: 28, 5: 110}

# %% [markdown]
# There is no single product formula behind these counts. Harmonic analysis on hooks gives a sum
# over three indices in which, for $k \le n$, every term is a square times a dimension and so not
# negative: real weights never have less energy than complex ones. It needs $k^3$ operations, goes
# far beyond what can be enumerated, and shares nothing with the closed form of $O(k)$ terms that
# `exact` uses.

# %%
for n in (1, 4, 16):
    for k in (0, 1, 2, 7, 20):
        assert real_triple_sum.exact_rnn_energy(n, k) == exact.rnn_energy(n, k, field="real")
for k in range(2, 31):
    gap = real_triple_sum.real_excess_over_complex(32, k)
    assert gap == exact.rnn_energy(32, k, field="real") - exact.rnn_energy(32, k)
    assert gap > 0
print(
    f"n = 32, k = 30: complex {float(exact.rnn_energy(32, k)):.6g}, real more by {float(gap):.6g}"
)

# %% [markdown]
# At larger depths the two formulas are compared modulo a large prime, at a width of nine digits:

# %%
PRIME, WIDTH = 2**31 - 1, 987_654_321
KMAX = 60 if FAST else 120
residues = real_triple_sum.moments_modulo(WIDTH, KMAX, PRIME)
numerators = exact.rnn_numerators(WIDTH, KMAX, field="real")  # Q n^k
assert residues == [numerator * WIDTH % PRIME for numerator in numerators]
print(f"{KMAX + 1} depths agree modulo 2^31 - 1")

# %% [markdown]
# On the command line: `sigprop hultman 8 --row`.
