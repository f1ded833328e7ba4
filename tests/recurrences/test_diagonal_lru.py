"""The diagonal LRU: reference values, mpmath, published tables, and samples of its layers."""

import json
import math
import pickle
from pathlib import Path

import mpmath
import numpy as np
import pytest

import sigprop
from sigprop.recurrences import DiagonalLRU, NoFormulaError, Recurrence, from_layer
from sigprop.recurrences.diagonal_lru import CODE_MAX_PHASE, PRESETS
from sigprop.theory.input_laws import autocorrelation

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "structured.json").read_text())
VALUES = {name: float(text) for name, text in REFERENCE["values"].items()}
TENTH = math.pi / 10.0
CLOSE = 1e-12


def ring(r_min, r_max, phase=2.0 * math.pi, **changes):
    return DiagonalLRU(4, r_min, r_max, phase, **changes)


class TestReference:
    @pytest.mark.parametrize("entry", REFERENCE["lru_ring_expectation"], ids=str)
    def test_ring_expectations(self, entry):
        # Largest error measured: 1.1e-13, for the rounding of r = 0.8 to the power 2000.
        ends = float(entry["rmin"]), float(entry["rmax"])
        if "Q" in entry:
            got, want = ring(*ends, normalization=None).impulse_energy(entry["k"]), entry["Q"]
        elif "S" in entry:
            got, want = ring(*ends, normalization=None).state_energy(entry["t"]), entry["S"]
        else:
            got, want = ring(*ends).state_energy(entry["t"]), entry["S_gamma_normalised"]
        assert float(got) == pytest.approx(float(want), rel=CLOSE)

    def test_values(self):
        # Largest error measured: 1.4e-15.
        plain, restricted = ring(0.9, 0.999, normalization=None), ring(0.9, 0.999, TENTH)
        unscaled = ring(0.9, 0.999, TENTH, normalization=None)
        got = {
            "ring[.9,.999] Q_10": plain.impulse_energy(10),
            "ring[.9,.999] S_inf": plain.stationary_energy(),
            "ring[0,1] S_100 = H_101": ring(0.0, 1.0, normalization=None).state_energy(100),
            "ring[.9,.999] phi=pi/10 rho=0.9 S_inf": unscaled.stationary_energy(("ar1", 0.9)),
            "ring[.9,.999] phi=pi/10 rho=1 gamma S_inf": restricted.stationary_energy("constant"),
            "ring[.9,.999] phi=pi/10 rho=1 gamma S_20": restricted.state_energy(20, "constant"),
            "grad nu_log r=.95 (gamma fixed)": ring(0.95, 0.95).gradient_energy("nu_log"),
        }
        for name, value in got.items():
            assert float(value) == pytest.approx(VALUES[name], rel=CLOSE), name

    @pytest.mark.parametrize(
        ("ends", "want"),
        [((0.9, 0.999), (2.67, 7.10, 8.79, 8.99)), ((0.999, 0.9999), (2.82, 7.95, 9.79, 9.99))],
    )
    def test_coloured_stationary_energies_of_a_restricted_phase(self, ends, want):
        laws = (("ar1", 0.5), ("ar1", 0.9), ("ar1", 0.99), "constant")
        got = [ring(*ends, TENTH).stationary_energy(law) for law in laws]
        assert np.round(got, 2).tolist() == list(want)

    def test_pathx_and_its_wedges(self):
        pathx = DiagonalLRU.from_preset("PathX")
        assert pathx.stationary_energy("constant") == pytest.approx(9.99, abs=0.01)
        assert pathx.stationary_energy("white") == 1.0
        code = ring(0.999, 0.9999, CODE_MAX_PHASE)
        assert code.stationary_energy("constant") == pytest.approx(0.5544, abs=5e-5)
        narrow = ring(0.999, 0.9999, math.pi / 50.0)
        assert narrow.stationary_energy("constant") == pytest.approx(49.7, abs=0.05)
        assert pathx.state_energy(1000) == pytest.approx(0.62, abs=0.005)

    @pytest.mark.parametrize(
        ("ends", "want"),
        [
            # mean lag, half lag, 90 % lag, 95 % burn-in, tails beyond 1024 and 16384
            ((0.0, 1.0), (math.inf, 0, 8, 18, 9.7e-4, 6.1e-5)),
            ((0.0, 0.99), (2.997, 0, 7, 14, 1e-12, 0.0)),
            ((0.5, 0.9), (1.452, 1, 4, 6, 0.0, 0.0)),
            ((0.9, 0.999), (23.23, 7, 47, 88, 6.7e-4, 0.0)),
            ((0.999, 0.9999), (1278.7, 687, 3022, 4508, 0.372, 1.2e-3)),
        ],
    )
    def test_horizons(self, ends, want):
        lru = ring(*ends)
        mean, *tails = (
            lru.horizon("mean_lag"),
            lru.horizon(("tail", 1024)),
            lru.horizon(("tail", 16384)),
        )
        assert mean == pytest.approx(want[0], rel=3e-4)
        shares = ("half_energy", ("burn_in", 0.9), "burn_in")
        assert [lru.horizon(kind) for kind in shares] == list(want[1:4])
        assert tails == pytest.approx(want[4:], rel=0.1, abs=1e-15)


