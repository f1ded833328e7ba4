"""What an audit takes: dtypes, containers, gates, diagonal layers; and what it refuses."""

import json
import math
import pickle

import numpy as np
import pytest

from sigprop.auditing import Audit, audit
from sigprop.auditing.blocks import split
from sigprop.auditing.candidates import choose
from sigprop.auditing.magnitude import as_text
from sigprop.auditing.measures import measure
from sigprop.auditing.reading import Stored, from_mapping
from sigprop.auditing.tensors import as_numbers

pytestmark = pytest.mark.usefixtures("no_bands")

DEPTHS = [1, 2, 3, 8]


def _weights(*shape, seed=5):
    return np.random.default_rng(seed).standard_normal(shape) / math.sqrt(shape[-1])


class TestDtypes:
    @pytest.mark.parametrize(
        "dtype", ["float16", "float32", "float64", "complex64", "complex128", "int8", "uint64"]
    )
    def test_widen_exactly(self, dtype):
        array = np.arange(1, 10).reshape(3, 3).astype(dtype)
        values, name = as_numbers("W", array)
        assert name == dtype
        assert values.dtype in (np.float64, np.complex128)
        assert (values == np.arange(1, 10).reshape(3, 3)).all()

    def test_big_endian_and_other_orders(self):
        array = np.asfortranarray(_weights(3, 3)).astype(">f8")
        assert (as_numbers("W", array).values == array).all()

    def test_bfloat16(self):
        ml_dtypes = pytest.importorskip("ml_dtypes")
        array = _weights(4, 4).astype(ml_dtypes.bfloat16)
        values, name = as_numbers("W", array)
        assert name == "bfloat16"
        assert (values == array.astype(np.float32)).all()

    def test_bfloat16_as_numpy_files_store_it(self):
        stored = np.array([[0x3F80, 0xC000]], dtype=np.uint16).view("V2")
        values, name = as_numbers("W", stored)
        assert name == "bfloat16"
        assert values.tolist() == [[1.0, -2.0]]

    def test_integers_that_a_float_would_round(self):
        assert as_numbers("W", np.array([[2**60]])).values[0, 0] == 2.0**60
        with pytest.raises(ValueError, match=r"W holds the integer 9007199254740993"):
            as_numbers("W", np.array([[2**53 + 1]]))
        with pytest.raises(ValueError, match=r"the integer -9007199254740993"):
            as_numbers("W", np.array([[-(2**53) - 1]]))

    @pytest.mark.parametrize(
        "array", [np.ones((2, 2), bool), np.array([["a"]]), np.array([[None]]), np.ones(2, "V4")]
    )
    def test_what_is_not_numbers(self, array):
        with pytest.raises(TypeError, match="weights must hold"):
            as_numbers("weights", array)

    def test_masked(self):
        with pytest.raises(TypeError, match="masked"):
            audit(np.ma.masked_array(np.eye(2), mask=np.eye(2)))


class TestContainers:
    def test_lists_and_arrays_by_protocol(self):
        class Wrapped:
            def __array__(self, dtype=None, copy=None):
                return np.eye(2)

        class Exported:
            def __init__(self):
                self.array = np.eye(2)

            def __dlpack__(self, **options):
                return self.array.__dlpack__(**options)

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

        for value in ([[1, 0], [0, 1]], Wrapped(), Exported()):
            assert audit(value, [5]).tensors[0].log_energy == (0.0,)

    def test_nested_mapping_with_one_recurrent_tensor(self):
        weights = {"enc": {"weight_ih_l0": _weights(8, 2), "weight_hh_l0": _weights(8, 2)}}
        records = audit(weights, DEPTHS).tensors
        assert [record.block for record in records] == ["i", "f", "g", "o"]
        assert {record.key for record in records} == {"enc.weight_hh_l0"}

    def test_input_is_not_changed(self):
        W = _weights(6, 6)
        copy = W.copy()
        audit(W, DEPTHS)
        assert (copy == W).all()


