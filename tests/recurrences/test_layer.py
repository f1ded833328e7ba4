"""Energies of a given diagonal layer: brute-force covariances, extremes, and its samples."""

import math
import pickle

import numpy as np
import pytest

import sigprop
from sigprop.recurrences import DiagonalLRU, Recurrence, from_layer
from sigprop.recurrences.one_mode import stationary_energies
from sigprop.theory.input_laws import autocorrelation

LAWS = ["white", "constant", ("ar1", 0.8), ("ar1", -0.4), (1.0, 0.5, 0.2)]


def _random_layer(inputs="white", complex_b=True):
    rng = np.random.default_rng(0)
    eigenvalues = rng.uniform(0.3, 0.97, 5) * np.exp(1j * rng.uniform(0.0, 6.0, 5))
    b = rng.standard_normal((5, 2)) + 1j * complex_b * rng.standard_normal((5, 2))
    return from_layer(eigenvalues, b, rng.standard_normal((3, 5)) + 0.5j, inputs=inputs)


def _covariances(layer, law, depth):
    """E h h^* and E h h^T from all pairs of real inputs."""
    lam = np.exp(layer.log_eigenvalues)
    columns = np.array([lam[:, None] ** k * layer.input_matrix for k in range(depth + 1)])
    r = autocorrelation(law, depth + 1)
    lags = r[np.abs(np.subtract.outer(np.arange(depth + 1), np.arange(depth + 1)))]
    proper = np.einsum("st,sic,tjc->ij", lags, columns, columns.conj())
    improper = np.einsum("st,sic,tjc->ij", lags, columns, columns)
    return proper, improper


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("depth", [0, 1, 6, 30])
def test_state_energies_are_the_trace_of_the_covariance(law, depth):
    layer = _random_layer()
    want = np.trace(_covariances(layer, law, depth)[0]).real / 5
    assert layer.state_energy(depth, law) == pytest.approx(want, rel=1e-13)
    assert layer.with_inputs(law).state_energy(depth) == layer.state_energy(depth, law)
    assert math.exp(layer.log_state_energy(depth, law)) == pytest.approx(want, rel=1e-13)


@pytest.mark.parametrize("depth", [0, 1, 6, 30])
def test_output_energies(depth):
    layer = _random_layer()
    c = layer.output_matrix
    proper, improper = _covariances(layer, "white", depth)
    square = np.einsum("ij,jk,ik->i", c, proper, c.conj()).real
    twist = np.einsum("ij,jk,ik->i", c, improper, c).real
    assert np.allclose(layer.output_energy(depth, "complex"), square, rtol=1e-13)
    assert np.allclose(layer.output_energy(depth), 0.5 * (square + twist), rtol=1e-13)
    assert not np.allclose(layer.output_energy(depth), 0.5 * square, rtol=0.01)


def test_limits():
    layer = _random_layer()
    for law in LAWS:
        assert layer.stationary_energy(law) == pytest.approx(
            layer.state_energy(2000, law), rel=1e-12
        )
    assert np.allclose(layer.output_energy(), layer.output_energy(2000), rtol=1e-13)
    assert layer.horizon("burn_in") == np.argmax(
        layer.state_energy(np.arange(300)) >= 0.95 * layer.stationary_energy()
    )
    largest = np.abs(np.exp(layer.log_eigenvalues)).max()
    assert layer.horizon("e_fold") == pytest.approx(-0.5 / math.log(largest), rel=1e-13)


def test_energies_of_one_mode_are_answers_of_the_page():
    mode = from_layer(log_eigenvalues=[math.log(0.97) + 0.2j])
    assert mode.stationary_energy(("ar1", 0.8)) == pytest.approx(82.987903857528246029, rel=1e-12)
    real = from_layer([0.98])
    gamma = math.sqrt(1.0 - 0.98**2)
    scaled = from_layer([0.98], [[gamma]])
    assert scaled.stationary_energy("constant") == pytest.approx(99.0, rel=1e-13)
    assert real.stationary_energy("white") == pytest.approx(1.0 / (1.0 - 0.98**2), rel=1e-13)


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_unstable_layers_have_logarithms_at_every_depth(law):
    layer = from_layer([1.1, 0.9j, 1.0, -0.3], inputs=law)
    log = layer.log_state_energy(10**4)
    assert math.isfinite(log)
    # The slope is that of the largest eigenvalue.
    slope = (log - layer.log_state_energy(5000)) / 5000
    assert slope == pytest.approx(2.0 * math.log(1.1), rel=1e-12)
    assert layer.state_energy(10**4) == math.inf
    assert layer.state_energy(1) == pytest.approx(
        np.mean(
            [
                1 + abs(x) ** 2 + 2 * autocorrelation(law, 2)[1] * x.real
                for x in np.exp(layer.log_eigenvalues)
            ]
        ),
        rel=1e-14,
    )
    with pytest.raises(ValueError, match=r"an eigenvalue has modulus 1\.1 >= 1"):
        layer.stationary_energy()


def test_frozen_gamma_after_training():
    """The energy of a layer whose |lambda| moved while its input scale did not."""
    for before, after, want in ((0.99, 0.999, 9.96), (0.999, 0.9999, 9.9955), (0.999, 0.99, 0.10)):
        gamma = math.sqrt(1.0 - before**2)
        layer = from_layer([after], [[gamma]])
        assert layer.stationary_energy() == pytest.approx(want, rel=5e-3)