class TestHighPrecision:
    """Against the definitions, at 20 digits or more."""

    RINGS = ((0.0, 0.5), (0.9, 0.999), (0.999, 0.9999), (0.3, 0.3))

    @staticmethod
    def _mean(ends, function):
        """Mean over r^2 uniform between the squares of the ends."""
        low, high = (mpmath.mpf(end) for end in ends)
        if low == high:
            return function(low)
        # Over u = -ln(1 - r), in which 1 - r has one scale.
        density = lambda u: 2 * (1 - mpmath.exp(-u)) * mpmath.exp(-u)  # noqa: E731
        start, stop = -mpmath.log(1 - low), -mpmath.log(1 - high)
        points = mpmath.linspace(start, stop, 4)
        integral = mpmath.quad(lambda u: density(u) * function(1 - mpmath.exp(-u)), points)
        return integral / (high**2 - low**2)

    @pytest.mark.parametrize("ends", RINGS, ids=str)
    def test_white_inputs(self, ends):
        # Largest error measured: 3e-15.
        with mpmath.workdps(40):
            for depth in (0, 1, 5, 40):
                plain = [self._mean(ends, lambda r, k=k: r ** (2 * k)) for k in (depth, depth + 1)]
                white = self._mean(ends, lambda r, t=depth: (1 - r ** (2 * t + 2)) / (1 - r**2))
                lru, free = ring(*ends), ring(*ends, normalization=None)
                for got, want in (
                    (free.impulse_energy(depth), plain[0]),
                    (free.state_energy(depth), white),
                    (lru.impulse_energy(depth), plain[0] - plain[1]),
                    (lru.state_energy(depth), 1 - plain[1]),
                    (lru.horizon(("tail", depth)), plain[1]),
                ):
                    assert float(abs(mpmath.mpf(float(got)) / want - 1)) < CLOSE

    @pytest.mark.parametrize("k", [0, 7, 10**3, 3 * 10**4, 10**6])
    def test_impulses_far_beyond_the_memory(self, k):
        # Largest error measured: 1e-13 at Q = 1e-91.
        lru = ring(0.999, 0.9999)
        with mpmath.workdps(60):
            a, b = mpmath.mpf(0.999) ** 2, mpmath.mpf(0.9999) ** 2
            moment = lambda m: (b ** (m + 1) - a ** (m + 1)) / ((m + 1) * (b - a))  # noqa: E731
            want = moment(k) - moment(k + 1)
            assert float(abs(mpmath.mpf(float(lru.impulse_energy(k))) / want - 1)) < CLOSE

    def test_unbounded_ring_at_any_depth(self):
        # H_{t+1} of the ring [0, 1]: 1e-15 was measured.
        for depth in (0, 10**3, 10**6, 10**12, 2**53 - 1):
            with mpmath.workdps(40):
                want = float(mpmath.harmonic(depth + 1))
            got = ring(0.0, 1.0, normalization=None).state_energy(depth)
            assert float(got) == pytest.approx(want, rel=1e-14)

    @pytest.mark.parametrize("normalization", ["gamma", None, ("ar1", 0.7), "constant"], ids=str)
    @pytest.mark.parametrize(
        "law", ["white", "constant", ("ar1", 0.9), ("ar1", -0.1), [1.0, 0.5]], ids=str
    )
    def test_coloured_inputs(self, normalization, law):
        """The double sum over lags, with moments of r^2 and phases from their integrals."""
        # Largest error measured: 4e-15.
        ends, phase, depth = (0.9, 0.999), 0.4, 9
        with mpmath.workdps(20):
            rho = {"gamma": 0, "constant": 1}.get(normalization, 0.7) if normalization else None
            rho = None if rho is None else mpmath.mpf(rho)
            r = [mpmath.mpf(float(x)) for x in autocorrelation(law, depth + 1)]
            m = [mpmath.mpf(1)] + [
                mpmath.sin(d * mpmath.mpf(phase)) / (d * mpmath.mpf(phase))
                for d in range(1, depth + 3)
            ]

            def mode(radius):
                q, total = radius**2, mpmath.mpf(0)
                base = 1 if rho in (None, 1) else (1 - q) / (1 - rho**2 * q)
                for d in range(depth + 1):
                    turn = m[d]
                    if rho:
                        turn = (1 + rho**2 * q) * m[d] - rho * radius * (m[d + 1] + m[abs(d - 1)])
                    tail = sum(radius ** (2 * k + d) for k in range(depth - d + 1))
                    total += (1 if d == 0 else 2) * r[d] * turn * tail
                return base * total

            want = self._mean(ends, mode)
            got = ring(*ends, phase, normalization=normalization).state_energy(depth, law)
            assert float(abs(mpmath.mpf(float(got)) / want - 1)) < CLOSE

    @pytest.mark.parametrize("normalization", ["gamma", None, ("ar1", 0.7), "constant"], ids=str)
    @pytest.mark.parametrize(
        "law", ["constant", ("ar1", 0.9), ("ar1", 0.2), ("ar1", -0.6)], ids=str
    )
    @pytest.mark.parametrize("phase", [0.4, 6.28, 2.0 * math.pi])
    def test_coloured_limits(self, normalization, law, phase):
        """Stationary energies by the logarithm of 1 - s e^{i phi} and partial fractions."""
        # Largest error measured: 3e-15.
        ends = (0.0, 0.995)
        with mpmath.workdps(20):
            rho = {"gamma": 0, "constant": 1}.get(normalization, 0.7) if normalization else 0
            rho, sigma = mpmath.mpf(rho), mpmath.mpf(1 if law == "constant" else law[1])
            angle = 2 * mpmath.pi if phase == 2.0 * math.pi else mpmath.mpf(phase)

            def mode(radius):
                q, s = radius**2, sigma * radius
                kernel = 1 - 2 * mpmath.im(mpmath.log(1 - s * mpmath.exp(1j * angle))) / angle
                mixed = (
                    rho / sigma * (1 - s**2) + (1 - rho / sigma) * (1 - rho * sigma * q) * kernel
                )
                if normalization is None:
                    return kernel / (1 - q)
                return mixed / (1 - rho**2 * q)

            want = self._mean(ends, mode)
        got = ring(*ends, phase, normalization=normalization).stationary_energy(law)
        assert float(abs(mpmath.mpf(got) / want - 1)) < CLOSE

    @pytest.mark.parametrize("parameter", ["eigenvalue", "nu_log", "theta", "theta_log"])
    @pytest.mark.parametrize("normalization", ["gamma", None])
    def test_gradients(self, parameter, normalization):
        # Largest error measured: 3e-15.
        ends, phase = (0.9, 0.99), 1.5
        lru = ring(*ends, phase, normalization=normalization)
        with mpmath.workdps(20):
            for depth in (0, 3, 70, None):

                def mode(r, depth=depth):
                    q = r**2
                    if depth is None:
                        total = (1 + q) / (1 - q) ** 3
                    else:
                        total = sum(k * k * q ** (k - 1) for k in range(1, depth + 1))
                    scale = 1 - q if normalization else 1
                    factor = {"eigenvalue": 1, "nu_log": q * mpmath.log(r) ** 2}.get(parameter, q)
                    return total * scale * factor

                want = self._mean(ends, mode)
                want *= mpmath.mpf(phase) ** 2 / 3 if parameter == "theta_log" else 1
                got = lru.gradient_energy(parameter, depth)
                assert got == want == 0 or float(abs(mpmath.mpf(float(got)) / want - 1)) < CLOSE

    def test_participation(self):
        # (sum Q)^2 / sum Q^2, the sum of squares by its terms.
        for lru in (ring(0.5, 0.9), ring(0.9, 0.999), ring(0.9, 0.999, normalization=None)):
            terms = lru.impulse_energy(np.arange(2 * 10**4))
            want = math.fsum(terms) ** 2 / math.fsum(terms**2)
            assert lru.horizon("participation") == pytest.approx(want, rel=1e-13)


