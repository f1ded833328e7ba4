"""Random streams: seeds, keys and chunks."""

import numpy as np
import pytest

from sigprop.montecarlo.streams import CHUNK, cell_key, chunk_streams, root_seed
from sigprop.recurrences import GaussianLRU, GaussianRNN

PINNED_KEY = (867142268, 2239486428, 1297652125, 385310017)


class TestRootSeed:
    @pytest.mark.parametrize("seed", [0, 7, 2**40, 2**200])
    def test_an_integer_is_its_own_seed(self, seed):
        assert root_seed(seed) == seed
        assert root_seed(np.random.SeedSequence(seed)) == seed

    def test_numpy_integers_are_integers(self):
        assert root_seed(np.int32(7)) == 7
        assert type(root_seed(np.uint64(7))) is int

    def test_none_is_fresh(self):
        assert root_seed(None) != root_seed(None)

    def test_spawned_sequences_differ_and_reproduce(self):
        first, second = np.random.SeedSequence(7).spawn(2)
        seeds = {root_seed(first), root_seed(second), 7}
        assert len(seeds) == 3
        assert root_seed(np.random.SeedSequence(7, spawn_key=(0,))) == root_seed(first)

    def test_a_generator_is_spawned_not_consumed(self):
        rng, twin = np.random.default_rng(7), np.random.default_rng(7)
        first, second = root_seed(rng), root_seed(rng)
        assert first != second
        assert (first, second) == (root_seed(twin), root_seed(twin))
        assert rng.standard_normal() == np.random.default_rng(7).standard_normal()

    @pytest.mark.parametrize("rng", [True, 1.0, "7", [7], np.random.RandomState(7)])
    def test_other_kinds_are_refused(self, rng):
        with pytest.raises(TypeError, match="rng must be None, an integer >= 0"):
            root_seed(rng)

    def test_negative_seeds_are_refused(self):
        with pytest.raises(ValueError, match="rng must be an integer >= 0, got -1"):
            root_seed(-1)


class TestCellKey:
    def test_is_the_same_in_every_process_and_version(self):
        # Pinned: a change here changes every simulated number that was ever published.
        assert cell_key(GaussianRNN(64), [8, 16], "direct") == PINNED_KEY

    def test_depends_on_everything_that_is_simulated(self):
        keys = {
            cell_key(recurrence, depths, method)
            for recurrence in (
                GaussianRNN(64),
                GaussianLRU(64),
                GaussianRNN(65),
                GaussianRNN(64, "real"),
                GaussianRNN(64, gain=1.0 + 2.0**-52),
            )
            for depths in ([8], [16], [8, 16])
            for method in ("direct", "other")
        }
        assert len(keys) == 30

    def test_order_and_repetition_of_depths_do_not_matter(self):
        key = cell_key(GaussianRNN(64), [8, 16], "direct")
        assert cell_key(GaussianRNN(64), [16, 8, 16], "direct") == key

    def test_words_have_32_bits(self):
        assert all(0 <= word < 2**32 for word in cell_key(GaussianRNN(1), [0], "direct"))


class TestChunkStreams:
    def test_every_stream_is_different(self):
        draws = set()
        for seed in (0, 1):
            for key in ((1, 2, 3, 4), (1, 2, 3, 5)):
                for chunk in range(3):
                    streams = chunk_streams(seed, key, chunk)
                    draws.add(streams.weights.standard_normal())
                    draws.add(streams.inputs.standard_normal())
        assert len(draws) == 24

    def test_reproduces(self):
        first, second = (chunk_streams(3, (1, 2, 3, 4), 5) for _ in range(2))
        assert first.weights.standard_normal() == second.weights.standard_normal()
        assert first.inputs.standard_normal() == second.inputs.standard_normal()

    def test_chunk_size_is_fixed(self):
        assert CHUNK == 256
