"""`simulate`: cells, their record, agreement with theory and controls that must fail."""

import json
import math
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, dataclass, fields

import numpy as np
import pytest

import sigprop
from sigprop.montecarlo import Cell, Simulation, simulate, simulate_log_energies
from sigprop.recurrences import GaussianLRU, GaussianRNN
from sigprop.theory import energy, exact

RECORD = [
    "model", "field", "gain", "width", "depth", "c", "regime", "exact", "log_exact", "mean",
    "standard_error", "exact_standard_error", "z", "median", "quantile_05", "quantile_95",
    "effective_samples", "largest_share", "trustworthy", "reason", "method", "choice",
    "samples", "seed",
]  # fmt: skip


@dataclass(frozen=True)
class LoudRNN(GaussianRNN):
    """Real and imaginary parts of variance 1/n each, a common mistake; theory unchanged."""

    def sample(self, rng, batch=None):
        return math.sqrt(2.0) * super().sample(rng, batch)


@dataclass(frozen=True)
class DriftingLRU(GaussianLRU):
    """A gain that is 3 % too large; theory unchanged."""

    def sample(self, rng, batch=None):
        return 1.03 * super().sample(rng, batch)


@dataclass(frozen=True)
class SymmetricRNN(GaussianRNN):
    """Symmetric weights: nearly the right variance, the wrong dependence; theory unchanged."""

    def sample(self, rng, batch=None):
        weights = super().sample(rng, batch)
        return (weights + np.swapaxes(weights, -1, -2)) / math.sqrt(2.0)


class TestAgreement:
    # Fixed seed, so either always right or always wrong; 4 standard errors are passed by
    # chance once in 16000.

    @pytest.mark.parametrize("gain", [1.0, 0.8])
    @pytest.mark.parametrize("family", [GaussianRNN, GaussianLRU])
    @pytest.mark.parametrize(
        ("width", "depths", "samples"),
        [(1, [0, 1], 20_000), (2, [1, 2], 20_000), (8, [1, 3], 8_000), (64, [4, 8, 12], 1_000)],
    )
    def test_means_are_the_exact_ones(self, family, width, depths, samples, gain):
        result = simulate(family(width, gain=gain), depths, samples, rng=1)
        for cell in result.cells:
            assert cell.trustworthy
            assert abs(cell.z) < 4.0

    @pytest.mark.parametrize(
        "recurrence", [LoudRNN(64), DriftingLRU(64), SymmetricRNN(64)], ids=repr
    )
    def test_wrong_laws_are_found_out(self, recurrence):
        cell = simulate(recurrence, 8, 2_000, rng=1).cells[0]
        assert cell.trustworthy
        assert abs(cell.z) > 4.0

    @pytest.mark.parametrize(("family", "exact"), [(GaussianRNN, 1.5), (GaussianLRU, 3.5)])
    def test_real_weights(self, family, exact):
        # Counting the pairings of four real Gaussians gives Q_{n,2} = 1 + 2/n^2, against
        # 1 + 1/n^2 for complex ones, which the same sample rejects.
        cell = simulate(family(2, "real"), 2, 40_000, rng=1).cells[0]
        assert abs(cell.mean - exact) < 4.0 * cell.standard_error
        assert abs(cell.mean - (exact - 0.25)) > 4.0 * cell.standard_error


class TestFlag:
    def test_rare_events_of_a_single_unit(self):
        cell = simulate(GaussianRNN(1), 10, 100_000, rng=1).cells[0]
        assert not cell.trustworthy
        assert cell.standard_error is None
        assert cell.mean < 0.9 * cell.exact
        assert abs(cell.z) < 4.0  # over the exact standard error, which is huge
        assert "the tail dominates" in cell.reason

    @pytest.mark.parametrize("family", [GaussianRNN, GaussianLRU])
    def test_super_critical_and_sub_critical(self, family):
        near, far = simulate(family(64), [8, 64], 2_000, rng=1, method="krylov").cells
        assert near.trustworthy
        assert near.reason is None
        assert not far.trustworthy
        assert "the tail dominates" in far.reason

    def test_small_cells_are_fine(self):
        assert simulate(GaussianRNN(4), 2, 1_000, rng=1).cells[0].trustworthy

    def test_initial_state_of_the_rnn_is_exact(self):
        for width in (1, 3, 64):
            cell = simulate(GaussianRNN(width), 0, 5, rng=1).cells[0]
            assert (cell.standard_error, cell.z, cell.trustworthy) == (0.0, 0.0, True)
            assert cell.mean == pytest.approx(1.0, abs=1e-15)


