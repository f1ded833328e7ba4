"""The engine on structured layers: the recurrence as it is written, and cells that say so."""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import sigprop
from sigprop.montecarlo import Simulation
from sigprop.montecarlo.simulation import simulate_log_energies
from sigprop.montecarlo.streams import CHUNK, cell_key, chunk_streams
from sigprop.recurrences import (
    DiagonalLRU,
    GaussianLRU,
    GaussianRNN,
    GinibreSpectrum,
    from_layer,
)

DEPTHS = [0, 1, 7]

FAMILIES = (
    DiagonalLRU(5, 0.5, 0.99, 1.0),
    DiagonalLRU(5, 0.5, 0.99, first_step="unit", inputs="constant"),
    DiagonalLRU(3, 0.5, 0.99, input_size=2, inputs=("ar1", 0.5)),
    DiagonalLRU(3, 0.5, 0.99, 1.0, normalization=("ar1", 0.5), inputs=[1.0, 0.5]),
    GinibreSpectrum(4),
    from_layer([0.9, 1.2j], [[1.0], [0.5j]], inputs="constant"),
)


def _plain_loop(recurrence, depths, samples, seed):
    """Iterate h = lambda h + g B x as it is written, on the same random numbers."""
    key = cell_key(recurrence, depths, "direct")
    result = np.empty((samples, len(depths)))
    for sample in range(samples):
        if sample % CHUNK == 0:
            streams = chunk_streams(seed, key, sample // CHUNK)
        layer = recurrence.sample(streams.weights)
        x = recurrence.draw_inputs(streams.inputs, 1, max(depths) + 1)[0]
        b = np.eye(recurrence.width) if layer.input_matrix is None else layer.input_matrix
        first = layer.scale if layer.first_scale is None else layer.first_scale
        state, energies = first * (b @ x[0]), []
        for step in range(max(depths) + 1):
            if step > 0:
                state = np.exp(layer.log_eigenvalue) * state + layer.scale * (b @ x[step])
            energies.append(np.sum(np.abs(state) ** 2))
        result[sample] = np.log(np.array(energies)[depths] / recurrence.width)
    return result


@pytest.mark.parametrize("recurrence", FAMILIES, ids=repr)
def test_energies_are_those_of_a_plain_loop(recurrence):
    samples = CHUNK + 3
    got = simulate_log_energies(recurrence, DEPTHS, samples, rng=3)
    want = _plain_loop(recurrence, DEPTHS, samples, 3)
    # A state is scaled at every step: some roundings each.
    assert np.allclose(got, want, rtol=0, atol=1e-12)


@pytest.mark.parametrize("recurrence", FAMILIES, ids=repr)
def test_batches_and_workers_do_not_matter(recurrence):
    want = simulate_log_energies(recurrence, DEPTHS, 2 * CHUNK, rng=3)
    for batch in (1, 100):
        got = simulate_log_energies(recurrence, DEPTHS, 2 * CHUNK, rng=3, batch=batch)
        assert np.array_equal(got, want)
    with ThreadPoolExecutor(2) as pool:
        parallel = simulate_log_energies(recurrence, DEPTHS, 2 * CHUNK, rng=3, executor=pool)
    assert np.array_equal(parallel, want)


def test_cells_of_structured_recurrences():
    result = sigprop.simulate(DiagonalLRU(8, 0.5, 0.9), [0, 4], 300, rng=0)
    cell = result.cells[1]
    assert (cell.model, cell.method, cell.regime) == ("diagonal_lru", "direct", None)
    assert cell.exact == pytest.approx(float(DiagonalLRU(8, 0.5, 0.9).state_energy(4)), rel=1e-15)
    assert cell.exact_standard_error is None
    assert abs(cell.z) < 4.0
    assert Simulation.from_dict(result.to_dict()) == result


def test_inputs_in_place_of_those_of_the_recurrence():
    lru = DiagonalLRU(8, 0.5, 0.99, 0.5)
    constant = sigprop.simulate(lru, 20, 300, rng=0, inputs="constant")
    assert constant == sigprop.simulate(lru.with_inputs("constant"), 20, 300, rng=0)
    white = sigprop.simulate(lru, 20, 300, rng=0)
    # Control: the two laws tell each other apart.
    assert constant.cells[0].mean > 2.0 * white.cells[0].mean
    gaussian = sigprop.simulate(GaussianLRU(8), 3, 300, rng=0, inputs="constant")
    assert gaussian == sigprop.simulate(GaussianLRU(8, inputs="constant"), 3, 300, rng=0)
    with pytest.raises(ValueError, match="inputs must be None for GaussianRNN"):
        sigprop.simulate(GaussianRNN(8), 3, 300, inputs="constant")
    logs = simulate_log_energies(lru, 20, 10, rng=0, inputs="constant")
    assert np.array_equal(logs, simulate_log_energies(lru.with_inputs("constant"), 20, 10, rng=0))


def test_where_there_is_no_formula_the_sample_answers():
    lru = DiagonalLRU(8, 0.5, 0.99, 6.0, first_step="unit")
    cell = sigprop.simulate(lru, 3, 300, rng=0, inputs="constant").cells[0]
    assert (cell.exact, cell.log_exact, cell.z) == (None, None, None)
    assert cell.mean == pytest.approx(1.0, abs=0.3)
    # At depth 0 the sample and the full phase have a formula.
    assert sigprop.simulate(lru, 0, 300, rng=0).cells[0].exact == 1.0


def test_unstable_layers_beyond_the_float_range():
    layer = from_layer([2.0, 1.5j])
    cell = sigprop.simulate(layer, 2000, 300, rng=0).cells[0]
    assert cell.exact is None
    assert cell.log_exact == pytest.approx(layer.log_state_energy(2000), rel=1e-15)
    assert cell.mean == math.inf
    assert abs(cell.z) < 4.0


def test_widths_beyond_those_of_matrices():
    wide = DiagonalLRU(50_000, 0.5, 0.9)
    cell = sigprop.simulate(wide, 2, 3, rng=0).cells[0]
    # 150 000 units: a relative error of 0.3 %.
    assert cell.mean == pytest.approx(float(wide.state_energy(2)), rel=0.02)
    with pytest.raises(ValueError, match=r"a layer of 400020000 numbers"):
        sigprop.simulate(DiagonalLRU(20_000, input_size=20_000), 2, 3)


@pytest.mark.parametrize("method", ["krylov", "importance"])
def test_other_methods_are_refused(method):
    with pytest.raises(ValueError, match="method"):
        sigprop.simulate(DiagonalLRU(8), 2, 300, method=method)
