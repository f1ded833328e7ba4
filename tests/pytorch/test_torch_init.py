"""Initialisers of sigprop.torch: laws, dtypes, determinism, and what they refuse."""

import importlib
import math

import numpy as np
import pytest
from scipy.stats import kstest

from sigprop.initialization import safe_gain
from sigprop.recurrences.ring import RingLaw
from sigprop.recurrences.rotations import Rotation

torch = pytest.importorskip("torch")
init = importlib.import_module("sigprop.torch")

REAL = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
COMPLEX = (torch.complex64, torch.complex128)


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def all_initialisers(generator=None):
    """Fill one tensor by each initialiser; return them all."""
    nu_log, theta_log = torch.empty(5), torch.empty(5)
    return [
        init.gaussian_recurrent_(torch.empty(6, 6), gain=0.9, generator=generator),
        *init.ring_(nu_log, theta_log, 0.9, 0.99, generator=generator),
        init.ring_eigenvalues_(torch.empty(5, dtype=torch.complex64), generator=generator),
        init.rotation_(torch.empty(6, 6), generator=generator),
    ]


def test_generators_decide_everything():
    state = torch.get_rng_state()
    once, again, other = (all_initialisers(seeded(seed)) for seed in (1, 1, 2))
    assert torch.equal(state, torch.get_rng_state())
    assert all(torch.equal(a, b) for a, b in zip(once, again, strict=True))
    assert not any(torch.equal(a, b) for a, b in zip(once, other, strict=True))


def test_without_a_generator_the_global_seed_decides():
    runs = []
    with torch.random.fork_rng(devices=[]):
        for _ in range(2):
            torch.manual_seed(7)
            runs.append(all_initialisers())
    assert all(torch.equal(a, b) for a, b in zip(*runs, strict=True))


class TestGaussian:
    @pytest.mark.parametrize("dtype", REAL + COMPLEX)
    def test_gain_in_every_dtype(self, dtype):
        W = torch.empty(300, 300, dtype=dtype)
        assert init.gaussian_recurrent_(W, gain=1.3, generator=seeded()) is W
        assert W.dtype == dtype
        squares = 300 * np.abs(W.to(torch.complex128).numpy()) ** 2
        # Four standard errors of the mean of 90000 squares of normal numbers.
        assert abs(squares.mean() / 1.3**2 - 1.0) < 4.0 * math.sqrt(2.0) / 300

    def test_complex_parts_are_alike_and_independent(self):
        W = init.gaussian_recurrent_(
            torch.empty(300, 300, dtype=torch.complex128), gain=1.0, generator=seeded()
        )
        error = 4.0 / 300  # of each part of E W^2, whose standard error is 1/300
        pseudo = 300 * (W**2).mean()
        assert abs(pseudo.real) < error
        assert abs(pseudo.imag) < error

    @pytest.mark.parametrize(
        ("dtype", "field"), [(torch.float32, "real"), (torch.cfloat, "complex")]
    )
    def test_the_gain_is_the_safe_one_of_the_field(self, dtype, field):
        by_length = init.gaussian_recurrent_(
            torch.empty(192, 64, dtype=dtype), 100, 3.0, generator=seeded()
        )
        gain = safe_gain(64, 100, 3.0, field=field).gain
        by_gain = init.gaussian_recurrent_(
            torch.empty(192, 64, dtype=dtype), gain=gain, generator=seeded()
        )
        assert torch.equal(by_length, by_gain)

    def test_the_mean_when_asked(self):
        W = init.gaussian_recurrent_(torch.empty(8, 8), 40, quantile=None, generator=seeded())
        gain = safe_gain(8, 40, quantile=None).gain
        assert torch.equal(
            W, init.gaussian_recurrent_(torch.empty(8, 8), gain=gain, generator=seeded())
        )

    def test_gates_of_a_cell(self):
        lstm = torch.nn.LSTM(3, 64)
        weight = lstm.weight_hh_l0
        assert init.gaussian_recurrent_(weight, gain=0.5, generator=seeded()) is weight
        assert weight.requires_grad
        assert weight.grad_fn is None
        gains = [float(64 * (block**2).mean()) ** 0.5 for block in weight.detach().split(64)]
        assert len(gains) == 4
        # Four standard errors of a gain from 4096 entries.
        assert np.abs(np.array(gains) / 0.5 - 1.0).max() < 4.0 / math.sqrt(2.0 * 4096)
        assert len(set(gains)) == 4

    def test_a_view_is_filled_in_place(self):
        whole = torch.zeros(4, 6)
        init.gaussian_recurrent_(whole[:, 1:5].t(), gain=1.0, generator=seeded())
        assert (whole[:, [0, 5]] == 0.0).all()
        assert (whole[:, 1:5] != 0.0).all()

    @pytest.mark.parametrize("shape", [(4,), (3, 4), (5, 4), (0, 0), (4, 0), (2, 4, 4)])
    def test_wrong_shapes_are_named(self, shape):
        with pytest.raises(ValueError, match=r"tensor must be square, or gates .* got shape \("):
            init.gaussian_recurrent_(torch.empty(shape), gain=1.0)

    @pytest.mark.parametrize(
        ("arguments", "error", "named"),
        [
            ({}, ValueError, "either length"),
            ({"length": 10, "gain": 1.0}, ValueError, "either length"),
            ({"gain": 0.0}, ValueError, "gain must"),
            ({"gain": "1"}, TypeError, "gain must"),
            ({"length": 0}, ValueError, "length must"),
            ({"length": 10, "bound": 1.0}, ValueError, "bound must"),
            ({"length": 10, "bound": [2.0]}, TypeError, "bound must"),
            ({"length": 10, "quantile": 1.0}, ValueError, "quantile must"),
        ],
    )
    def test_bad_arguments_are_named(self, arguments, error, named):
        W = torch.full((4, 4), 7.0)
        with pytest.raises(error, match=named):
            init.gaussian_recurrent_(W, **arguments)
        assert (W == 7.0).all()

    def test_other_things_than_float_tensors(self):
        with pytest.raises(
            TypeError, match=r"tensor must be a tensor of float16.*got torch\.int64"
        ):
            init.gaussian_recurrent_(torch.zeros(2, 2, dtype=torch.int64), gain=1.0)
        with pytest.raises(TypeError, match=r"tensor must be a tensor.* got a ndarray"):
            init.gaussian_recurrent_(np.zeros((2, 2)), gain=1.0)