class TestCells:
    def test_record(self):
        cell = simulate(GaussianLRU(16, gain=0.9), 4, 100, rng=7).cells[0]
        assert [field.name for field in fields(Cell)] == RECORD
        assert list(cell.to_dict()) == RECORD
        assert (cell.model, cell.field, cell.gain, cell.width, cell.depth) == (
            "lru", "complex", 0.9, 16, 4,
        )  # fmt: skip
        assert (cell.c, cell.method, cell.samples, cell.seed) == (1.0, "krylov", 100, 7)
        assert cell.regime == sigprop.classify(16, 4).name
        assert cell.exact == energy.lru_energy(16, 4, 0.9)
        assert cell.log_exact == energy.log_lru_energy(16, 4, 0.9)
        assert cell.z == pytest.approx((cell.mean - cell.exact) / cell.exact_standard_error)

    def test_one_cell_for_each_depth_in_the_order_given(self):
        cells = simulate(GaussianRNN(4), [1, 2, 3], 50, rng=1).cells
        assert [cell.depth for cell in cells] == [1, 2, 3]

    @pytest.mark.parametrize("depths", [[3, 1], [2, 2]])
    def test_depths_must_increase(self, depths):
        with pytest.raises(ValueError, match="depths must be increasing"):
            simulate(GaussianRNN(4), depths, 50, rng=1)

    def test_real_cells_have_theory(self):
        cell = simulate(GaussianLRU(8, "real"), 3, 500, rng=7).cells[0]
        assert cell.exact == pytest.approx(float(exact.lru_energy(8, 3, field="real")), rel=1e-13)
        assert cell.exact_standard_error > 0.0
        assert abs(cell.z) < 4.0

    def test_rectified_cells_have_no_theory(self):
        rectified = GaussianRNN(8, "real", activation="relu")
        cell = simulate(rectified, 1, 500, rng=7).cells[0]
        assert (cell.exact, cell.log_exact, cell.z) == (None, None, None)
        assert cell.trustworthy
        assert cell.standard_error > 0.0

    def test_json_is_strict_and_returns(self):
        # Depth 400 of a single unit overflows: exact and mean are null, their logs are not.
        result = simulate(GaussianRNN(1), [0, 2, 400], 20_000, rng=7)
        assert result.cells[2].exact is None
        assert result.cells[2].log_exact == pytest.approx(math.lgamma(401))
        text = json.dumps(result.to_dict(), allow_nan=False)
        assert Simulation.from_dict(json.loads(text)) == result
        assert pickle.loads(pickle.dumps(result)) == result

    def test_overflowing_means_are_null(self):
        cell = simulate(GaussianRNN(8, gain=1e200), 2, 500, rng=7).cells[0]
        assert (cell.mean, cell.median, cell.standard_error) == (math.inf, math.inf, None)
        assert abs(cell.z) < 4.0
        record = json.loads(json.dumps(cell.to_dict(), allow_nan=False))
        assert (record["mean"], record["median"], record["exact"]) == (None, None, None)
        assert Cell.from_dict(record) == cell

    def test_large_seeds_return_from_text(self):
        cell = simulate(GaussianRNN(2), 1, 20, rng=2**100 + 1).cells[0]
        assert Cell.from_dict(cell.to_dict() | {"seed": str(2**100 + 1)}) == cell

    def test_other_records_are_refused(self):
        record = simulate(GaussianRNN(2), 1, 20, rng=7).cells[0].to_dict()
        del record["seed"]
        with pytest.raises(ValueError, match=r"not a cell: missing \['seed'\], unknown \['x'\]"):
            Cell.from_dict(record | {"x": 1})

    def test_frozen(self):
        cell = simulate(GaussianRNN(2), 1, 20, rng=7).cells[0]
        with pytest.raises(FrozenInstanceError):
            cell.mean = 0.0