class TestStructure:
    def test_full_phase_is_colour_blind_at_every_depth(self):
        depths = np.array([0, 1, 17, 10**6, 10**12])
        for normalization in ("gamma", None):
            lru = ring(0.9, 0.999, normalization=normalization)
            for law in ("constant", ("ar1", 0.9), [1.0, -0.5]):
                assert np.array_equal(lru.state_energy(depths, law), lru.state_energy(depths))
                got = lru.stationary_energy(law)
                assert got == pytest.approx(lru.stationary_energy(), rel=1e-14)
        # Not so as soon as the phase is restricted, or the scale depends on it.
        assert ring(0.9, 0.999, 6.0).state_energy(17, "constant") < 0.7
        matched = ring(0.9, 0.999, normalization=("ar1", 0.5))
        assert matched.state_energy(17, "constant") != matched.state_energy(17)

    @pytest.mark.parametrize("rho", [-0.9, 0.0, 0.5, 0.99])
    @pytest.mark.parametrize("phase", [0.1, 6.28, 2.0 * math.pi])
    def test_the_matched_scale_gives_one(self, rho, phase):
        lru = ring(0.0, 0.9999, phase, normalization=("ar1", rho))
        assert lru.stationary_energy(("ar1", rho)) == pytest.approx(1.0, rel=1e-14)
        constant = ring(0.0, 0.9999, phase, normalization="constant")
        assert constant.stationary_energy("constant") == pytest.approx(1.0, rel=1e-14)

    def test_the_curve_ends_at_the_limit(self):
        # Roundings of 1e5 lags: 1e-14 was measured.
        for law in ("constant", ("ar1", 0.9), [1.0, 0.5]):
            lru = ring(0.9, 0.999, TENTH)
            late = lru.state_energy(40_000, law)
            assert late == pytest.approx(lru.stationary_energy(law), rel=1e-13)

    def test_unit_first_step_is_constant(self):
        depths = np.arange(0, 1000, 37)
        unit = ring(0.9, 0.999, first_step="unit")
        assert np.array_equal(unit.state_energy(depths), np.ones(depths.size))
        matched = ring(0.9, 0.999, 0.5, normalization=("ar1", 0.5), first_step="unit")
        assert matched.state_energy(0) == 1.0
        assert matched.state_energy(40_000) == pytest.approx(matched.stationary_energy(), rel=1e-12)
        assert np.array_equal(unit.state_energy(depths, "constant"), np.ones(depths.size))
        restricted = ring(0.9, 0.999, TENTH, first_step="unit")
        with pytest.raises(NoFormulaError, match=r"estimate it with sigprop\.simulate"):
            restricted.state_energy(3, "constant")
        scaled = ring(0.9, 0.999, TENTH)
        assert restricted.stationary_energy("constant") == scaled.stationary_energy("constant")

    def test_the_schedule_holds_the_energy(self):
        for lru in (ring(0.9, 0.999), ring(0.0, 1.0, normalization=None), ring(0.9, 0.999, 0.3)):
            schedule = lru.input_schedule(200, target=2.0)
            q = lru.impulse_energy(np.arange(200))
            energies = [schedule[: t + 1] @ q[t::-1] for t in range(200)]
            assert np.allclose(energies, 2.0, rtol=1e-13)
            assert np.all(np.diff(schedule) <= 1e-15)
        # Renewal coefficients of Q, in rationals: the ring [0, 1] has Q_k = 1/(k+1).
        assert ring(0.0, 1.0, normalization=None).input_schedule(4) == pytest.approx(
            [1.0, 1.0 / 2.0, 5.0 / 12.0, 3.0 / 8.0], rel=1e-15
        )

    def test_spread_over_layers(self):
        lru = DiagonalLRU(256, 0.9, 0.999, normalization=None)
        a, b = 0.9**2, 0.999**2
        variance = 1.0 / ((1.0 - a) * (1.0 - b)) - lru.stationary_energy() ** 2
        assert lru.stationary_spread() == pytest.approx(math.sqrt(variance / 256.0), rel=1e-12)
        assert ring(0.9, 0.999).stationary_spread() == 0.0
        with pytest.raises(ValueError, match="stationary_spread must have normalization"):
            ring(0.9, 0.999, normalization=("ar1", 0.5)).stationary_spread()

    def test_bounded_and_exploding_gradients(self):
        for r_max, want in ((0.999, 5e5), (0.9999, 5e7)):
            assert ring(r_max, r_max).gradient_energy("theta") == pytest.approx(want, rel=0.01)
            assert ring(r_max, r_max).gradient_energy("nu_log") == pytest.approx(0.5, rel=0.002)
        assert ring(0.0, 1.0).gradient_energy("nu_log") < 0.5
        with pytest.raises(ValueError, match="limit of the gradient energy of 'theta' is infinite"):
            ring(0.0, 1.0).gradient_energy("theta")
        assert ring(0.5, 0.9).gradient_energy("state", 3) == pytest.approx(
            float(ring(0.5, 0.9, normalization=None).impulse_energy(3)), rel=1e-15
        )
        with pytest.raises(ValueError, match="parameter must be one of 'state', 'eigenvalue'"):
            ring(0.5, 0.9).gradient_energy("gamma")
        with pytest.raises(NoFormulaError):
            ring(0.5, 0.9, 1.0, normalization=("ar1", 0.5)).gradient_energy("theta_log", 3)

    def test_infinite_limits_are_refused(self):
        free = ring(0.0, 1.0, 1.0, normalization=None)
        for law in ("white", "constant", ("ar1", 0.5), [1.0, 0.5]):
            with pytest.raises(ValueError, match="r_max = 1 puts modes arbitrarily close"):
                free.stationary_energy(law)
        with pytest.raises(ValueError, match="is infinite"):
            free.horizon("half_energy")
        assert ring(0.0, 1.0, 1.0).stationary_energy("constant") < math.pi
        assert ring(0.0, 1.0).horizon("e_fold") == math.inf
        assert ring(0.5, 0.9).horizon("e_fold") == pytest.approx(-0.5 / math.log(0.9), rel=1e-15)