class TestGates:
    @pytest.mark.parametrize(("count", "names"), [(4, "ifgo"), (3, "rzn")])
    def test_each_block_is_judged_alone(self, count, names):
        W = _weights(count * 6, 6)
        records = audit(W, DEPTHS, key="weight_hh_l0").tensors
        assert [record.block for record in records] == list(names)
        for index, record in enumerate(records):
            alone = audit(W[6 * index : 6 * index + 6], DEPTHS).tensors[0]
            assert record.log_energy == alone.log_energy
            assert (record.shape, record.stored_shape) == ((6, 6), (6 * count, 6))
            assert "one gate's block" in record.not_covered

    def test_transposed_and_keras_names(self):
        W = _weights(2, 8)
        records = audit(W, DEPTHS, transpose=True, key="lstm.recurrent_kernel").tensors
        assert [record.block for record in records] == ["i", "f", "c", "o"]
        assert records[1].log_energy == audit(W[:, 2:4].T, DEPTHS).tensors[0].log_energy

    def test_any_number_of_blocks_when_asked(self):
        assert [b.block for b in split("W", np.zeros((10, 2)), blocks=5)] == list("01234")
        assert [b.key for b in split("W", np.zeros((2, 4, 1)))][:5] == ["W[0]"] * 4 + ["W[1]"]

    @pytest.mark.parametrize(
        ("shape", "options", "words"),
        [
            ((10, 3), {}, r"W must be square, .* got shape \(10, 3\)$"),
            ((4, 2), {}, r"blocks=2 \(--blocks 2\) takes it as 2"),
            ((2, 8), {}, r"transpose=True \(--transpose\)"),
            ((10, 3), {"blocks": 4}, r"4 equal square blocks, shape \(4 n, n\), got shape"),
            ((3, 3), {"blocks": 4}, r"4 equal square blocks"),
            ((5,), {}, r"kind='diagonal'"),
            ((), {}, r"must be a matrix"),
            ((0, 0), {}, r"W is empty, of shape \(0, 0\)"),
        ],
    )
    def test_shapes_refused(self, shape, options, words):
        with pytest.raises(ValueError, match=words):
            audit(np.ones(shape), DEPTHS, **options)

    def test_unequal_stack(self):
        with pytest.raises(ValueError, match="W must be an array of numbers, or matrices of equal"):
            audit([np.eye(2), np.eye(3)])


class TestDiagonal:
    def test_vector_of_eigenvalues(self):
        values = np.array([0.5, 0.9j, -0.9])
        record = audit(values, [0, 1, 50], kind="diagonal").tensors[0]
        exact = [np.log(np.mean(np.abs(values) ** (2 * k))) for k in (0, 1, 50)]
        assert np.allclose(record.log_energy, exact, rtol=1e-14, atol=1e-15)
        assert record.spectral_radius == pytest.approx(0.9, rel=1e-15)
        driven = np.mean([np.sum(np.abs(value) ** (2 * np.arange(51))) for value in values])
        assert record.log_state_energy == pytest.approx(math.log(driven), rel=1e-13)
        assert (record.kind, record.regime, record.predicted_low) == ("diagonal", None, (None,) * 3)

    def test_lru_names(self):
        nu_log, theta_log = np.log([0.01, 0.1]), np.log([1.0, 2.0])
        layer = {"layer": {"nu_log": nu_log, "theta_log": theta_log, "B": _weights(2, 5)}}
        record = audit(layer, [100]).tensors[0]
        assert record.key == "layer.nu_log"
        exact = math.log((math.exp(-2.0) + math.exp(-20.0)) / 2.0)
        assert record.log_energy[0] == pytest.approx(exact, rel=1e-14)

    def test_s4d_names(self):
        rng = np.random.default_rng(0)
        log_dt, log_real = rng.uniform(-7, -2, 3), rng.standard_normal((3, 4))
        layer = {"log_A_real": log_real, "A_imag": rng.standard_normal((3, 4)), "log_dt": log_dt}
        record = audit(layer, [64]).tensors[0]
        moduli = np.exp(-np.exp(log_dt)[:, None] * np.exp(log_real))
        assert record.log_energy[0] == pytest.approx(math.log(np.mean(moduli**128)), rel=1e-13)
        assert record.shape == (3, 4)

    def test_s4d_needs_its_steps(self):
        with pytest.raises(ValueError, match=r"ssm.log_A_real needs ssm.log_dt"):
            audit({"ssm": {"log_A_real": np.zeros((3, 4))}})
        with pytest.raises(ValueError, match=r"log_A_real of shape \(3, 4\) does not fit log_dt"):
            audit({"log_A_real": np.zeros((3, 4)), "log_dt": np.zeros(2)})