class TestRandomness:
    def test_the_seed_of_a_cell_reproduces_it(self):
        for rng in (None, 3, np.random.SeedSequence(3).spawn(1)[0], np.random.default_rng(3)):
            first = simulate(GaussianLRU(4), [2], 30, rng=rng)
            assert simulate(GaussianLRU(4), [2], 30, rng=first.cells[0].seed) == first

    def test_a_generator_gives_new_numbers_each_time(self):
        rng = np.random.default_rng(3)
        first, second = (simulate(GaussianLRU(4), [2], 30, rng=rng).cells[0] for _ in range(2))
        assert first.mean != second.mean

    def test_batch_changes_nothing(self):
        results = [simulate(GaussianLRU(9), [2, 5], 600, rng=3, batch=b) for b in (1, 7, None)]
        assert results[0] == results[1] == results[2]

    def test_global_state_is_left_alone(self):
        before = np.random.get_state()[1].copy()  # noqa: NPY002
        simulate(GaussianLRU(4), [2], 30, rng=None)
        assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002

    def test_threads_do_not_disturb_each_other(self):
        recurrences = [GaussianRNN(5), GaussianLRU(5), GaussianRNN(6), GaussianLRU(6)]

        def run(recurrence):
            return simulate(recurrence, [1, 4], 600, rng=3, batch=50)

        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(run, recurrences)) == [run(item) for item in recurrences]


class TestArguments:
    def test_top_level_name(self):
        assert sigprop.simulate is simulate

    @pytest.mark.parametrize("recurrence", ["rnn", None, GaussianRNN, object()])
    def test_recurrence(self, recurrence):
        with pytest.raises(TypeError, match="recurrence must be a recurrence such as"):
            simulate(recurrence, 2, 10)

    @pytest.mark.parametrize("depths", [-1, [2, -1], 1.5, math.nan, [], np.array([])])
    def test_depths_out_of_range(self, depths):
        with pytest.raises(ValueError, match="depths must"):
            simulate(GaussianRNN(4), depths, 10)

    @pytest.mark.parametrize("depths", [True, "2", ["2"], None, [None]])
    def test_depths_of_wrong_kind(self, depths):
        with pytest.raises(TypeError, match="depths must"):
            simulate(GaussianRNN(4), depths, 10)

    @pytest.mark.parametrize("name", ["samples", "batch"])
    def test_counts(self, name):
        for bad in (0, -5, 2.5, math.inf):
            with pytest.raises(ValueError, match=f"{name} must be an integer >= 1"):
                simulate(GaussianRNN(4), 2, **({"samples": 10} | {name: bad}))
        for bad in (True, "5"):
            with pytest.raises(TypeError, match=f"{name} must be an integer >= 1"):
                simulate(GaussianRNN(4), 2, **({"samples": 10} | {name: bad}))

    @pytest.mark.parametrize("method", ["kryloff", "", None])
    def test_method(self, method):
        with pytest.raises(ValueError, match="method must be one of 'auto', 'krylov'"):
            simulate(GaussianRNN(4), 2, 10, method=method)

    def test_auto_takes_the_smaller_matrices(self):
        assert simulate(GaussianRNN(4), 4, 10, rng=1).cells[0].method == "krylov"
        assert simulate(GaussianRNN(4), 5, 10, rng=1).cells[0].method == "direct"
        assert simulate(LoudRNN(4), 2, 10, rng=1).cells[0].method == "direct"

    @pytest.mark.parametrize(
        "other",
        [
            GaussianRNN(16, "real", activation="relu"),
            GaussianRNN(16, tied=False),
            GaussianRNN(16, dtype="float32"),
            GaussianLRU(16, inputs="constant"),
            GaussianLRU(16, inputs=("ar1", 0.5)),
        ],
        ids=repr,
    )
    def test_auto_is_direct_for_every_other_law(self, other):
        assert simulate(other, 3, 10, rng=1).cells[0].method == "direct"
        with pytest.raises(ValueError, match="method 'krylov' needs a plain"):
            simulate(other, 3, 10, rng=1, method="krylov")

    def test_krylov_refuses_a_law_that_it_does_not_know(self):
        with pytest.raises(ValueError, match="method 'krylov' needs a plain GaussianRNN"):
            simulate(LoudRNN(4), 2, 10, rng=1, method="krylov")

    @pytest.mark.parametrize("method", ["krylov", "direct"])
    def test_an_executor_changes_nothing(self, method):
        alone = simulate(GaussianLRU(9), [3, 5], 700, rng=1, method=method)
        for workers in (1, 2, 4):
            with ThreadPoolExecutor(workers) as pool:
                shared = simulate(GaussianLRU(9), [3, 5], 700, rng=1, method=method, executor=pool)
            assert shared == alone

    @pytest.mark.parametrize("rng", [True, 1.5, "1"])
    def test_rng(self, rng):
        with pytest.raises(TypeError, match="rng must be"):
            simulate(GaussianRNN(4), 2, 10, rng=rng)

    def test_one_trajectory_has_no_error_bar(self):
        cell = simulate(GaussianRNN(4), 2, 1, rng=1).cells[0]
        assert (cell.standard_error, cell.trustworthy) == (None, False)
        assert cell.exact_standard_error > 0.0
        assert abs(cell.z) < 4.0  # over the exact standard error of one trajectory

    def test_progress(self):
        calls = []
        simulate(GaussianRNN(4), 2, 300, rng=1, progress=lambda *step: calls.append(step))
        assert calls[-1] == (300, 300)


