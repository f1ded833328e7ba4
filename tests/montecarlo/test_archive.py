"""The experiment archive: totals and energies per unit, round trips, and files to refuse."""

import io
import math
import zipfile

import numpy as np
import pytest

from sigprop.montecarlo.archive import Archive
from sigprop.montecarlo.campaign import Campaign
from sigprop.montecarlo.campaign_archive import archive_of
from sigprop.montecarlo.campaign_result import CampaignResult
from sigprop.recurrences import GaussianLRU, GaussianRNN

WIDTHS = np.array([4, 4, 9, 9])
DEPTHS = np.array([0, 2, 0, 3])
STD = np.array([0.0, 1.5, 0.0, 2.25])


def entries(**changes):
    """Return an archive as the experiments write it, entry by entry, made up here."""
    return {
        "width": WIDTHS,
        "depth": DEPTHS,
        "c_eff": DEPTHS / np.sqrt(WIDTHS),
        "mean": np.array([4.0, 4.5, 9.0, 10.0]),
        "std": STD,
        "se": STD / 10.0,
        "initial_energy": WIDTHS * 1.0**2,
        "n_values": (4, 9),
        "c_values": np.linspace(0.0, 1.0, 2),
        "schema_version": 1,
        "ensemble": "real",
        "activation": "linear",
        "model": "rnn",
        "weight_tying": "tied",
        "alpha": 0.5,
        "weight_scale": np.float64(1.0),
        "x_mode": "random_isotropic",
        "initial_norm": 1.0,
        "initial_norm_scaling": "sqrt_width",
        "num_samples": 100,
        "chunk_size": 32,
        "seed": 42,
        "backend": "numpy",
        "observable": "total_squared_norm",
        "rng_scheme": "v1",
        "lru_inputs": "unit",
        "input_distribution": "random_isotropic",
        "arithmetic": "float64/complex128",
    } | changes


def archive_bytes(**changes):
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **entries(**changes))
    return buffer.getvalue()


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "archive.npz"
    path.write_bytes(archive_bytes())
    return path


def grid(recurrences, samples=200, **options):
    return Campaign.grid(recurrences, samples, 3, **({"c": [0.0, 1.0]} | options)).run()


class TestReading:
    def test_rows_and_units(self, path):
        archive = Archive.read(path)
        assert archive.width.tolist() == [4, 4, 9, 9]
        assert archive.mean.tolist() == [4.0, 4.5, 9.0, 10.0]
        # Totals of inputs of radius sqrt(n): divided by n.
        assert archive.energy.tolist() == [1.0, 1.125, 1.0, 10.0 / 9.0]
        assert np.allclose(archive.standard_error, STD / 10.0 / WIDTHS, rtol=1e-15)
        assert (archive.seed, archive.alpha, archive.model) == (42, 0.5, "rnn")

    def test_unit_vectors_have_energies_as_they_are(self, path):
        path.write_bytes(
            archive_bytes(x_mode="e1", initial_norm_scaling="constant", initial_energy=np.ones(4))
        )
        archive = Archive.read(path)
        assert np.array_equal(archive.energy, archive.mean)

    def test_other_radii(self, path):
        path.write_bytes(archive_bytes(initial_norm=2.0, initial_energy=4.0 * WIDTHS))
        assert Archive.read(path).energy[1] == 4.5 / 16.0

    def test_activations(self, path):
        for activation, scale in (("relu", math.sqrt(2.0)), ("leaky_relu", math.sqrt(1.6))):
            path.write_bytes(
                archive_bytes(activation=activation, weight_scale=scale, weight_tying="untied")
            )
            archive = Archive.read(path)
            assert (archive.activation, archive.weight_scale) == (activation, scale)

    def test_error_bars_that_are_not_known(self, path):
        std = np.array([0.0, np.nan, 0.0, 2.25])
        path.write_bytes(archive_bytes(std=std, se=std / 10.0))
        assert np.isnan(Archive.read(path).se).tolist() == [False, True, False, False]

    def test_more_entries_than_the_schema(self, path):
        path.write_bytes(archive_bytes(note="more"))
        assert not hasattr(Archive.read(path), "note")


class TestRoundTrip:
    def test_all_entries_return(self, path, tmp_path):
        Archive.read(path).write(tmp_path / "again.npz")
        with (
            np.load(path, allow_pickle=False) as first,
            np.load(tmp_path / "again.npz", allow_pickle=False) as second,
        ):
            assert sorted(first.files) == sorted(second.files) == sorted(entries())
            for name in first.files:
                assert np.array_equal(first[name], second[name])
                assert first[name].dtype.kind == second[name].dtype.kind

    def test_of_a_campaign(self, tmp_path):
        result = grid([GaussianRNN(16), GaussianRNN(64)])
        result.write(tmp_path / "a.npz")
        archive = Archive.read(tmp_path / "a.npz")
        energies = [cell.mean for cell in result.cells]
        assert np.allclose(archive.energy, energies, rtol=1e-14, atol=0.0)
        assert archive.energy[0] == 1.0

    def test_nothing_is_written_into_missing_folders(self, path, tmp_path):
        with pytest.raises(OSError, match=r"cannot write .*none"):
            Archive.read(path).write(tmp_path / "none" / "a.npz")


