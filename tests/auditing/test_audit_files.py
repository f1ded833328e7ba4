"""Checkpoint files of every kind: what is read, and what is refused in one line."""

import json
import math
import pickle
import struct
import subprocess
import sys
import warnings
import zipfile

import numpy as np
import pytest

from sigprop.auditing import audit_file, load_tensors

pytestmark = pytest.mark.usefixtures("no_bands")

DEPTHS = [1, 2, 5, 40]
# Measured 4e-14.
TOL = 1e-9


def _weights(rows, n, seed=0, dtype=np.float32):
    W = np.random.default_rng(seed).uniform(-1, 1, (rows, n)) / math.sqrt(n)
    return W.astype(dtype)


def _plain(block):
    """Log energies by repeated products in float64."""
    power, found = np.eye(len(block)), []
    for k in range(1, DEPTHS[-1] + 1):
        power = power @ np.asarray(block, dtype=np.float64)
        found += [math.log(np.sum(power**2) / len(block))] if k in DEPTHS else []
    return found


def _check(result, stored):
    """Compare every record with plain NumPy on its rows."""
    n = stored.shape[1]
    assert len(result.tensors) == len(stored) // n
    for index, record in enumerate(result.tensors):
        plain = _plain(stored[n * index : n * (index + 1)])
        assert np.abs(np.subtract(record.log_energy, plain)).max() < TOL


def test_npy(tmp_path):
    W = _weights(12, 12)
    np.save(tmp_path / "weights.npy", W)
    result = audit_file(tmp_path / "weights.npy", DEPTHS)
    _check(result, W)
    assert (result.tensors[0].key, result.tensors[0].dtype) == ("weights", "float32")


def test_npz_of_several(tmp_path):
    path = tmp_path / "cell.npz"
    stored = {"cell/weight_hh": _weights(24, 8), "cell/weight_ih": _weights(24, 8, 1)}
    np.savez(path, step=np.int64(3), **stored)
    _check(audit_file(path, DEPTHS), stored["cell/weight_hh"])
    _check(audit_file(path, DEPTHS, key="weight_ih"), stored["cell/weight_ih"])
    loaded = load_tensors(path)
    assert loaded["step"] == 3.0
    assert (loaded["cell/weight_hh"] == stored["cell/weight_hh"]).all()


def test_safetensors(tmp_path):
    numpy_io = pytest.importorskip("safetensors.numpy")
    path = tmp_path / "model.safetensors"
    stored = {"rnn.weight_hh_l0": _weights(40, 10), "rnn.bias_hh_l0": _weights(40, 1)[:, 0]}
    numpy_io.save_file(stored, path)
    _check(audit_file(path, DEPTHS), stored["rnn.weight_hh_l0"])


def test_bfloat16_in_safetensors_and_npz(tmp_path):
    numpy_io = pytest.importorskip("safetensors.numpy")
    ml_dtypes = pytest.importorskip("ml_dtypes")
    W = _weights(9, 9).astype(ml_dtypes.bfloat16)
    numpy_io.save_file({"w_hh": W}, tmp_path / "half.safetensors")
    np.savez(tmp_path / "half.npz", w_hh=W)
    for name in ("half.safetensors", "half.npz"):
        result = audit_file(tmp_path / name, DEPTHS)
        assert result.tensors[0].dtype == "bfloat16"
        _check(result, W)


_WITHOUT_BFLOAT16 = """
import sys
sys.modules["ml_dtypes"] = sys.modules["torch"] = None
from sigprop.auditing import audit_file
print(audit_file(sys.argv[1], [1]).tensors[0].gain_squared)
try:
    audit_file(sys.argv[1], [1], key="half")
except ValueError as error:
    print(error)
"""