class TestArguments:
    def test_is_a_recurrence(self):
        lru = DiagonalLRU(8)
        assert isinstance(lru, Recurrence)
        assert (lru.gain, lru.tied, lru.field, lru.average) == (1.0, True, "complex", "annealed")
        assert (lru.units_per_head, lru.units_per_layer) == (8, 8)
        assert lru.layer_energy(3) == 8 * lru.state_energy(3) == lru.head_energy(3)
        assert lru.output_energy(3) == lru.state_energy(3)
        assert pickle.loads(pickle.dumps(lru)) == lru == eval(repr(lru))
        assert repr(lru) == "DiagonalLRU(width=8)"
        assert repr(ring(0.0, 0.5, inputs="constant")) == (
            "DiagonalLRU(width=4, inputs='constant', r_max=0.5)"
        )
        assert hash(lru) == hash(DiagonalLRU(8.0, 0, 1))
        assert lru.with_inputs("constant").inputs == "constant"
        assert lru.with_inputs("constant").state_energy(3) == lru.state_energy(3, "constant")

    def test_presets(self):
        widths = [DiagonalLRU.from_preset(task).width for task in PRESETS]
        assert widths == [384, 256, 192, 256, 256, 256]
        assert DiagonalLRU.from_preset("pathx", width=8, inputs="constant").width == 8
        assert DiagonalLRU.from_preset("PathX").max_phase == TENTH
        with pytest.raises(ValueError, match="task must be one of 'sCIFAR', 'ListOps', 'Text'"):
            DiagonalLRU.from_preset("MNIST")

    @pytest.mark.parametrize(
        ("changes", "text"),
        [
            ({"r_max": 1.5}, "r_min and r_max must satisfy"),
            ({"max_phase": 0.0}, r"max_phase must lie in \(0, 2 pi\], got 0.0"),
            ({"max_phase": 7.0}, r"max_phase must lie in \(0, 2 pi\], got 7.0"),
            ({"normalization": "beta"}, "normalization must be 'gamma', None"),
            ({"normalization": ("ar1", 1.0)}, "rho of normalization must lie strictly"),
            ({"first_step": "half"}, "first_step must be one of 'scaled', 'unit'"),
            ({"input_size": 0}, "input_size must be an integer >= 1"),
            ({"inputs": "pink"}, "inputs must be"),
        ],
    )
    def test_out_of_range(self, changes, text):
        with pytest.raises(ValueError, match=text):
            DiagonalLRU(8, **changes)

    def test_depths_of_coloured_inputs_are_limited(self):
        with pytest.raises(ValueError, match="depth must be at most 1000000 for inputs 'constant'"):
            ring(0.9, 0.999, 1.0).state_energy(10**7, "constant")