class TestCampaigns:
    def test_rnn_of_radius_root_n(self):
        result = grid([GaussianRNN(16, "real"), GaussianRNN(25, "real")])
        archive = archive_of(result)
        assert archive.width.tolist() == [16, 16, 25, 25]
        assert archive.depth.tolist() == [0, 4, 0, 5]
        assert archive.n_values.tolist() == [16, 25]
        assert archive.c_values.tolist() == [0.0, 1.0]
        assert archive.initial_energy.tolist() == [16.0, 16.0, 25.0, 25.0]
        totals = 16.0 * np.exp(result.log_energies[0][:, 1])
        assert archive.mean[1] == pytest.approx(totals.mean(), rel=1e-13)
        assert archive.std[1] == pytest.approx(totals.std(ddof=1), rel=1e-12)
        assert archive.se[1] == pytest.approx(totals.std(ddof=1) / math.sqrt(200), rel=1e-12)
        assert (archive.std[0], archive.mean[0]) == (0.0, 16.0)
        assert (archive.ensemble, archive.model, archive.num_samples) == ("real", "rnn", 200)
        assert (archive.x_mode, archive.initial_norm_scaling) == ("random_isotropic", "sqrt_width")

    @pytest.mark.parametrize("x_mode", ["e1", "random_unit"])
    def test_rnn_of_unit_vectors(self, x_mode):
        result = grid([GaussianRNN(16)])
        archive = archive_of(result, x_mode)
        assert (archive.x_mode, archive.initial_norm_scaling) == (x_mode, "constant")
        assert archive.mean[1] == pytest.approx(result.cells[1].mean, rel=1e-13)
        assert np.array_equal(archive.energy, archive.mean)

    def test_lru(self):
        result = grid([GaussianLRU(16, gain=0.5)])
        archive = archive_of(result)
        assert archive.mean[1] == pytest.approx(16.0 * result.cells[1].mean, rel=1e-13)
        assert (archive.model, archive.lru_inputs, archive.x_mode) == ("lru", "gaussian", "e1")
        assert archive.weight_scale == 0.5
        assert archive.input_distribution == "independent complex N(0,I) per step"

    @pytest.mark.parametrize("x_mode", [None, "e1", "random_isotropic"])
    def test_initial_norm_scales_the_totals(self, x_mode):
        result = grid([GaussianRNN(16, "real", tied=False)])
        one, three = (archive_of(result, x_mode, norm) for norm in (1.0, 3.0))
        assert (one.initial_norm, three.initial_norm) == (1.0, 3.0)
        assert np.array_equal(three.initial_energy, 9.0 * one.initial_energy)
        assert np.allclose(three.mean, 9.0 * one.mean, rtol=1e-15)
        assert np.allclose(three.std, 9.0 * one.std, rtol=1e-15)
        assert np.allclose(three.energy, one.energy, rtol=1e-15)

    @pytest.mark.parametrize("norm", [0.0, -1.0, math.nan, 1e-200])
    def test_initial_norm_out_of_range(self, norm):
        with pytest.raises(ValueError, match="initial_norm must be"):
            archive_of(grid([GaussianRNN(4)], samples=2), initial_norm=norm)

    def test_initial_norm_of_gaussian_inputs(self):
        with pytest.raises(ValueError, match=r"initial_norm must be 1 for Gaussian inputs, got 2"):
            archive_of(grid([GaussianLRU(4)], samples=2), initial_norm=2.0)

    def test_small_norms_bring_totals_back_into_range(self):
        result = grid([GaussianRNN(4, gain=1e80)])  # energies of 1e320 at depth 2
        with pytest.raises(ValueError, match="at width 4, depth 2 overflows float64"):
            archive_of(result)
        archive = archive_of(result, "e1", 1e-20)
        log_energy = math.log(1e40) + math.log(archive.mean[1])
        # Logarithms of 736 are rounded to 1e-13.
        assert log_energy == pytest.approx(
            math.log(np.exp(result.log_energies[0][:, 1] - 700).mean()) + 700, rel=1e-13
        )

    @pytest.mark.parametrize("activation", ["relu", "leaky_relu"])
    def test_rectified_recurrences_have_the_start_that_was_drawn(self, activation):
        fixed, sphere = (
            grid([GaussianRNN(4, "real", activation=activation, start=start)], 2, method="direct")
            for start in ("fixed", "sphere")
        )
        assert archive_of(fixed).x_mode == "e1"
        assert archive_of(sphere).x_mode == "random_isotropic"
        assert archive_of(sphere, "random_unit").x_mode == "random_unit"
        for x_mode in ("random_unit", "random_isotropic"):
            with pytest.raises(ValueError, match=f"x_mode must be 'e1' for .*got '{x_mode}'"):
                archive_of(fixed, x_mode)
        with pytest.raises(ValueError, match="x_mode must be 'random_isotropic' or 'random_unit'"):
            archive_of(sphere, "e1")

    def test_scale_and_slope_of_rectified_units(self):
        recurrence = GaussianRNN(4, "real", 0.5, activation="leaky_relu", slope=0.25, tied=False)
        archive = archive_of(grid([recurrence], 2, method="direct"))
        assert (archive.activation, archive.alpha) == ("leaky_relu", 0.25)
        assert archive.weight_scale == recurrence.weight_scale != 0.5

    @pytest.mark.parametrize(
        "recurrence",
        [
            GaussianRNN(4, start="gaussian"),
            GaussianLRU(4, inputs="constant"),
            GaussianLRU(4, inputs=("ar1", 0.5)),
        ],
        ids=repr,
    )
    def test_laws_without_an_entry(self, recurrence):
        with pytest.raises(ValueError, match="the archive's schema has no entry for the"):
            archive_of(grid([recurrence], 2, method="direct"))

    def test_gaussian_inputs_are_written_as_e1(self):
        with pytest.raises(ValueError, match="x_mode must be 'e1' for GaussianLRU"):
            archive_of(grid([GaussianLRU(4)], samples=2), "random_isotropic")

    def test_energies_of_zero(self):
        result = grid([GaussianRNN(1, "real", activation="relu")], 9, method="direct", c=[0, 4])
        archive = archive_of(result)
        energies = np.exp(result.log_energies[0][:, 1])
        assert np.count_nonzero(energies) < 9
        assert archive.mean[1] == pytest.approx(energies.mean(), rel=1e-13)
        assert archive.std[1] == pytest.approx(energies.std(ddof=1), rel=1e-13)

    def test_settings_can_be_given(self):
        archive = archive_of(grid([GaussianRNN(16, "real")]), backend="other", alpha=0.2)
        assert (archive.backend, archive.alpha) == ("other", 0.2)

    def test_one_sample_has_no_spread(self):
        archive = archive_of(grid([GaussianRNN(4)], samples=1))
        assert archive.std.tolist() == archive.se.tolist() == [0.0, 0.0]

    @pytest.mark.parametrize(
        "other", [GaussianRNN(9, "real"), GaussianRNN(9, gain=0.9), GaussianLRU(9)], ids=str
    )
    def test_one_experiment_only(self, other):
        result = grid([GaussianRNN(4), other], samples=2)
        with pytest.raises(ValueError, match="an archive holds one experiment"):
            archive_of(result)

    def test_one_number_of_samples_only(self):
        cells = [(GaussianRNN(4), 1), (GaussianRNN(9), 1, "auto", 3)]
        with pytest.raises(ValueError, match=r"cells must have one number of samples, got \[2, 3"):
            archive_of(Campaign(cells, 2, 1).run())

    def test_other_recurrences(self):
        class Other(GaussianRNN):
            pass

        with pytest.raises(ValueError, match="the archive's schema has no entry for"):
            archive_of(grid([Other(4)], samples=2))

    def test_overflow(self, tmp_path):
        result = grid([GaussianRNN(4, gain=1e150)])
        with pytest.raises(ValueError, match="at width 4, depth 2 overflows float64"):
            result.write(tmp_path / "a.npz")
        assert list(tmp_path.iterdir()) == []

    def test_long_seeds(self):
        result = Campaign([(GaussianRNN(4), 1)], 2, 2**64).run()
        with pytest.raises(ValueError, match=r"seed must be below 2\*\*64 for an archive"):
            archive_of(result)
        result = Campaign([(GaussianRNN(4), 1)], 2, 2**64 - 1).run()
        assert archive_of(result).seed == 2**64 - 1

    def test_results_from_json_have_no_log_energies(self):
        result = CampaignResult.from_dict(grid([GaussianRNN(4)], samples=2).to_dict())
        with pytest.raises(ValueError, match="result must hold its log energies"):
            archive_of(result)

    def test_x_mode(self):
        with pytest.raises(ValueError, match="x_mode must be one of"):
            archive_of(grid([GaussianRNN(4)], samples=2), "sphere")