def test_bfloat16_without_help_concerns_that_tensor_alone(tmp_path):
    pytest.importorskip("safetensors")
    header = {
        "half": {"dtype": "BF16", "shape": [1, 1], "data_offsets": [0, 2]},
        "w_hh": {"dtype": "F32", "shape": [1, 1], "data_offsets": [2, 6]},
    }
    text = json.dumps(header).encode()
    path = tmp_path / "mixed.safetensors"
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"\x80\x3f" + struct.pack("<f", 0.5))
    # In its own process: once ml_dtypes is imported, NumPy knows bfloat16 for good.
    run = subprocess.run(
        [sys.executable, "-c", _WITHOUT_BFLOAT16, path], capture_output=True, text=True, check=True
    )
    gain_squared, refusal = run.stdout.splitlines()
    assert gain_squared == "0.25"
    assert refusal.startswith(f"cannot read half of {path}: its dtype BF16")
    assert refusal.endswith("install sigprop[checkpoints]")


@pytest.mark.parametrize("name", ["model.pt", "model.pth"])
def test_torch_missing_is_said(tmp_path, monkeypatch, name):
    (tmp_path / name).write_bytes(b"anything")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ValueError, match=r"needs PyTorch; install sigprop\[torch\]"):
        audit_file(tmp_path / name)


