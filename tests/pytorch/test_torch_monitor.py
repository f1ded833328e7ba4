"""EnergyMonitor: what it reads of layers and states, how it accumulates, what it refuses."""

import collections
import importlib
import json
import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")
EnergyMonitor = importlib.import_module("sigprop.torch").EnergyMonitor

# The same squares summed in another order. Measured 3e-16.
RTOL = 1e-14


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def inputs(*shape, seed=0):
    return torch.randn(*shape, generator=seeded(seed))


def plain(states):
    """Mean squares over batch and units of states (T, B, n), by NumPy."""
    return np.mean(np.abs(states.detach().to(torch.complex128).numpy()) ** 2, axis=(1, 2))


class TestLayers:
    @pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
    @pytest.mark.parametrize("batch_first", [False, True])
    def test_output_sequences(self, kind, batch_first):
        layer = getattr(torch.nn, kind)(3, 10, num_layers=2, batch_first=batch_first)
        with EnergyMonitor(layer) as monitor:
            output, _ = layer(inputs(6, 4, 3))
        states = output.transpose(0, 1) if batch_first else output
        assert monitor.energies() == pytest.approx(plain(states), rel=RTOL)
        assert monitor.counts().tolist() == [states.shape[1]] * len(states)
        assert (len(monitor), monitor.width) == (len(states), 10)

    def test_unbatched(self):
        layer = torch.nn.GRU(3, 10, batch_first=True)
        with EnergyMonitor(layer) as monitor:
            output, _ = layer(inputs(6, 3))
        assert monitor.energies() == pytest.approx(plain(output[:, None]), rel=RTOL)
        assert monitor.counts().tolist() == [1] * 6

    def test_longer_than_one_piece(self):
        layer = torch.nn.RNN(1, 5)
        with EnergyMonitor(layer) as monitor:
            output, _ = layer(inputs(700, 2, 1))
        assert monitor.energies() == pytest.approx(plain(output), rel=RTOL)

    def test_forward_direction_of_two(self):
        layer = torch.nn.LSTM(3, 10, bidirectional=True)
        with EnergyMonitor(layer) as monitor:
            output, _ = layer(inputs(6, 4, 3))
        assert monitor.width == 10
        assert monitor.energies() == pytest.approx(plain(output[..., :10]), rel=RTOL)

    @pytest.mark.filterwarnings("ignore:LSTM with projections")
    def test_projected_states(self):
        layer = torch.nn.LSTM(3, 10, proj_size=4)
        with EnergyMonitor(layer) as monitor:
            output, _ = layer(inputs(6, 2, 3))
        assert monitor.width == 4
        assert monitor.energies() == pytest.approx(plain(output), rel=RTOL)

    @pytest.mark.parametrize("bidirectional", [False, True])
    def test_packed_sequences_count_those_that_are_there(self, bidirectional):
        layer = torch.nn.GRU(3, 10, batch_first=True, bidirectional=bidirectional)
        x, lengths = inputs(3, 5, 3), [2, 5, 3]
        packed = torch.nn.utils.rnn.pack_padded_sequence(
            x, lengths, batch_first=True, enforce_sorted=False
        )
        with EnergyMonitor(layer) as monitor:
            output, _ = layer(packed)
        padded, _ = torch.nn.utils.rnn.pad_packed_sequence(output, batch_first=True)
        assert monitor.counts().tolist() == [3, 3, 2, 1, 1]
        squares = padded[..., :10].detach().double().square().mean(dim=2).sum(dim=0).numpy()
        assert monitor.energies() == pytest.approx(squares / monitor.counts(), rel=RTOL)

    def test_cells_are_read_call_by_call(self):
        cell, state = torch.nn.LSTMCell(3, 10), None
        monitor, states = EnergyMonitor(cell), []
        for x in inputs(6, 4, 3):
            state = cell(x, state)
            states.append(state[0])
        monitor.detach()
        cell(inputs(4, 3))
        assert monitor.energies() == pytest.approx(plain(torch.stack(states)), rel=RTOL)

    def test_training_goes_on_as_if_nobody_looked(self):
        layer, x = torch.nn.RNN(3, 10), inputs(6, 4, 3)
        bare = layer(x)[0]
        bare.sum().backward()
        gradient = layer.weight_hh_l0.grad.clone()
        layer.zero_grad()
        with EnergyMonitor(layer) as monitor:
            watched = layer(x)[0]
            watched.sum().backward()
        assert torch.equal(bare, watched)
        assert torch.equal(gradient, layer.weight_hh_l0.grad)
        assert isinstance(monitor.energies(), np.ndarray)

    def test_detached_at_the_end_and_after_an_error(self):
        layer = torch.nn.RNN(3, 10)
        with pytest.raises(RuntimeError), EnergyMonitor(layer) as monitor:
            layer(inputs(6, 4, 7))
        layer(inputs(6, 4, 3))
        assert len(monitor) == 0
        monitor.detach()
        assert monitor.attach(layer) is monitor
        layer(inputs(6, 4, 3))
        assert len(monitor) == 6
        with pytest.raises(ValueError, match="module: the monitor is attached to RNN"):
            monitor.attach(layer)
        monitor.detach()