class TestRing:
    def test_the_formula(self):
        """r^2 = a + U (b - a), and phases U' max_phase, of the very numbers drawn."""
        nu_log, theta_log = torch.empty(2, 1000, dtype=torch.float64)
        init.ring_(nu_log, theta_log, 0.5, 0.9, 3.0, seeded())
        generator = seeded()
        u, v = (torch.rand(1000, dtype=torch.float64, generator=generator) for _ in range(2))
        squares = torch.exp(-2.0 * torch.exp(nu_log))
        # Measured 4e-16 and 2e-15.
        assert (squares - (0.25 + u * (0.81 - 0.25))).abs().max() < 2e-15
        assert (torch.exp(theta_log) / (3.0 * v) - 1.0).abs().max() < 1e-14

    def test_law_of_the_moduli_and_phases(self):
        eigenvalues = init.ring_eigenvalues_(
            torch.empty(4000, dtype=torch.complex128), 0.3, 0.95, 1.5, seeded()
        ).numpy()
        squares = (np.abs(eigenvalues) ** 2 - 0.3**2) / (0.95**2 - 0.3**2)
        assert kstest(squares, "uniform").pvalue > 1e-3
        assert kstest(np.angle(eigenvalues) / 1.5, "uniform").pvalue > 1e-3
        # Negative control: it is r^2 that is uniform, not r.
        moduli = (np.abs(eigenvalues) - 0.3) / (0.95 - 0.3)
        assert kstest(moduli, "uniform").pvalue < 1e-6
        moment = float(RingLaw(0.3, 0.95).moment(np.array(4.0)))
        deviation = (np.abs(eigenvalues) ** 4).std() / math.sqrt(4000)
        assert abs((np.abs(eigenvalues) ** 4).mean() - moment) < 4.0 * deviation

    @pytest.mark.parametrize("dtype", REAL)
    def test_dtypes_are_kept(self, dtype):
        pair = torch.empty(3, 2, dtype=dtype), torch.empty(3, 2, dtype=dtype)
        filled = init.ring_(*pair, 0.9, 0.999, generator=seeded())
        assert filled[0] is pair[0]
        assert filled[1] is pair[1]
        assert {tensor.dtype for tensor in pair} == {dtype}
        wide = torch.empty(3, 2, dtype=torch.float64), torch.empty(3, 2, dtype=torch.float64)
        init.ring_(*wide, 0.9, 0.999, generator=seeded())
        assert all(torch.equal(a, b.to(dtype)) for a, b in zip(pair, wide, strict=True))

    def test_parameters_keep_the_distance_to_the_unit_circle(self):
        nu_log, theta_log = (
            torch.nn.Parameter(torch.empty(500)),
            torch.nn.Parameter(torch.empty(500)),
        )
        init.ring_(nu_log, theta_log, 1.0 - 1e-9, 1.0 - 1e-10, generator=seeded())
        nu = nu_log.detach().double().exp()
        # Decays from 1e-10 to 1e-9, their logarithms rounded to float32: 1e-6 relative.
        assert nu.min() > 1e-10 * (1.0 - 1e-5)
        assert nu.max() < 1e-9 * (1.0 + 1e-5)
        assert nu.max() / nu.min() > 5.0

    def test_parameters_and_eigenvalues_are_one_draw(self):
        nu_log, theta_log = torch.empty(2, 50, dtype=torch.float64)
        init.ring_(nu_log, theta_log, 0.1, 1.0, generator=seeded(3))
        eigenvalues = init.ring_eigenvalues_(
            torch.empty(50, dtype=torch.complex128), 0.1, 1.0, generator=seeded(3)
        )
        from_parameters = torch.exp(torch.complex(-nu_log.exp(), theta_log.exp()))
        assert (eigenvalues - from_parameters).abs().max() < 1e-14  # measured 2e-15

    def test_the_ends_of_the_range(self):
        zero = init.ring_eigenvalues_(torch.empty(3, dtype=torch.complex64), 0.0, 0.0)
        assert (zero == 0.0).all()
        unit = init.ring_eigenvalues_(torch.empty(3, dtype=torch.complex128), 1.0, 1.0)
        assert (unit.abs() - 1.0).abs().max() < 1e-15
        pinned = init.ring_(torch.empty(3, dtype=torch.float64), torch.empty(3), 0.5, 0.5)[0]
        assert pinned.exp().numpy() == pytest.approx(math.log(2.0), rel=1e-14)
        single = init.ring_(torch.empty(()), torch.empty(()))
        assert all(math.isfinite(value) for value in single)

    def test_bad_input_is_named(self):
        pair = torch.empty(3), torch.empty(3)
        for r_min, r_max in [(0.0, 0.0), (1.0, 1.0)]:
            with pytest.raises(ValueError, match="r_min must be below 1 and r_max above 0"):
                init.ring_(*pair, r_min, r_max)
        with pytest.raises(ValueError, match="r_min and r_max must satisfy"):
            init.ring_(*pair, 0.9, 0.5)
        with pytest.raises(ValueError, match="max_phase must lie in"):
            init.ring_(*pair, max_phase=7.0)
        with pytest.raises(ValueError, match=r"nu_log and theta_log .* \(3,\) and \(4,\)"):
            init.ring_(torch.empty(3), torch.empty(4))
        with pytest.raises(TypeError, match="theta_log must be a tensor of float16"):
            init.ring_(torch.empty(3), torch.empty(3, dtype=torch.complex64))
        with pytest.raises(TypeError, match="tensor must be a tensor of complex64, complex128"):
            init.ring_eigenvalues_(torch.empty(3))