class _Planted:
    """A pickle that would write a file if it were ever loaded."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return (open, (self.path, "w"))


class TestRefusals:
    def test_extension_missing_file_and_folder(self, tmp_path):
        with pytest.raises(ValueError, match=r"must be one of .npy, .npz, .*got '.h5'$"):
            load_tensors(tmp_path / "model.h5")
        with pytest.raises(ValueError, match=r"got 'none'$"):
            load_tensors(tmp_path / "model")
        with pytest.raises(ValueError, match="no such file"):
            load_tensors(tmp_path / "model.npy")
        (tmp_path / "folder.npz").mkdir()
        with pytest.raises(ValueError, match="not a file"):
            load_tensors(tmp_path / "folder.npz")

    def test_pickles_are_never_loaded(self, tmp_path):
        planted = np.array([_Planted(tmp_path / "owned")], dtype=object)
        np.save(tmp_path / "objects.npy", planted, allow_pickle=True)
        np.savez(tmp_path / "objects.npz", w_hh=np.eye(2), objects=planted)
        (tmp_path / "pickle.npy").write_bytes(pickle.dumps(_Planted(tmp_path / "owned")))
        with pytest.raises(ValueError, match="pickled objects, which are never loaded"):
            load_tensors(tmp_path / "objects.npy")
        with pytest.raises(ValueError, match="not a NumPy file; if it is a pickle"):
            load_tensors(tmp_path / "pickle.npy")
        with pytest.raises(ValueError, match=r"cannot read objects of .*pickled objects"):
            load_tensors(tmp_path / "objects.npz")
        assert audit_file(tmp_path / "objects.npz", [3]).tensors[0].log_energy == (0.0,)
        assert not (tmp_path / "owned").exists()

    @pytest.mark.parametrize("suffix", [".npy", ".npz", ".safetensors"])
    @pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 0.99])
    def test_cut_files(self, tmp_path, suffix, share):
        path = tmp_path / f"cut{suffix}"
        if suffix == ".safetensors":
            pytest.importorskip("safetensors.numpy").save_file({"w": _weights(8, 8)}, path)
        else:
            (np.save if suffix == ".npy" else np.savez)(path, _weights(8, 8))
        content = path.read_bytes()
        path.write_bytes(content[: int(share * len(content))])
        with pytest.raises(ValueError, match=f"cannot read .*cut{suffix}") as caught:
            audit_file(path)
        assert "\n" not in str(caught.value)

    def test_missing_key(self, tmp_path):
        np.savez(tmp_path / "a.npz", w_hh=np.eye(2), other=np.ones(3))
        with pytest.raises(ValueError, match=r"'x' .* not in .*a.npz; candidates are w_hh \(2, 2"):
            audit_file(tmp_path / "a.npz", key="x")
        with pytest.raises(ValueError, match=r"no tensor 'x'; it has w_hh, other"):
            load_tensors(tmp_path / "a.npz", ["x"])

    def test_not_finite_by_name(self, tmp_path):
        np.savez(tmp_path / "a.npz", w_hh=np.full((2, 2), np.nan), w_ok=np.eye(2))
        with pytest.raises(ValueError, match=r"w_hh must hold finite numbers, got nan"):
            audit_file(tmp_path / "a.npz")
        assert audit_file(tmp_path / "a.npz", [1], key="w_ok").tensors[0].gain_squared == 1.0


def _quantized(torch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.quantize_per_tensor(torch.eye(3), 0.1, 0, torch.qint8)


def _nested(torch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.nested.nested_tensor([torch.eye(2), torch.eye(3)])


def _refused_in_one_line(path, words):
    """Warnings are errors here: none may come up on the way either."""
    with pytest.raises(ValueError, match=f"^cannot read .*{path.name}: {words}") as caught:
        audit_file(path)
    assert "\n" not in str(caught.value)
    assert "PyTorch 2.6" not in str(caught.value)


class TestTorch:
    """State dicts and tensors of PyTorch itself."""

    @pytest.fixture
    def torch(self):
        torch = pytest.importorskip("torch")
        return torch

    @pytest.mark.parametrize(("cell", "gates"), [("RNN", [None]), ("GRU", "rzn"), ("LSTM", "ifgo")])
    @pytest.mark.parametrize("suffix", ["pt", "pth"])
    def test_state_dict(self, torch, tmp_path, cell, gates, suffix):
        layer = getattr(torch.nn, cell)(7, 12)
        path = tmp_path / f"model.{suffix}"
        torch.save({"epoch": 3, "model": layer.state_dict(), "names": ["a"]}, path)
        stored = layer.weight_hh_l0.detach().numpy()
        result = audit_file(path, DEPTHS)
        _check(result, stored)
        assert [record.block for record in result.tensors] == list(gates)
        assert {record.key for record in result.tensors} == {"model.weight_hh_l0"}

    def test_two_layers_are_ambiguous(self, torch, tmp_path):
        path = tmp_path / "model.pt"
        torch.save(torch.nn.GRU(5, 5, num_layers=2, bidirectional=True).state_dict(), path)
        with pytest.raises(ValueError, match=r"4 candidates .*weight_hh_l0 \(15, 5\), weight_hh_l"):
            audit_file(path)
        assert len(audit_file(path, [1], key=["hh_l1_reverse", "weight_hh_l1"]).tensors) == 6

    @pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64", "complex64", "int32"])
    def test_dtypes_of_tensors(self, torch, dtype):
        from sigprop.auditing import audit

        tensor = (torch.arange(9).reshape(3, 3) / 2).to(getattr(torch, dtype))
        record = audit(tensor, [1]).tensors[0]
        values = np.floor(np.arange(9) / 2) if dtype == "int32" else np.arange(9) / 2
        assert record.dtype == dtype
        assert record.gain_squared == pytest.approx(np.sum(values**2) / 3, rel=1e-15)

    def test_parameters_conjugates_and_transposes(self, torch):
        from sigprop.auditing import audit

        layer = torch.nn.RNN(3, 6)
        _check(audit(layer.weight_hh_l0, DEPTHS), layer.weight_hh_l0.detach().numpy())
        conjugate = torch.eye(3, dtype=torch.complex64).conj().T
        assert audit(conjugate, [9]).tensors[0].log_energy == (0.0,)

    def test_complex_halves_keep_their_imaginary_part(self, torch):
        from sigprop.auditing import audit

        halves = torch.view_as_complex(torch.tensor([[[0.6, 0.8], [0.0, 1.0]]] * 2).half())
        record = audit(halves, [1, 2]).tensors[0]
        assert (record.dtype, record.field) == ("complex32", "complex")
        exact = halves.to(torch.complex128).numpy()
        assert record.gain_squared == pytest.approx(np.sum(np.abs(exact) ** 2) / 2, rel=1e-15)

    @pytest.mark.parametrize(
        ("make", "words"),
        [
            (lambda torch: torch.eye(3).to_sparse(), r"sparse_coo: to_dense\(\) it"),
            (lambda torch: torch.eye(3, device="meta"), "on the device meta: load"),
            (lambda torch: _quantized(torch), r"quantized one: dequantize\(\) it"),
            (lambda torch: _nested(torch), "a nested one"),
        ],
    )
    def test_tensors_without_dense_numbers(self, torch, tmp_path, make, words):
        from sigprop.auditing import audit

        tensor = make(torch)
        with pytest.raises(TypeError, match=f"W must be a dense tensor .* got .*{words}"):
            audit(tensor)
        with pytest.raises(TypeError, match=f"w_hh must be a dense tensor .* got .*{words}"):
            audit({"w_hh": tensor})

    def test_objects_are_never_loaded(self, torch, tmp_path):
        path = tmp_path / "whole.pt"
        torch.save({"weights": torch.eye(2), "extra": _Planted(tmp_path / "owned")}, path)
        with pytest.raises(ValueError, match=r"objects other than tensors, .* save model.state_"):
            audit_file(path)
        assert not (tmp_path / "owned").exists()

    @pytest.mark.parametrize("old", [False, True])
    def test_whole_modules_of_both_formats(self, torch, tmp_path, old):
        path = tmp_path / "module.pt"
        torch.save(torch.nn.RNN(2, 3), path, _use_new_zipfile_serialization=not old)
        _refused_in_one_line(path, "it holds objects other than tensors")
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 3])
        _refused_in_one_line(path, "cut short or damaged")

    @pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
    def test_plain_pickles(self, torch, tmp_path, protocol):
        path = tmp_path / "plain.pt"
        path.write_bytes(pickle.dumps({"w": _Planted(tmp_path / "owned")}, protocol))
        _refused_in_one_line(path, "it holds objects other than tensors")
        assert not (tmp_path / "owned").exists()

    @pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
    def test_programs(self, torch, tmp_path):
        path = tmp_path / "program.pt"
        torch.jit.script(torch.nn.Linear(2, 2)).save(str(path))
        _refused_in_one_line(path, "it holds a TorchScript program, which is never run; save")

    def test_what_pytorch_never_wrote(self, torch, tmp_path):
        (tmp_path / "text.pt").write_bytes(b"hello, this is text\n" * 9)
        _refused_in_one_line(tmp_path / "text.pt", "cut short, or not a file of PyTorch")
        with zipfile.ZipFile(tmp_path / "zip.pt", "w") as archive:
            archive.writestr("a.txt", "text")
        _refused_in_one_line(tmp_path / "zip.pt", "not a file of PyTorch")

    def test_a_quantized_tensor_in_a_file(self, torch, tmp_path):
        torch.save({"w_hh": _quantized(torch)}, tmp_path / "q.pt")
        with pytest.raises(TypeError, match=r"w_hh must be a dense tensor .* quantized"):
            audit_file(tmp_path / "q.pt")

    @pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.99])
    def test_cut_files(self, torch, tmp_path, share):
        path = tmp_path / "cut.pt"
        torch.save(torch.nn.LSTM(4, 4).state_dict(), path)
        content = path.read_bytes()
        path.write_bytes(content[: int(share * len(content))])
        with pytest.raises(ValueError, match=r"cannot read .*cut.pt: cut short") as caught:
            audit_file(path)
        assert "\n" not in str(caught.value)

    def test_a_bare_tensor_takes_the_name_of_its_file(self, torch, tmp_path):
        torch.save(torch.eye(3), tmp_path / "w.pt")
        assert audit_file(tmp_path / "w.pt", [4]).tensors[0].key == "w"

    def test_bfloat16_in_safetensors_through_torch(self, torch, tmp_path, monkeypatch):
        torch_io = pytest.importorskip("safetensors.torch")
        path = tmp_path / "half.safetensors"
        torch_io.save_file({"w_hh": torch.eye(3, dtype=torch.bfloat16)}, path)
        monkeypatch.setitem(sys.modules, "ml_dtypes", None)
        assert audit_file(path, [2]).tensors[0].dtype == "bfloat16"
