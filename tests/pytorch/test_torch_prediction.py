"""Monitored energies against theory: a pasted gain, running layers, inputs at every step."""

import importlib
import json
import math

import numpy as np
import pytest
from matplotlib.figure import Figure

from sigprop import log_lru_energy, log_rnn_energy
from sigprop.cli import main
from sigprop.typical import energy_quantiles

torch = pytest.importorskip("torch")
sigprop_torch = importlib.import_module("sigprop.torch")
EnergyMonitor = sigprop_torch.EnergyMonitor
predict_energies = sigprop_torch.predict_energies

DRAWS = 200
SMALL = 1e-4
"""Size of first states so small that tanh is linear: its cubic term is below 1e-5 of it."""


def last_energies(rnn, fill, length):
    """Return energies of a nn.RNN without inputs after some steps, for draws of its weights."""
    generator = torch.Generator().manual_seed(1)
    found = []
    with torch.no_grad():
        for _ in range(DRAWS):
            fill()
            state = SMALL * torch.randn(1, 1, rnn.hidden_size, generator=generator)
            with EnergyMonitor(rnn) as monitor:
                rnn(torch.zeros(length, 1, rnn.input_size), state)
            found.append(monitor.energies()[-1] / SMALL**2)
    return np.array(found)


def test_the_line_that_the_command_line_says_to_paste(capsys):
    """The energy of the pasted weights lies in the stated band, and below the bound."""
    assert main(["gain", "--width", "256", "--length", "64", "--field", "real", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    rnn = torch.nn.RNN(1, 256, bias=False)
    scope = {"torch": torch, "rnn": rnn}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        pasted = last_energies(rnn, lambda: exec(report["paste"]["torch"], scope), 64)
        default = last_energies(rnn, lambda: torch.nn.init.xavier_normal_(rnn.weight_hh_l0), 64)
    band = energy_quantiles(256, 64, (0.05, 0.95), field="real", gain=report["safe_gain"])
    low, high = band.energies
    assert high == pytest.approx(10.0, rel=1e-6)
    # Nine draws in ten, to four standard errors of a binomial share. Measured 0.93.
    tolerance = 4.0 * math.sqrt(0.9 * 0.1 / DRAWS)
    assert abs(np.mean((pasted > low) & (pasted < high)) - 0.9) < tolerance
    # Below the bound 95 in 100. Measured 0.965.
    assert abs(np.mean(pasted < 10.0) - 0.95) < 4.0 * math.sqrt(0.95 * 0.05 / DRAWS)
    # Negative control: weights of gain 1 are not safe. Measured 0.615 below the bound.
    assert np.mean(default < 10.0) < 0.95 - 4.0 * math.sqrt(0.95 * 0.05 / DRAWS)


def test_the_initialiser_does_what_the_pasted_line_does():
    rnn = torch.nn.RNN(1, 64, bias=False)
    generator = torch.Generator().manual_seed(0)
    fill = sigprop_torch.gaussian_recurrent_
    energies = last_energies(
        rnn, lambda: fill(rnn.weight_hh_l0, 100, 3.0, generator=generator), 100
    )
    # Measured 0.945.
    assert abs(np.mean(energies < 3.0) - 0.95) < 4.0 * math.sqrt(0.95 * 0.05 / DRAWS)


def test_inputs_at_every_step():
    """The mean over weights and inputs of a linear recurrence is the running sum S."""
    n, steps, draws, batch = 64, 8, 400, 4
    generator = torch.Generator().manual_seed(2)
    W = torch.randn(draws, n, n, generator=generator) / math.sqrt(n)
    h, monitor, last = torch.zeros(draws, n, batch), EnergyMonitor(), None
    for _ in range(steps):
        h = W @ h + 2.0 * torch.randn(draws, n, batch, generator=generator)
        monitor.record(h.transpose(1, 2))
        last = (h**2).mean(dim=(1, 2))
    predicted = monitor.predicted(1.0, model="lru", entering=4.0)
    measured = np.log(monitor.energies()[np.array(predicted.steps) - 1])
    error = 4.0 * float(last.std() / last.mean()) / math.sqrt(draws)
    assert np.abs(measured - predicted.log_mean).max() < error
    assert error < 0.1
    # Negative control: without inputs there would be far less.
    decaying = monitor.predicted(1.0, model="rnn", entering=4.0)
    assert measured[-1] - decaying.log_mean[-1] > 2.0


def test_predictions_are_those_of_theory():
    for field in ("real", "complex"):
        rnn = predict_energies(50, 0.9, [1, 7, 40], field=field, entering=2.0)
        exact = math.log(2.0) + log_rnn_energy(50, np.array([1, 7, 40]), 0.9, field)
        assert rnn.log_mean == pytest.approx(exact, abs=1e-12)
        band = energy_quantiles(50, 40, (0.05, 0.95), field=field, gain=0.9)
        assert (rnn.log_low[-1], rnn.log_high[-1]) == pytest.approx(
            np.array(band.values) + math.log(2.0), abs=1e-9
        )
        lru = predict_energies(50, 0.9, [1, 7, 40], model="lru", field=field, entering=2.0)
        exact = math.log(2.0) + log_lru_energy(50, np.array([0, 6, 39]), 0.9, field)
        assert lru.log_mean == pytest.approx(exact, abs=1e-12)
        assert set(lru.log_low) == set(lru.log_high) == {None}


def test_the_gain_of_a_layer_is_measured():
    rnn = torch.nn.RNN(2, 24, num_layers=2)
    torch.nn.init.orthogonal_(rnn.weight_hh_l1, gain=0.5)
    with EnergyMonitor(rnn) as monitor:
        rnn(torch.zeros(20, 1, 2))
    predicted = monitor.predicted()
    assert predicted.gain == pytest.approx(0.5, rel=1e-6)
    assert (predicted.field, predicted.width) == ("real", 24)
    assert predicted.steps[0] == 1
    assert predicted.steps[-1] == 20
    linear = torch.nn.Linear(24, 24, bias=False)
    monitor.attach(linear)
    gain = math.sqrt(24 * float((linear.weight.detach().double() ** 2).mean()))
    assert monitor.predicted(steps=[1, 3]).gain == pytest.approx(gain, rel=1e-12)
    complex_weights = torch.eye(24, dtype=torch.complex64)
    assert monitor.predicted(complex_weights, steps=[1]).field == "complex"


def test_zero_weights():
    monitor = EnergyMonitor()
    monitor.record(torch.zeros(2))
    nothing = monitor.predicted(torch.zeros(2, 2))
    assert nothing.log_mean == nothing.log_low == (None,)
    inputs_alone = monitor.predicted(torch.zeros(2, 2), model="lru", entering=3.0)
    assert inputs_alone.log_mean == (math.log(3.0),)


def test_predictions_survive_json():
    predicted = predict_energies(10, 1.0, [1, 2, 4], model="lru")
    data = json.loads(json.dumps(predicted.to_dict(), allow_nan=False))
    assert sigprop_torch.PredictedEnergies.from_dict(data) == predicted


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="weights: nothing to compare with"):
        EnergyMonitor().predicted(1.0)
    lstm = torch.nn.LSTM(2, 5)
    with EnergyMonitor(lstm) as monitor:
        lstm(torch.zeros(3, 1, 2))
    with pytest.raises(ValueError, match=r"weights must be given.* LSTM has no single"):
        monitor.predicted()
    with pytest.raises(ValueError, match=r"weights must be square, .* got shape \(20, 5\)"):
        monitor.predicted(lstm.weight_hh_l0)
    with pytest.raises(ValueError, match=r"weights must have the width 5 .* \(3, 3\)"):
        monitor.predicted(torch.eye(3))
    with pytest.raises(ValueError, match="weights must hold finite numbers"):
        monitor.predicted(torch.full((5, 5), math.nan))
    with pytest.raises(ValueError, match="weights must be a finite number > 0, got -1"):
        monitor.predicted(-1.0)
    with pytest.raises(ValueError, match="model must be one of"):
        monitor.predicted(1.0, model="gru")
    with pytest.raises(ValueError, match="field must be one of"):
        monitor.predicted(1.0, field="quaternion")
    with pytest.raises(ValueError, match="entering must be"):
        monitor.predicted(1.0, entering=0.0)
    with pytest.raises(ValueError, match="steps must"):
        monitor.predicted(1.0, steps=[0])


def test_the_picture():
    monitor = EnergyMonitor()
    for value in (1.0, 0.5, math.inf, 0.0):
        monitor.record(torch.full((3,), value))
    ax = Figure().add_subplot()
    assert monitor.plot(ax, monitor.predicted(0.9), label="a layer") is ax
    labels = ax.get_legend_handles_labels()[1]
    assert labels == ["predicted at gain 0.9", "a layer"]
    (measured,) = [line for line in ax.lines if line.get_label() == "a layer"]
    assert measured.get_xdata().tolist() == [1, 2, 3, 4]
    drawn = measured.get_ydata()
    assert drawn[:2] == pytest.approx([0.0, math.log(0.25)])
    assert np.isnan(drawn[2:]).all()  # infinite and zero energies have no place on the axis
    assert ax.get_xscale() == "log"
    assert len(ax.collections) == 1


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_a_gain_whose_square_is_beyond_the_range(scale):
    W = scale * torch.eye(4, dtype=torch.complex128)
    found = predict_energies(4, W, [1])
    assert found.gain == pytest.approx(scale, rel=1e-15)
    assert found.log_mean[0] == pytest.approx(2.0 * math.log(scale), rel=1e-15)