def _single_array():
    buffer = io.BytesIO()
    np.save(buffer, np.zeros(3))
    return buffer.getvalue()


def _plain_zip():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name in entries():
            file.writestr(f"{name}.npy", "not an array")
    return buffer.getvalue()


class TestRefusals:
    @pytest.mark.parametrize(
        "content", [b"", b"PK", b"hello " * 100, _single_array(), _plain_zip()]
    )
    def test_foreign_files(self, path, content):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"archive\.npz is not an archive of schema v1"):
            Archive.read(path)

    def test_truncated_at_any_length(self, path):
        content = path.read_bytes()
        for size in (10, 100, len(content) // 2, len(content) - 1):
            path.write_bytes(content[:size])
            with pytest.raises(ValueError, match=r"archive\.npz is not an archive of schema v1"):
                Archive.read(path)

    def test_changed_bytes(self, path):
        content = bytearray(path.read_bytes())
        content[60] ^= 0xFF  # within the first array
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"archive\.npz is not an archive of schema v1"):
            Archive.read(path)

    def test_missing_files(self, tmp_path):
        with pytest.raises(FileNotFoundError):
            Archive.read(tmp_path / "none.npz")

    def test_pickled_objects(self, path):
        path.write_bytes(archive_bytes(backend=np.array([object()], dtype=object)))
        with pytest.raises(ValueError, match=r"archive\.npz is not an archive of schema v1"):
            Archive.read(path)

    @pytest.mark.parametrize("name", list(entries()))
    def test_every_entry_is_needed(self, path, name):
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **{k: v for k, v in entries().items() if k != name})
        path.write_bytes(buffer.getvalue())
        with pytest.raises(ValueError, match=rf"is not an archive of schema v1: it has no {name}"):
            Archive.read(path)

    @pytest.mark.parametrize("name", list(entries()))
    def test_every_entry_is_checked(self, path, name):
        # A matrix of complex numbers is no value of any entry.
        path.write_bytes(archive_bytes(**{name: np.ones((2, 2), dtype=complex)}))
        with pytest.raises(ValueError, match=rf"is not a valid archive of schema v1: {name} must"):
            Archive.read(path)

    @pytest.mark.parametrize(
        ("changes", "text"),
        [
            ({"schema_version": 2}, "schema_version must be 1, got 2"),
            ({"width": WIDTHS - 4}, "width must hold integers >= 1, got 0"),
            ({"width": WIDTHS * 1.0}, "width must be a non-empty one-dimensional array of int"),
            ({"depth": DEPTHS - 1}, "depth must hold integers >= 0, got -1"),
            ({"mean": np.array([1.0, np.nan, 1.0, 1.0])}, "mean must hold finite numbers >= 0"),
            ({"mean": np.array([1.0, np.inf, 1.0, 1.0])}, "mean must hold finite numbers >= 0"),
            ({"mean": np.array([1.0, -1.0, 1.0, 1.0])}, "mean must hold finite numbers >= 0"),
            ({"mean": np.ones(3)}, "rows must have equal lengths"),
            ({"std": np.full(4, np.inf)}, "std must hold finite numbers >= 0, got inf"),
            ({"se": STD}, "se does not follow from the other entries"),
            ({"c_eff": np.ones(4)}, "c_eff does not follow from the other entries"),
            ({"initial_energy": np.ones(4)}, "initial_energy does not follow"),
            ({"n_values": (4, 16)}, "n_values must be the widths of the rows"),
            ({"ensemble": "quaternion"}, "ensemble must be one of 'real', 'complex'"),
            ({"activation": "tanh"}, "activation must be one of"),
            ({"activation": "relu", "ensemble": "complex"}, "unless the model is a real RNN"),
            ({"weight_tying": "untied", "model": "lru"}, "weight_tying must be 'tied' for an LRU"),
            ({"lru_inputs": "gaussian"}, "lru_inputs must be 'unit' for an RNN"),
            ({"initial_norm_scaling": "constant"}, "initial_norm_scaling must be 'sqrt_width'"),
            ({"observable": "energy"}, "observable must be one of 'total_squared_norm'"),
            ({"num_samples": 0}, "num_samples must be an integer >= 1"),
            ({"chunk_size": 1.5}, "chunk_size must be an integer >= 1"),
            ({"seed": -1}, "seed must be an integer >= 0"),
            ({"alpha": -0.1}, "alpha must be a finite number >= 0"),
            ({"weight_scale": 0.0}, "weight_scale must be a finite number > 0"),
            ({"initial_norm": np.nan}, "initial_norm must be a finite number"),
            ({"arithmetic": 64}, "arithmetic must be text, got 64 of type int"),
        ],
        ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
    )
    def test_wrong_entries_are_named(self, path, changes, text):
        path.write_bytes(archive_bytes(**changes))
        with pytest.raises(ValueError, match=f"archive.npz is not a valid.*{text}"):
            Archive.read(path)

    def test_writing_is_checked_too(self):
        with pytest.raises(ValueError, match="schema_version must be 1"):
            Archive(**entries(schema_version=3))
