"""The same questions put to sigprop, to plain Monte Carlo and to four other libraries.

Run with ``python benchmarks/peers.py [haarpy] [scikit-rmt] [neural-tangents] [mup]`` (default:
all). A peer that is not installed is skipped with a line that says so. They do not all fit into
one environment: scikit-rmt 2.1.1 needs numpy < 2 and scipy <= 1.12, and neural-tangents 0.6.5
needs jax < 0.5. One run per environment is enough, because every run repeats the rows of sigprop
and of plain Monte Carlo. Times are CPU seconds of this process without imports; those of
neural-tangents include compilation.
"""

import argparse
import collections
import importlib
import itertools
import math
import sys
import time
from importlib import metadata

import numpy as np
import sympy

import sigprop
from sigprop.recurrences import GinibreSpectrum

NUMBER = "Q(5, 3), complex"
SYMBOL = "Q(n, k) as a polynomial in 1/n"
LRU = "S(64, 16), complex"
WIDE_LRU = "S(1024, 58), complex"
SPECTRUM = "mean of abs(eigenvalue)^32, n = 64"
REAL = "Q(256, 16), real"
INFINITE = "Q(infinity, 16), real"
WIDTHS = "Q(n, 16) for n = 64, 128, 256, 512, real"

SYMBOLIC_DEPTH = 1000
HAAR_DEPTH = 6
COORDINATE_WIDTHS = (64, 128, 256, 512)
READ_IN = 8

_rows = []


def timed(call):
    """Return what ``call`` returns and the CPU seconds it takes."""
    start = time.process_time()
    answer = call()
    return answer, time.process_time() - start


def record(question, who, answer, seconds):
    """Add one line to the table."""
    _rows.append((question, who, answer, f"{seconds:.3g} s"))


def with_error(values):
    """Return mean and standard error of ``values`` in words."""
    error = np.std(values, ddof=1) / math.sqrt(len(values))
    return f"{np.mean(values):.4g} +- {error:.2g} ({len(values)} samples)"


# sigprop


def ask_sigprop():
    """Put every question to sigprop."""
    n, real = sympy.Symbol("n"), {"field": "real"}
    for warm in ({}, real):  # the first call imports what it needs
        sigprop.exact.rnn_energy(n, 2, **warm), sigprop.exact.rnn_energy(2, 2, **warm)
    sigprop.exact.lru_energy(2, 2), sigprop.breakdown_depth(9)

    answer, seconds = timed(lambda: sigprop.exact.rnn_energy(5, 3))
    record(NUMBER, "sigprop", f"{answer}, exact", seconds)
    answer, seconds = timed(lambda: sigprop.exact.rnn_energy(n, SYMBOLIC_DEPTH))
    record(SYMBOL, "sigprop", f"k = {SYMBOLIC_DEPTH}: {len(answer.args)} terms", seconds)
    for question, width, depth in ((LRU, 64, 16), (WIDE_LRU, 1024, 58)):
        answer, seconds = timed(lambda w=width, t=depth: sigprop.exact.lru_energy(w, t))
        record(question, "sigprop", f"{float(answer):.9f}, a fraction", seconds)
    answer, seconds = timed(lambda: GinibreSpectrum(64).impulse_energy(16))
    record(SPECTRUM, "sigprop", f"{answer:.9f}, exact formula", seconds)
    answer, seconds = timed(lambda: sigprop.exact.rnn_energy(256, 16, **real))
    record(REAL, "sigprop", f"{float(answer):.9f}, a fraction", seconds)
    answer, seconds = timed(lambda: sigprop.exact.rnn_energy(n, 16, **real).subs(n, sympy.oo))
    record(INFINITE, "sigprop", f"{answer}, exact", seconds)
    answer, seconds = timed(
        lambda: [sigprop.exact.rnn_energy(width, 16, **real) for width in COORDINATE_WIDTHS]
    )
    record(WIDTHS, "sigprop", ", ".join(f"{float(value):.5f}" for value in answer), seconds)


# Plain Monte Carlo: a matrix, a vector, a loop


def normals(rng, shape, field):
    """Return standard normals with E abs(z)^2 = 1."""
    if field == "real":
        return rng.standard_normal(shape)
    return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)) / math.sqrt(2)


def sampled_energies(width, depth, samples, field="complex", with_inputs=False):
    """Return energies per unit of ``samples`` independent trajectories, one loop each."""
    rng = np.random.default_rng(1)
    energies = []
    for _ in range(samples):
        weights = normals(rng, (width, width), field) / math.sqrt(width)
        state = normals(rng, width, field)
        for _ in range(depth):
            state = weights @ state
            if with_inputs:
                state = state + normals(rng, width, field)
        energies.append(np.sum(np.abs(state) ** 2) / width)
    return np.array(energies)