class TestSamples:
    def test_layers_of_a_batch_come_in_turn(self):
        lru = DiagonalLRU(5, 0.9, 0.99, input_size=3, output_size=3, first_step="unit")
        together = lru.sample(np.random.default_rng(0), 4)
        rng = np.random.default_rng(0)
        assert len(together) == 4
        for index in range(4):
            single = lru.sample(rng)
            assert np.array_equal(single.log_eigenvalue, together[index].log_eigenvalue)
            assert np.array_equal(single.input_matrix, together[index].input_matrix)
        assert together.output_matrix.shape == (4, 3, 5)
        assert together.feedthrough.shape == (4, 3)
        with pytest.raises(TypeError, match="a single layer has no length"):
            len(together[0])

    def test_steps_are_the_formula(self):
        lru = DiagonalLRU(5, 0.9, 0.99, 1.0, input_size=3, output_size=3)
        layer = lru.sample(np.random.default_rng(0))
        u = np.random.default_rng(1).standard_normal((2, 3))
        gamma = np.sqrt(1.0 - np.abs(layer.eigenvalue) ** 2)
        first = gamma * (layer.input_matrix @ u[0])
        second = layer.eigenvalue * first + gamma * (layer.input_matrix @ u[1])
        assert np.allclose(lru.first_state(layer, u[0]), first, rtol=1e-13)
        assert np.allclose(lru.step(layer, first, u[1]), second, rtol=1e-13)
        assert np.array_equal(lru.step(layer, first), layer.eigenvalue * first)
        y = (layer.output_matrix @ second).real + layer.feedthrough * u[1]
        assert np.allclose(layer.output(second, u[1]), y, rtol=1e-13)
        with pytest.raises(ValueError, match="no output matrix"):
            DiagonalLRU(5).sample(np.random.default_rng(0)).output(first)

    # Each row: the recurrence and the inputs. z-scores of the cells of one seed.
    CASES = (
        (DiagonalLRU(16, 0.9, 0.999), "white"),
        (DiagonalLRU(16, 0.9, 0.999, first_step="unit"), "white"),
        (DiagonalLRU(16, 0.9, 0.999, normalization=None), "white"),
        (DiagonalLRU(16, 0.9, 0.999, TENTH), "constant"),
        (DiagonalLRU(16, 0.9, 0.999, TENTH, normalization=None), ("ar1", -0.5)),
        (DiagonalLRU(16, 0.9, 0.999, 1.0, normalization=("ar1", 0.5)), ("ar1", 0.9)),
        (DiagonalLRU(16, 0.9, 0.999, 1.0, input_size=2), (1.0, 0.5)),
    )

    @pytest.mark.parametrize(("lru", "law"), CASES, ids=str)
    def test_simulated_energies(self, lru, law):
        cells = sigprop.simulate(lru, [0, 3, 30], 1500, rng=5, inputs=law).cells
        assert all(abs(cell.z) < 4.0 for cell in cells)
        assert all(cell.regime is None for cell in cells)
        # Control: the same sample is not that of a ring which is a little shorter.
        short = DiagonalLRU(16, 0.9, 0.98, lru.max_phase, lru.normalization).with_inputs(law)
        if lru.first_step == "unit":
            short = DiagonalLRU(16, 0.9, 0.999)
        wrong = short.state_energy([0, 3, 30])
        errors = [(c.mean - w) / c.standard_error for c, w in zip(cells, wrong, strict=True)]
        assert max(np.abs(errors)) > 4.0

    def test_outputs(self):
        lru = DiagonalLRU(6, 0.5, 0.99, input_size=2, output_size=1)
        rng = np.random.default_rng(7)
        layer = lru.sample(rng, 8000)
        x = lru.draw_inputs(rng, 8000, 6)
        state = lru.first_state(layer, x[:, 0])
        for t in range(1, 6):
            state = lru.step(layer, state, x[:, t])
        squares = layer.output(state)[:, 0] ** 2
        error = squares.std() / math.sqrt(8000)
        assert abs(squares.mean() - lru.output_energy(5)) < 4.0 * error
        assert abs(squares.mean() - 2.0 * lru.output_energy(5)) > 4.0 * error

    def test_the_schedule_on_samples(self):
        lru = DiagonalLRU(8, 0.5, 0.99, normalization=None)
        schedule = np.sqrt(lru.input_schedule(30))
        rng = np.random.default_rng(8)
        layer = lru.sample(rng, 4000)
        x = lru.draw_inputs(rng, 4000, 30)
        state, plain = (lru.first_state(layer, x[:, 0]) for _ in range(2))
        for t in range(1, 30):
            state = lru.step(layer, state, schedule[t] * x[:, t])
            plain = lru.step(layer, plain, schedule[1] * x[:, t])
            if t in (1, 5, 29):
                energy, control = (np.mean(np.abs(h) ** 2, axis=1) for h in (state, plain))
                error = energy.std() / math.sqrt(4000)
                assert abs(energy.mean() - 1.0) < 4.0 * error
        # Control: the scale of the second step, kept, is too large later.
        assert abs(control.mean() - 1.0) > 4.0 * error

    @pytest.mark.parametrize("parameter", ["eigenvalue", "nu_log", "theta", "theta_log", "state"])
    def test_gradients_of_samples(self, parameter):
        # dh/dp = sum_k k lambda^k g x_{T-k} times d(log lambda)/dp.
        lru, depth = DiagonalLRU(8, 0.5, 0.99, 2.0), 12
        rng = np.random.default_rng(9)
        layer = lru.sample(rng, 6000)
        x = lru.draw_inputs(rng, 6000, depth + 1)
        log = layer.log_eigenvalue
        turned = sum(
            k * np.exp(k * log) * layer.scale * x[:, depth - k] for k in range(1, depth + 1)
        )
        factor = {
            "eigenvalue": np.exp(-log),
            "nu_log": log.real,
            "theta": 1j,
            "theta_log": 1j * log.imag,
        }
        gradient = np.exp(depth * log) if parameter == "state" else factor[parameter] * turned
        values = np.mean(np.abs(gradient) ** 2, axis=1)
        error = values.std() / math.sqrt(6000)
        assert abs(values.mean() - lru.gradient_energy(parameter, depth)) < 4.0 * error
        assert abs(values.mean() - lru.gradient_energy(parameter, depth - 3)) > 4.0 * error

    def test_spread_of_samples(self):
        lru = DiagonalLRU(20, 0.5, 0.95, normalization=None)
        q = np.abs(lru.sample(np.random.default_rng(10), 5000).eigenvalue) ** 2
        squares = (np.mean(1.0 / (1.0 - q), axis=1) - lru.stationary_energy()) ** 2
        error = squares.std() / math.sqrt(5000)
        assert abs(squares.mean() - lru.stationary_spread() ** 2) < 4.0 * error
        assert abs(squares.mean() - 1.3 * lru.stationary_spread() ** 2) > 4.0 * error

    def test_the_median_layer_is_far_below_the_mean(self):
        """Constant inputs at full phase: the mean over layers is 1, most layers have 0.1."""
        lru = DiagonalLRU(256, 0.999, 0.9999)
        rng = np.random.default_rng(3)
        energies = []
        for _ in range(400):
            layer = lru.sample(rng)
            modes = from_layer(log_eigenvalues=layer.log_eigenvalue, B=np.diag(layer.scale))
            energies.append(modes.stationary_energy("constant"))
        low, median, high = np.quantile(energies, [0.05, 0.5, 0.95])
        # 2000 other layers have 0.0110, 0.0998 and 6.35; these have 0.0097, 0.0816 and 6.63.
        assert median == pytest.approx(0.1, rel=0.3)
        assert low == pytest.approx(0.011, rel=0.3)
        assert high == pytest.approx(6.3, rel=0.3)