class TestMeasures:
    def test_orthogonal_is_normal(self):
        Q = np.linalg.qr(_weights(50, 50))[0]
        found = measure(Q)
        assert found.departure_from_normality == 0.0
        assert found.gain_squared == pytest.approx(1.0, rel=1e-14)
        assert found.spectral_norm == pytest.approx(1.0, rel=1e-14)

    def test_gaussian(self):
        found = measure(_weights(200, 200))
        # Departure of a Ginibre matrix: sum |lambda|^2 is n/2 of n. Bands of 5 deviations.
        assert found.departure_from_normality == pytest.approx(math.sqrt(0.5), abs=0.02)
        assert found.spectral_radius == pytest.approx(1.0, abs=0.15)
        assert found.numerical_abscissa == pytest.approx(math.sqrt(2.0), abs=0.1)

    def test_nilpotent_that_no_permutation_makes_triangular(self):
        P = np.array([[1, 2, 0], [0, 1, 3], [0, 0, 1]])
        inverse = np.array([[1, -2, 6], [0, 1, -3], [0, 0, 1]])
        found = measure((P.T @ np.diag([1, 1], 1) @ inverse.T).astype(float))
        assert found.spectral_radius == 0.0
        assert found.departure_from_normality == 1.0

    @pytest.mark.parametrize("scale", [1e200, 1e-200])
    def test_scales_beyond_the_range_of_squares(self, scale):
        found = measure(np.diag([1.0, 2.0]) * scale)
        assert found.spectral_radius == pytest.approx(2.0 * scale, rel=1e-15)
        assert found.log_gain_squared == pytest.approx(math.log(2.5) + 2 * math.log(scale))
        assert found.gain_squared == (math.inf if scale > 1.0 else 0.0)


class TestRefusals:
    @pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, complex(0.0, np.nan)])
    def test_not_finite_by_name(self, bad):
        W = np.eye(4, dtype=type(bad))
        W[2, 3] = bad
        with pytest.raises(ValueError, match=r"rnn.weight_hh must hold finite .* at \[2, 3\]$"):
            audit(W, key="rnn.weight_hh")

    @pytest.mark.parametrize(
        ("options", "error", "words"),
        [
            ({"depths": []}, ValueError, "depths must hold"),
            ({"depths": [-1]}, ValueError, "depths must be an integer >= 0"),
            ({"depths": [1.5]}, ValueError, "depths must be an integer"),
            ({"depths": [10**7]}, ValueError, "depths must be at most 1000000"),
            ({"field": "quaternion"}, ValueError, "field must be one of"),
            ({"blocks": 0}, ValueError, "blocks must be an integer >= 1"),
            ({"kind": "round"}, ValueError, "kind must be one of"),
            ({"key": 3}, TypeError, "key must be a string"),
            ({"key": ["a", "b"]}, ValueError, "key must be one name"),
        ],
    )
    def test_arguments(self, options, error, words):
        with pytest.raises(error, match=words):
            audit(np.eye(2), **options)

    def test_keys(self):
        stored = [Stored(f"layers.{i}.w_hh", (4, 4), lambda: np.eye(4)) for i in range(30)]
        with pytest.raises(ValueError, match=r"30 candidates .* layers.0.w_hh \(4, 4\).*18 more$"):
            choose(stored)
        with pytest.raises(ValueError, match=r"key 'layers.1' \(--key\) means several"):
            choose(stored, ["layers.1"])
        with pytest.raises(ValueError, match=r"'rnn' \(--key\) is not in W; candidates are layers"):
            choose(stored, ["rnn"])
        assert [s.name for s in choose(stored, ["layers.29", "layers.1.w_hh"])] == [
            "layers.29.w_hh",
            "layers.1.w_hh",
        ]
        with pytest.raises(ValueError, match=r"no recurrent weights .* b \(3,\), c \(5, 4\)$"):
            choose([Stored("b", (3,), lambda: 0), Stored("c", (5, 4), lambda: 0)])