def ask_monte_carlo():
    """Put the questions that a loop can answer to a loop."""
    for question, width, depth, samples, field, with_inputs in (
        (NUMBER, 5, 3, 1000, "complex", False),
        (LRU, 64, 16, 1000, "complex", True),
        (WIDE_LRU, 1024, 58, 20, "complex", True),
        (REAL, 256, 16, 1000, "real", False),
    ):
        values, seconds = timed(
            lambda w=width, t=depth, s=samples, f=field, x=with_inputs: sampled_energies(
                w, t, s, f, x
            )
        )
        record(question, "plain Monte Carlo", with_error(values), seconds)
    values, seconds = timed(
        lambda: [np.mean(sampled_energies(width, 16, 200, "real")) for width in COORDINATE_WIDTHS]
    )
    shown = ", ".join(f"{value:.2f}" for value in values)
    record(WIDTHS, "plain Monte Carlo", f"{shown} (200 samples each)", seconds)


# haarpy


def cycle_lengths(permutation):
    """Return the lengths of the cycles of a permutation of 0, 1, ..., largest first."""
    lengths, seen = [], set()
    for start in range(len(permutation)):
        length, here = 0, start
        while here not in seen:
            seen.add(here)
            here = permutation[here]
            length += 1
        if length:
            lengths.append(length)
    return tuple(sorted(lengths, reverse=True))


def corner_energy(weingarten, k, n):
    """Return Q(n, k) from Weingarten functions.

    haarpy integrates over compact groups; the Gaussian W is sqrt(d/n) times the n x n corner of
    a Haar unitary of size d as d grows. In E tr(T^k T^k*) for the corner T, row and column
    pairings sigma and tau weigh Wg(sigma tau^-1, d) and leave one free index in 1..n for every
    cycle of (0, tau)^-1 (sigma, k), both of them permutations of 0..k.
    """
    terms = collections.Counter()
    for tau in itertools.permutations(range(k)):
        inverse = np.argsort(tau).tolist()
        columns = [0, *(inverse[m] + 1 for m in range(k))]
        for sigma in itertools.permutations(range(k)):
            pairing = tuple(sigma[inverse[m]] for m in range(k))
            free = [columns[sigma[m]] for m in range(k)] + [columns[k]]
            terms[cycle_lengths(pairing), len(cycle_lengths(free))] += 1
    d = sympy.Symbol("d")
    limits = {kind: sympy.limit(d**k * weingarten(kind, d), d, sympy.oo) for kind, _ in terms}
    total = sum(count * limits[kind] * n**free for (kind, free), count in terms.items())
    return sympy.expand(total / sympy.sympify(n) ** (k + 1))


def ask_haarpy():
    """Exact energies through the corner of a Haar unitary."""
    weingarten = importlib.import_module("haarpy").weingarten_unitary
    answer, seconds = timed(lambda: corner_energy(weingarten, 3, 5))
    assert answer == sympy.Rational(*sigprop.exact.rnn_energy(5, 3).as_integer_ratio())
    record(NUMBER, "haarpy", f"{answer}, exact", seconds)
    n = sympy.Symbol("n")
    for depth in range(3, HAAR_DEPTH + 1):
        answer, seconds = timed(lambda k=depth: corner_energy(weingarten, k, n))
        assert sympy.expand(answer - sigprop.exact.rnn_energy(n, depth)) == 0
        record(SYMBOL, "haarpy", f"k = {depth}: {answer}", seconds)


# scikit-rmt


def spectrum_of_two_hermitians(ensemble, width, samples):
    """Return mean abs(eigenvalue)^32 of each Gaussian matrix (A + iB), A and B from the GUE.

    The library has no ensemble of non-Hermitian matrices. Its GUE has E abs(A_ij)^2 = 2.
    """
    draw = ensemble(beta=2, n=width, random_state=1)
    values = []
    for _ in range(samples):
        weights = (draw.sample() + 1j * draw.sample()) / math.sqrt(4 * width)
        values.append(np.mean(np.abs(np.linalg.eigvals(weights)) ** 32))
    return values


def ask_scikit_rmt():
    """Sampled spectra."""
    ensemble = importlib.import_module("skrmt.ensemble").GaussianEnsemble
    values, seconds = timed(lambda: spectrum_of_two_hermitians(ensemble, 64, 200))
    record(SPECTRUM, "scikit-rmt", with_error(values), seconds)