class TestRotation:
    @pytest.mark.parametrize("n", [1, 2, 3, 64, 151])
    @pytest.mark.parametrize(("dtype", "tol"), [(torch.float64, 1e-13), (torch.float32, 1e-6)])
    def test_orthogonal_with_determinant_one(self, n, dtype, tol):
        A = init.rotation_(torch.empty(n, n, dtype=dtype), generator=seeded(n))
        assert A.dtype == dtype
        wide = A.double()
        # Measured at most 1.2e-15 and 4e-8.
        assert (wide @ wide.T - torch.eye(n, dtype=torch.float64)).abs().max() < tol
        assert float(torch.linalg.det(wide)) == pytest.approx(1.0, abs=100 * tol)

    def test_angles_are_uniform(self):
        generator = seeded()
        angles = np.concatenate(
            [
                Rotation.from_matrix(
                    init.rotation_(torch.empty(20, 20, dtype=torch.float64), 1.5, generator).numpy()
                ).angle
                for _ in range(40)
            ]
        )
        assert kstest(angles / 1.5, "uniform").pvalue > 1e-3
        # Negative control: they are not uniform up to pi/2 ... 2.
        assert kstest(angles / 2.0, "uniform").pvalue < 1e-6

    def test_energy_is_kept(self):
        A = init.rotation_(torch.empty(32, 32, dtype=torch.float64), generator=seeded())
        h = torch.ones(32, dtype=torch.float64)
        for _ in range(1000):
            h = A @ h
        assert float((h**2).mean()) == pytest.approx(1.0, rel=1e-12)  # measured 1e-14

    def test_parameters_of_a_layer(self):
        rnn = torch.nn.RNN(4, 16)
        assert init.rotation_(rnn.weight_hh_l0) is rnn.weight_hh_l0
        assert rnn.weight_hh_l0.requires_grad

    def test_bad_input_is_named(self):
        for shape in [(3,), (3, 4), (0, 0), (2, 3, 3)]:
            with pytest.raises(ValueError, match=r"tensor must be square, shape \(n, n\), got"):
                init.rotation_(torch.empty(shape))
        with pytest.raises(TypeError, match="tensor must be a tensor of float16"):
            init.rotation_(torch.empty(3, 3, dtype=torch.complex64))
        with pytest.raises(ValueError, match="max_phase"):
            init.rotation_(torch.empty(3, 3), 0.0)