def test_a_drawn_lru_averages_to_the_annealed_energy():
    lru = DiagonalLRU(8, 0.5, 0.99, 1.0, normalization=None)
    rng = np.random.default_rng(2)
    laws = ("white", "constant", ("ar1", 0.5))
    drawn = [from_layer(log_eigenvalues=lru.sample(rng).log_eigenvalue) for _ in range(600)]
    for law in laws:
        values = np.array([layer.stationary_energy(law) for layer in drawn])
        error = values.std(ddof=1) / math.sqrt(values.size)
        assert abs(values.mean() - lru.stationary_energy(law)) < 4.0 * error
        assert abs(values.mean() - 2.0 * lru.stationary_energy(law)) > 4.0 * error


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_simulated_energies(law):
    layer = _random_layer()
    cells = sigprop.simulate(layer, [0, 2, 20], 3000, rng=4, inputs=law).cells
    assert all(abs(cell.z) < 4.0 for cell in cells)
    wrong = layer.state_energy(20, "constant" if law != "constant" else "white")
    assert abs(cells[2].mean - wrong) > 4.0 * cells[2].standard_error


def test_two_layers_have_their_own_streams():
    first, second = from_layer([0.9, 0.8]), from_layer([0.9, 0.8j])
    cells = [sigprop.simulate(layer, 1, 10, rng=0).cells[0] for layer in (first, second, first)]
    assert cells[0] == cells[2]
    # Independent inputs, so that not even the energies at depth 0 agree.
    starts = [sigprop.simulate(layer, 0, 10, rng=0).cells[0].mean for layer in (first, second)]
    assert starts[0] != starts[1]


def test_gradients():
    layer = _random_layer()
    lam, power = np.exp(layer.log_eigenvalues), layer.input_powers
    q = np.abs(lam) ** 2
    for depth in (0, 4):
        terms = sum(k * k * q ** (k - 1) for k in range(1, depth + 1)) + 0.0 * q
        got = layer.gradient_energy("eigenvalue", depth)
        assert got == pytest.approx(np.mean(power * terms), rel=1e-13)
        assert layer.gradient_energy("theta", depth) == pytest.approx(
            np.mean(power * q * terms), rel=1e-13
        )
        assert layer.gradient_energy("state", depth) == pytest.approx(np.mean(q**depth), rel=1e-13)
    limit = np.mean(power * (1 + q) / (1 - q) ** 3)
    assert layer.gradient_energy("eigenvalue") == pytest.approx(limit, rel=1e-12)
    assert layer.gradient_energy("state") == 0.0
    with pytest.raises(ValueError, match="limit of the gradient energy of 'theta' is infinite"):
        from_layer([1.0, 0.5]).gradient_energy("theta")


class TestArguments:
    def test_is_a_quenched_recurrence(self):
        layer = _random_layer()
        assert isinstance(layer, Recurrence)
        assert (layer.average, layer.width, layer.input_width) == ("quenched", 5, 2)
        copy = pickle.loads(pickle.dumps(layer))
        assert copy.state_energy(7) == layer.state_energy(7)
        assert len(layer.sample(np.random.default_rng(0), 3)) == 3

    def test_zero_eigenvalues(self):
        layer = from_layer([0.0, 0.5])
        for law in LAWS:
            assert layer.impulse_energy([0, 1]).tolist() == [1.0, 0.125]
            want = 0.5 * (1.0 + stationary_energies(np.log([0.5 + 0j]), layer._law(law))[0])
            assert layer.stationary_energy(law) == pytest.approx(want, rel=1e-14)
            assert layer.state_energy(100, law) == pytest.approx(want, rel=1e-12)

    def test_silent_units(self):
        layer = from_layer([2.0, 0.5], [[0.0], [1.0]])
        assert layer.stationary_energy() == pytest.approx(0.5 / 0.75, rel=1e-15)
        assert layer.log_state_energy(10**4) == pytest.approx(math.log(0.5 / 0.75), rel=1e-13)

    @pytest.mark.parametrize(
        ("arguments", "text"),
        [
            ({"eigenvalues": []}, "eigenvalues must be a non-empty vector"),
            (
                {"eigenvalues": [[0.5]]},
                r"eigenvalues must be a non-empty vector, got shape \(1, 1\)",
            ),
            ({"eigenvalues": [math.nan]}, "eigenvalues must hold finite numbers"),
            ({"eigenvalues": [0.5], "B": [1.0]}, r"B must have shape \(1, 'any'\), got \(1,\)"),
            ({"eigenvalues": [0.5], "B": [[1.0], [2.0]]}, "B must have shape"),
            ({"eigenvalues": [0.5], "C": [[1.0, 2.0]]}, r"C must have shape \('any', 1\)"),
        ],
    )
    def test_out_of_range(self, arguments, text):
        with pytest.raises(ValueError, match=text):
            from_layer(**arguments)

    def test_of_wrong_kind(self):
        with pytest.raises(TypeError, match="give one of eigenvalues and log_eigenvalues"):
            from_layer()
        with pytest.raises(TypeError, match="eigenvalues must hold numbers"):
            from_layer(["a"])

    def test_outputs_need_a_matrix(self):
        with pytest.raises(ValueError, match="needs the output matrix C"):
            from_layer([0.5]).output_energy(3)
        with pytest.raises(ValueError, match="depth must be given for a layer with an eigenvalue"):
            from_layer([1.0], C=[[1.0]]).output_energy()
        with pytest.raises(ValueError, match="form must be one of 'real', 'complex'"):
            from_layer([0.5], C=[[1.0]]).output_energy(form="imaginary")
        assert from_layer([0.5], C=[[2.0]]).output_energy()[0] == pytest.approx(2.0 / 0.75)