class TestImportance:
    def test_auto_takes_it_where_plain_samples_miss_the_mean(self):
        plain, rare = simulate(GaussianRNN(64), [8, 64], 2000, rng=3).cells
        assert (plain.method, plain.choice, plain.trustworthy) == ("krylov", None, True)
        assert rare.method == "importance"
        assert "trajectories for a 10 % error bar" in rare.choice
        assert rare.trustworthy
        assert abs(rare.mean - rare.exact) < 1.96 * rare.standard_error
        assert (rare.exact_standard_error, rare.median) == (None, None)

    @pytest.mark.parametrize("method", ["krylov", "direct"])
    def test_asked_for_plainly_the_cell_is_flagged(self, method):
        rare = simulate(GaussianRNN(64), 64, 2000, rng=3, method=method).cells[0]
        assert (rare.trustworthy, rare.standard_error) == (False, None)
        assert rare.mean < 0.2 * rare.exact

    def test_auto_stays_plain_where_the_sample_suffices(self):
        # (64, 20): c = 2.5 and relative variance about 7, so 5000 samples make 4 %.
        assert simulate(GaussianRNN(64), 20, 5000, rng=3).cells[0].method == "krylov"

    def test_real_weights_switch_at_three(self):
        near, far = simulate(GaussianRNN(100, "real"), [29, 30], 200, rng=3).cells
        assert (near.method, far.method) == ("krylov", "importance")

    @pytest.mark.parametrize("field", ["complex", "real"])
    def test_an_executor_changes_nothing(self, field):
        alone = simulate(GaussianRNN(36, field), 20, 600, rng=1, method="importance")
        with ThreadPoolExecutor(3) as pool:
            shared = simulate(
                GaussianRNN(36, field), 20, 600, rng=1, method="importance", executor=pool
            )
        assert shared == alone

    def test_the_gain_only_scales(self):
        one = simulate(GaussianRNN(64, gain=0.9), 40, 500, rng=1, method="importance").cells[0]
        assert abs(one.z) < 4.0
        assert one.log_exact == energy.log_rnn_energy(64, 40, 0.9)

    def test_what_does_not_apply_is_refused(self):
        with pytest.raises(ValueError, match=r"depth must be at least 2\.5 sqrt"):
            simulate(GaussianRNN(64), 10, 500, method="importance")
        with pytest.raises(ValueError, match="method 'importance' needs a GaussianRNN"):
            simulate(GaussianLRU(64), 40, 500, method="importance")
        with pytest.raises(ValueError, match="samples must be at least 32"):
            simulate(GaussianRNN(64), 40, 10, method="importance")

    def test_it_survives_json(self):
        result = simulate(GaussianRNN(64), [8, 64], 300, rng=3)
        assert Simulation.from_dict(json.loads(json.dumps(result.to_dict()))) == result


class TestExactErrorBars:
    def test_the_sample_agrees_with_theory(self):
        # Relative error of a standard error from N draws of a light tail: about
        # sqrt((kurtosis + 2)/(4 N)); at c <= 1/2 and N = 20000 measured below 2 %.
        for recurrence, depth in (
            (GaussianRNN(64), 4),
            (GaussianLRU(64), 4),
            (GaussianLRU(100), 5),
        ):
            cell = simulate(recurrence, depth, 20000, rng=5).cells[0]
            assert abs(cell.standard_error / cell.exact_standard_error - 1.0) < 0.05

    def test_quantiles_are_those_of_the_sample(self):
        cell = simulate(GaussianRNN(64), 8, 501, rng=5).cells[0]
        logs = simulate_log_energies(GaussianRNN(64), 8, 501, rng=5)[:, 0]
        low, high = np.quantile(np.exp(logs), [0.05, 0.95], method="inverted_cdf")
        assert (cell.quantile_05, cell.quantile_95) == pytest.approx((low, high))
        assert cell.quantile_05 < cell.median < cell.quantile_95