class TestReport:
    def test_strict_json_and_back(self):
        stack = {"nil": np.diag([1.0], 1), "big": 1e200 * np.eye(2), "zero": np.zeros((2, 2))}
        result = audit(stack, [0, 1, 2], key=list(stack))
        data = json.loads(json.dumps(result.to_dict(), allow_nan=False))
        assert Audit.from_dict(data) == result
        assert pickle.loads(pickle.dumps(result)) == result
        nil, big, zero = data["tensors"]
        assert list(nil)[:14] == [
            "key", "block", "shape", "dtype", "gain_squared", "spectral_radius", "spectral_norm",
            "depths", "log_energy", "predicted_log_energy", "predicted_low", "predicted_high",
            "regime", "verdict",
        ]  # fmt: skip
        assert nil["log_energy"] == [0.0, pytest.approx(-math.log(2.0)), None]
        assert big["gain_squared"] is None
        assert zero["predicted_log_energy"] == [None] * 3

    def test_diagonal_record_comes_back(self):
        result = audit([0.5, 0.0], [0, 3], kind="diagonal")
        assert Audit.from_dict(result.to_dict()) == result

    @pytest.mark.parametrize(
        ("W", "words"),
        [
            (np.eye(8), "Safe up to 1024 steps"),
            (1.1 * np.eye(8), "Unsafe at 1024 steps, it grows"),
            (0.9 * np.eye(8), "Unsafe at 1024 steps, it fades"),
            (np.diag(np.ones(7), 1), "nothing is left of the state from depth 8 on. "),
        ],
    )
    def test_first_words(self, W, words):
        assert words in audit(W).tensors[0].verdict

    def test_the_advised_factor_works(self):
        W = 1.3 * _weights(32, 32)
        verdict = audit(W, [1, 100]).tensors[0].verdict
        factor = float(verdict.split("Multiply W by ")[1].split()[0])
        # Six digits of the factor, to the power 200.
        assert abs(audit(factor * W, [100]).tensors[0].log_energy[0]) < 200 * 1e-6

    def test_text_has_every_depth_and_the_limits(self):
        text = audit(_weights(16, 16), [1, 32]).to_text()
        assert text.startswith("W: dense 16 x 16, float64\n")
        assert [line.split()[0] for line in text.splitlines() if line.strip()[:1].isdigit()] == [
            "1",
            "32",
        ]
        assert "Covers the linear recurrence" in text
        assert max(map(len, text.splitlines())) <= 100