class TestWhatCannotBeFilled:
    """Each initialiser names the tensor or generator that it cannot work with."""

    FILLS = (
        ("tensor", torch.float32, lambda t, g: init.gaussian_recurrent_(t, gain=1.0, generator=g)),
        ("tensor", torch.float32, lambda t, g: init.rotation_(t, generator=g)),
        ("tensor", torch.complex64, lambda t, g: init.ring_eigenvalues_(t, generator=g)),
        ("nu_log", torch.float32, lambda t, g: init.ring_(t, torch.empty(4, 4), generator=g)),
        ("theta_log", torch.float32, lambda t, g: init.ring_(torch.empty(4, 4), t, generator=g)),
    )

    @pytest.mark.parametrize(("name", "dtype", "fill"), FILLS)
    def test_tensors(self, name, dtype, fill):
        with pytest.raises(TypeError, match=f"{name} must be a dense tensor, got .* sparse_coo"):
            fill(torch.eye(4, dtype=dtype).to_sparse(), None)
        with pytest.raises(ValueError, match=f"{name} must have a place .* shape .*clone"):
            fill(torch.zeros(1, 4, dtype=dtype).expand(4, 4), None)
        with pytest.raises(ValueError, match=f"{name} must have a place"):
            fill(torch.zeros(9, dtype=dtype).as_strided((4, 4), (1, 1)), None)
        with torch.inference_mode():
            frozen = torch.zeros(4, 4, dtype=dtype)
        with pytest.raises(ValueError, match=f"{name} cannot be filled in place: Inplace"):
            fill(frozen, None)

    @pytest.mark.parametrize(("name", "dtype", "fill"), FILLS)
    def test_generators(self, name, dtype, fill):
        tensor = torch.zeros(4, 4, dtype=dtype)
        for wrong in (3, np.random.default_rng(0)):
            with pytest.raises(TypeError, match=r"generator must be a torch\.Generator or None"):
                fill(tensor, wrong)
        assert (tensor == 0.0).all()

    def test_one_tensor_twice(self):
        whole = torch.zeros(6)
        for pair in [(whole, whole), (whole[:4], whole[2:])]:
            with pytest.raises(ValueError, match="nu_log and theta_log must be two tensors"):
                init.ring_(*pair)
        assert (whole == 0.0).all()
        init.ring_(whole[::2], whole[1::2], 0.5, 0.9)
        assert (whole != 0.0).all()


def test_the_generator_is_fourth_in_order():
    by_order = init.gaussian_recurrent_(torch.empty(8, 8), 40, 5.0, seeded(2))
    by_name = init.gaussian_recurrent_(torch.empty(8, 8), length=40, bound=5.0, generator=seeded(2))
    assert torch.equal(by_order, by_name)
    with pytest.raises(TypeError, match="positional"):
        init.gaussian_recurrent_(torch.empty(8, 8), 40, 5.0, None, 0.95)


@pytest.mark.parametrize(
    ("dtype", "beyond"), [(torch.bfloat16, 2e-4), (torch.float16, 2e-5), (torch.float32, 3e-9)]
)
def test_the_cast_moves_radii_by_what_is_documented(dtype, beyond):
    nu_log = init.ring_(
        torch.empty(20000, dtype=dtype), torch.empty(20000), 0.99, 0.999, generator=seeded()
    )[0]
    radius = torch.exp(-torch.exp(nu_log.double()))
    assert float(radius.min()) > 0.99 - beyond
    assert float(radius.max()) < 0.999 + beyond
