"""Every experiment that the archive's schema can hold, small: simulated, written, read again."""

import itertools
import math

import numpy as np
import pytest

from sigprop.montecarlo.archive import CHOICES, Archive
from sigprop.montecarlo.campaign import Campaign
from sigprop.montecarlo.campaign_archive import archive_of
from sigprop.recurrences import GaussianLRU, GaussianRNN

WIDTHS = (4, 9)
C_VALUES = np.linspace(0.0, 5.0, 4)
SAMPLES = 5

STARTS = {"e1": "fixed", "random_unit": "sphere", "random_isotropic": "sphere"}
UNITS = {"linear": ("real", "complex"), "relu": ("real",), "leaky_relu": ("real",)}
INPUTS = {
    ("unit", "e1"): {"inputs": "constant", "input_vectors": "fixed"},
    ("unit", "random_unit"): {"input_vectors": "sphere"},
    ("unit", "random_isotropic"): {"input_vectors": "sphere"},
}


def _rnn_experiments():
    for activation, tying, x_mode in itertools.product(UNITS, CHOICES["weight_tying"], STARTS):
        for field in UNITS[activation]:
            yield (
                ("rnn", field, activation, tying, x_mode, "unit"),
                GaussianRNN,
                {
                    "field": field,
                    "activation": activation,
                    "tied": tying == "tied",
                    "start": STARTS[x_mode],
                },
            )


def _lru_experiments():
    for field in CHOICES["ensemble"]:
        real = "real_gaussian" if field == "complex" else "gaussian"
        laws = INPUTS | {("gaussian", "e1"): {"input_vectors": real}}
        for (lru_inputs, x_mode), law in laws.items():
            yield (
                ("lru", field, "linear", "tied", x_mode, lru_inputs),
                GaussianLRU,
                {"field": field} | law,
            )


EXPERIMENTS = [*_rnn_experiments(), *_lru_experiments()]


def _campaign(family, options, samples=SAMPLES):
    recurrences = [family(width, **options) for width in WIDTHS]
    return Campaign.grid(recurrences, samples, 42, c=C_VALUES, method="direct")


def _settings(archive):
    return (
        archive.model,
        archive.ensemble,
        archive.activation,
        archive.weight_tying,
        archive.x_mode,
        archive.lru_inputs,
    )


def test_the_experiments_are_all_that_the_schema_allows():
    allowed = set()
    for model, field, activation, tying, x_mode, inputs in itertools.product(
        *(
            CHOICES[name]
            for name in ("model", "ensemble", "activation", "weight_tying", "x_mode", "lru_inputs")
        )
    ):
        nonlinear = activation != "linear" and (field == "complex" or model == "lru")
        untied = tying == "untied" and model == "lru"
        gaussian = inputs == "gaussian" and (model == "rnn" or x_mode != "e1")
        if not (nonlinear or untied or gaussian):
            allowed.add((model, field, activation, tying, x_mode, inputs))
    assert {settings for settings, _, _ in EXPERIMENTS} == allowed
    assert len(EXPERIMENTS) == len(allowed) == 32


@pytest.mark.parametrize(
    ("settings", "family", "options"), EXPERIMENTS, ids=["-".join(e[0]) for e in EXPERIMENTS]
)
def test_round_trip(settings, family, options, tmp_path):
    result = _campaign(family, options).run()
    x_mode = settings[4]
    written = archive_of(result, x_mode)
    written.write(tmp_path / "a.npz")
    archive = Archive.read(tmp_path / "a.npz")
    assert _settings(archive) == settings
    assert archive.width.tolist() == [4] * 4 + [9] * 4
    depths = [round(c * math.sqrt(width)) for width in WIDTHS for c in C_VALUES]
    assert archive.depth.tolist() == depths
    for name in ("mean", "std", "se", "initial_energy", "c_eff"):
        assert np.array_equal(getattr(archive, name), getattr(written, name))
    energies = [cell.mean for cell in result.cells]
    assert np.allclose(archive.energy, energies, rtol=1e-14, atol=0.0)
    isotropic = x_mode == "random_isotropic" or settings[5] == "gaussian"
    assert np.array_equal(archive.initial_energy, archive.width if isotropic else np.ones(8))
    scale = {"linear": 1.0, "relu": math.sqrt(2.0), "leaky_relu": math.sqrt(1.6)}[settings[2]]
    assert archive.weight_scale == pytest.approx(scale, rel=1e-15)
    assert (archive.num_samples, archive.seed, archive.alpha) == (SAMPLES, 42, 0.5)
    assert archive.arithmetic == "float64/complex128"


@pytest.mark.parametrize("family", [GaussianRNN, GaussianLRU])
def test_single_precision_is_written(family):
    result = _campaign(family, {"dtype": "float32"}, samples=2).run()
    assert archive_of(result).arithmetic == "float32/complex64"


def test_input_distributions_tell_the_inputs():
    found = {}
    for settings, family, options in EXPERIMENTS:
        if settings[:2] == ("lru", "complex"):
            archive = archive_of(_campaign(family, options, samples=1).run(), settings[4])
            found[settings[4:]] = archive.input_distribution
    assert found == {
        ("e1", "unit"): "e1 at every step",
        ("random_unit", "unit"): "independent per step, uniform on the sphere",
        ("random_isotropic", "unit"): "independent per step, uniform on the sphere",
        ("e1", "gaussian"): "independent real N(0,I) per step",
    }


def test_stored_campaigns_hold_energies_of_zero(tmp_path):
    campaign = _campaign(GaussianRNN, {"field": "real", "activation": "relu"}, samples=300)
    result = campaign.run(store=tmp_path / "campaign.sqlite")
    again = campaign.run(store=tmp_path / "campaign.sqlite")
    assert np.any(result.log_energies[0] == -math.inf)
    for first, second in zip(result.log_energies, again.log_energies, strict=True):
        assert np.array_equal(first, second)
    assert again.cells == result.cells
    again.write(tmp_path / "result.json")
    again.write(tmp_path / "result.npz")
    assert Archive.read(tmp_path / "result.npz").x_mode == "e1"


def test_extended_campaigns_are_the_longer_ones():
    options = {"field": "real", "activation": "leaky_relu", "tied": False}
    few, more = (_campaign(GaussianRNN, options, samples).run() for samples in (20, 270))
    for first, second in zip(few.log_energies, more.log_energies, strict=True):
        assert np.array_equal(second[:20], first)