class TestAccumulation:
    def test_batches_of_unequal_size_and_length(self):
        layer, monitor = torch.nn.RNN(3, 10), EnergyMonitor()
        monitor.attach(layer)
        small, large = layer(inputs(6, 2, 3))[0], layer(inputs(4, 8, 3, seed=1))[0]
        monitor.detach()
        assert monitor.counts().tolist() == [10] * 4 + [2] * 2
        both = plain(torch.cat([small[:4], large], dim=1))
        assert monitor.energies()[:4] == pytest.approx(both, rel=RTOL)
        assert monitor.energies()[4:] == pytest.approx(plain(small)[4:], rel=RTOL)
        # Negative control: the mean of the two means is another number.
        unweighted = 0.5 * (plain(small)[:4] + plain(large))
        assert np.abs(monitor.energies()[:4] / unweighted - 1.0).max() > 1e-3

    def test_states_of_a_custom_recurrence(self):
        states = torch.view_as_complex(inputs(5, 3, 7, 2)).to(torch.complex64)
        monitor = EnergyMonitor()
        for h in states:
            monitor.record(h)
        assert monitor.energies() == pytest.approx(plain(states), rel=RTOL)
        monitor.restart()
        monitor.record(2.0 * states[0, 0].conj())
        assert monitor.counts().tolist() == [4, 3, 3, 3, 3]
        # The energy of |2 h|^2 is four times that of h, one sequence among four.
        expected = (3 * plain(states)[0] + 4 * plain(states[:1, :1])[0]) / 4
        assert monitor.energies()[0] == pytest.approx(expected, rel=RTOL)

    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
    def test_squares_are_taken_in_float64(self, dtype):
        h = torch.full((2, 8), 3000.0, dtype=dtype)  # its square is beyond float16
        monitor = EnergyMonitor()
        monitor.record(h)
        assert monitor.energies().tolist() == [float(h[0, 0]) ** 2]

    def test_what_is_not_finite_is_told(self):
        states = torch.ones(4, 2, 3)
        states[1, 0, 0] = math.inf
        states[2, 1, 2] = math.nan
        monitor = EnergyMonitor()
        monitor.record_sequence(states)
        assert np.array_equal(monitor.energies(), [1.0, math.inf, math.nan, 1.0], equal_nan=True)
        monitor.record_sequence(torch.zeros(4, 2, 3))
        assert np.array_equal(monitor.energies(), [0.5, math.inf, math.nan, 0.5], equal_nan=True)
        data = json.loads(json.dumps(monitor.to_dict(), allow_nan=False))
        assert data["energy"] == [0.5, None, None, 0.5]
        assert (data["infinite"], data["not_a_number"]) == ([2], [3])
        again = EnergyMonitor.from_dict(data)
        assert np.array_equal(again.energies(), monitor.energies(), equal_nan=True)

    def test_saved_and_continued(self):
        layer, monitor = torch.nn.RNN(3, 10), EnergyMonitor()
        first, second = layer(inputs(6, 7, 3))[0], layer(inputs(8, 5, 3, seed=1))[0]
        monitor.record_sequence(first)
        again = EnergyMonitor.from_dict(json.loads(json.dumps(monitor.to_dict())))
        for each in (monitor, again):
            each.record_sequence(second)
        assert again.energies().tolist() == monitor.energies().tolist()
        assert again.counts().tolist() == monitor.counts().tolist()
        assert again.width == 10

    def test_nothing_recorded(self):
        monitor = EnergyMonitor()
        assert monitor.energies().shape == (0,)
        assert monitor.width is None
        assert EnergyMonitor.from_dict(monitor.to_dict()).to_dict() == monitor.to_dict()
        monitor.record(torch.ones(0, 3))
        assert monitor.counts().tolist() == [0]
        assert math.isnan(monitor.energies()[0])
        monitor.record_sequence(torch.ones(2, 0, 3))
        monitor.record_sequence(torch.ones(0, 4, 3))
        assert monitor.counts().tolist() == [0, 0]