class TestRangeOfReports:
    """Numbers whose square, root or modulus is beyond the float range."""

    @pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
    def test_structure_has_no_scale(self, scale):
        noise = 0.3 * _weights(8, 8)
        with_mean = audit(scale * (noise + 0.125), [100]).tensors[0].verdict
        assert "its entries have a mean, an eigenvalue near " in with_mean
        assert "nearly normal" not in with_mean
        orthogonal = audit(scale * np.linalg.qr(noise)[0], [100]).tensors[0].verdict
        assert "it is nearly normal" in orthogonal
        assert "have a mean" not in orthogonal

    @pytest.mark.parametrize("scale", [1e-200, 1e200])
    def test_the_gain_is_there_where_its_square_is_not(self, scale):
        result = audit(scale * np.eye(3), [1])
        data = json.loads(json.dumps(result.to_dict(), allow_nan=False))["tensors"][0]
        assert data["gain"] == pytest.approx(scale, rel=1e-15)
        assert data["log_gain_squared"] == pytest.approx(2.0 * math.log(scale), rel=1e-15)
        assert f"(gain {scale:g})" in result.to_text()
        assert f"1 x 10^{2 * round(math.log10(scale))} (gain" in result.to_text()
        assert Audit.from_dict(result.to_dict()) == result

    @pytest.mark.parametrize("kind", ["dense", "diagonal"])
    def test_moduli_beyond_the_range(self, kind):
        W = np.full((2, 2) if kind == "dense" else 2, 1.7e308 + 1.7e308j)
        result = audit(W, [1, 10], kind=kind)
        record = result.tensors[0]
        units = 2.0 if kind == "dense" else 1.0
        exact = 2.0 * (math.log(1.7) + 308.0 * math.log(10.0)) + math.log(2.0 * units)
        assert record.log_gain_squared == pytest.approx(exact, rel=1e-15)
        assert record.spectral_radius == math.inf
        assert "x 10^-309 for energy 1 at depth 10" in record.verdict
        assert "inf" not in result.to_text()[result.to_text().index("depth  log") :]
        json.dumps(result.to_dict(), allow_nan=False)

    def test_eigenvalues_of_the_smallest_modulus(self):
        record = audit([5e-324, 5e-324j], [1], kind="diagonal").tensors[0]
        assert record.log_energy[0] == pytest.approx(2.0 * math.log(5e-324), rel=1e-15)


class TestFactors:
    @pytest.mark.parametrize("scale", [3e5, 7e-6, 1.2345678e12, 0.7, 3e-200, 9.99999999e200])
    def test_advised_factors_keep_six_digits(self, scale):
        verdict = audit(scale * np.eye(4), depths=[100]).tensors[0].verdict
        factor = float(verdict.split("Multiply W by ")[1].split(" for")[0])
        assert factor * scale == pytest.approx(1.0, rel=5e-6)

    @pytest.mark.parametrize(
        ("log10", "text"),
        [
            (300.5, "3.16e+300"),
            (-400.5, "3.16 x 10^-401"),
            (400.0 - 1e-9, "1 x 10^400"),
            (-307.9, "1.26 x 10^-308"),
            (-3.5, "0.000316"),
        ],
    )
    def test_no_number_is_subnormal_or_infinite(self, log10, text):
        assert as_text(log10 * math.log(10.0)) == text


class TestOutlier:
    """A mean is named only where there is the eigenvalue that it would make."""

    @pytest.mark.parametrize(
        "W", [np.triu(np.ones((64, 64))), [[1, 1], [0, 1]], [[1, 0.6], [0, 1]], np.eye(3)]
    )
    def test_not_without_its_eigenvalue(self, W):
        assert "have a mean" not in audit(W, [100]).tensors[0].verdict

    @pytest.mark.parametrize(
        ("factor", "words"), [(1.0, "near 5"), (-1.0, "near -5"), (1j, "of modulus 5")]
    )
    def test_with_sign_or_modulus(self, factor, words):
        verdict = audit(factor * np.ones((5, 5)), [100]).tensors[0].verdict
        assert f"its entries have a mean, an eigenvalue {words}: subtract the mean" in verdict


class TestNamesOfNestedKeys:
    def test_a_dotted_key_beside_a_nested_one(self):
        both = {"a.b": np.eye(2), "a": {"b": 2.0 * np.eye(3)}, "c": {"d": np.ones(3)}}
        assert [stored.name for stored in from_mapping(both)] == ["a.b", "a/b", "c.d"]
        assert audit(both, [1], key="a.b").tensors[0].gain_squared == 1.0
        assert audit(both, [1], key="a/b").tensors[0].gain_squared == 4.0
        with pytest.raises(ValueError, match=r"2 candidates .* a.b \(2, 2\), a/b \(3, 3\)$"):
            audit(both)

    def test_keys_that_no_name_tells_apart(self):
        with pytest.raises(ValueError, match=r"2 tensors are called '1' .* rename one"):
            audit({1: np.eye(2), "1": np.eye(2)})