# neural-tangents


def tied_linear_network(jax, width, depth):
    """Return init and apply functions of h = W^k x with one real W; stax has no such layer."""

    def init(key, shape):
        return shape, jax.random.normal(key, (width, width)) / math.sqrt(width)

    def apply(weights, x, **_):
        for _ in range(depth):
            x = x @ weights.T
        return x

    return init, apply


def ask_neural_tangents():
    """The infinite-width kernel of a deep linear network, and Monte Carlo with one tied W."""
    tangents = importlib.import_module("neural_tangents")
    jax, stax = importlib.import_module("jax"), tangents.stax
    x = np.ones((1, 256))

    def infinite():
        layers = [stax.Dense(256, W_std=1.0, b_std=None) for _ in range(16)]
        return float(stax.serial(*layers)[2](x, None, "nngp")[0, 0])

    def sampled():
        init, apply = tied_linear_network(jax, 256, 16)
        kernel = tangents.monte_carlo_kernel_fn(init, apply, jax.random.PRNGKey(1), 1000)
        return float(kernel(x, None, "nngp")[0, 0])

    answer, seconds = timed(infinite)
    record(INFINITE, "neural-tangents", f"{answer:.6g}, kernel", seconds)
    answer, seconds = timed(sampled)
    record(REAL, "neural-tangents", f"{answer:.4g} (1000 samples, no error bar)", seconds)


# mup


def recurrent_model(torch, mup, width, depth):
    """Return a linear read-in, ``depth`` steps with one W, and the readout of mup."""

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.read_in = torch.nn.Linear(READ_IN, width, bias=False)
            self.weights = torch.nn.Linear(width, width, bias=False)
            self.state = torch.nn.Identity()
            self.readout = mup.MuReadout(width, 2)

        def forward(self, x):
            h = self.read_in(x)
            for _ in range(depth):
                h = self.weights(h)
            return self.readout(self.state(h))

    return Model()


def coordinate_check(torch, mup, seeds):
    """Return the mean square of the state at initialisation for every width."""
    check = importlib.import_module("mup.coord_check")

    def built(width):
        model = recurrent_model(torch, mup, width, 16)
        shapes = [recurrent_model(torch, mup, size, 16) for size in (8, 16)]
        mup.set_base_shapes(model, shapes[0], delta=shapes[1])
        for layer in (model.read_in, model.weights):
            mup.init.kaiming_normal_(layer.weight, nonlinearity="linear")
        return model

    table = check.get_coord_data(
        {width: lambda w=width: built(w) for width in COORDINATE_WIDTHS},
        [(torch.ones(1, READ_IN), torch.zeros(1, dtype=torch.long))],
        nsteps=1,
        nseeds=seeds,
        cuda=False,
        show_progress=False,
        filter_module_by_name=lambda name: name == "state",
        output_fdict={"square": lambda h: h.square().mean()},
    )
    return table.groupby("width")["square"].mean()


def ask_mup():
    """The coordinate check of a linear recurrent layer, at initialisation."""
    mup, torch = importlib.import_module("mup"), importlib.import_module("torch")
    importlib.import_module("mup.coord_check")
    torch.set_num_threads(1)
    means, seconds = timed(lambda: coordinate_check(torch, mup, 200))
    shown = ", ".join(f"{value:.2f}" for value in means)
    record(WIDTHS, "mup", f"{shown} (200 seeds each)", seconds)


PEERS = {
    "haarpy": ask_haarpy,
    "scikit-rmt": ask_scikit_rmt,
    "neural-tangents": ask_neural_tangents,
    "mup": ask_mup,
}


def main():
    """Ask everybody and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("peers", nargs="*", metavar="PEER", help=", ".join(PEERS))
    chosen = parser.parse_args().peers or list(PEERS)
    unknown = set(chosen) - set(PEERS)
    if unknown:
        parser.error(f"unknown peers {sorted(unknown)}; known are {', '.join(PEERS)}")
    ask_sigprop()
    ask_monte_carlo()
    for peer in chosen:
        try:
            PEERS[peer]()
        except ImportError as error:
            print(f"{peer} skipped: {error}", file=sys.stderr)
        else:
            print(f"{peer} {metadata.version(peer)}")
    print(f"sigprop {sigprop.__version__}, numpy {np.__version__}\n")
    _rows.sort(key=lambda row: row[0])
    for question, rows in itertools.groupby(_rows, key=lambda row: row[0]):
        print(question)
        for _, who, answer, seconds in rows:
            print(f"  {who:<17}  {seconds:>11}  {answer}")


if __name__ == "__main__":
    main()