class TestBadInput:
    def test_states(self):
        monitor = EnergyMonitor()
        with pytest.raises(ValueError, match=r"h must have shape \(\.\.\., n\), got shape \(\)"):
            monitor.record(torch.tensor(1.0))
        with pytest.raises(TypeError, match=r"h must be a tensor of .* got torch\.int64"):
            monitor.record(torch.ones(3, dtype=torch.int64))
        with pytest.raises(TypeError, match=r"h must be a tensor of .* got a list"):
            monitor.record([1.0])
        with pytest.raises(ValueError, match=r"states must have shape .* got shape \(3,\)"):
            monitor.record_sequence(torch.ones(3))
        assert len(monitor) == 0
        monitor.record(torch.ones(3))
        with pytest.raises(ValueError, match=r"h must have the width 3 .* got shape \(4,\)"):
            monitor.record(torch.ones(4))
        assert monitor.counts().tolist() == [1]

    def test_modules(self):
        with pytest.raises(TypeError, match=r"module must be a torch\.nn\.Module, got 3"):
            EnergyMonitor(3)

    def test_saved_data_that_contradict_themselves(self):
        monitor = EnergyMonitor()
        monitor.record(torch.ones(3))
        data = monitor.to_dict()
        with pytest.raises(ValueError, match="count and total must have one length"):
            EnergyMonitor.from_dict({**data, "count": []})
        with pytest.raises(ValueError, match="total of step 1 must be a number"):
            EnergyMonitor.from_dict({**data, "total": [None]})


class _Returning(torch.nn.Module):
    def __init__(self, wrap):
        super().__init__()
        self.wrap = wrap

    def forward(self, h):
        return self.wrap(h)


_Named = collections.namedtuple("_Named", ["hidden", "gate"])


class TestOutputs:
    """The first tensor of whatever a module returns is its states."""

    @pytest.mark.parametrize(
        "wrap",
        [
            lambda h: h,
            lambda h: (h, 2.0 * h),
            lambda h: [None, h],
            lambda h: _Named(h, 2.0 * h),
            lambda h: ((h, h), 2.0 * h),
            lambda h: {"loss": None, "hidden": h, "gate": 2.0 * h},
        ],
    )
    def test_kinds(self, wrap):
        module, h = _Returning(wrap), inputs(4, 6)
        with EnergyMonitor(module) as monitor:
            module(h)
        assert monitor.energies() == pytest.approx(plain(h[None]), rel=RTOL)

    @pytest.mark.parametrize("wrap", [lambda h: None, lambda h: {"a": 1}, lambda h: h.tolist()])
    def test_without_a_tensor(self, wrap):
        module = _Returning(wrap)
        with (
            EnergyMonitor(module) as monitor,
            pytest.raises(TypeError, match=r"module _Returning must return .* hand it the states"),
        ):
            module(inputs(4, 6))
        assert len(monitor) == 0


def test_with_attaches_again():
    layer, monitor = torch.nn.RNN(3, 10), EnergyMonitor()
    with monitor:
        monitor.record(torch.ones(10))
    monitor.attach(layer).detach()
    with monitor as again:
        layer(inputs(6, 4, 3))
    assert again is monitor
    assert monitor.counts().tolist() == [5, 4, 4, 4, 4, 4]
    layer(inputs(6, 4, 3))
    assert monitor.counts()[0] == 5
