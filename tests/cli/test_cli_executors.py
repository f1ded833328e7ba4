"""Executors of the command line: threads, processes, a Dask cluster, and their absence."""

import argparse
import json
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

from sigprop.cli import executors, main

SMALL = ["simulate", "--width", "16", "--depths", "2", "40", "--samples", "300", "--seed", "5"]


def options(**settings):
    chosen = {"executor": "none", "workers": None, "scheduler": None} | settings
    return argparse.Namespace(**chosen)


def cells(capsys, *arguments):
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)["cells"]


def test_each_kind_is_what_it_says():
    for kind, cls in (("threads", ThreadPoolExecutor), ("processes", ProcessPoolExecutor)):
        with executors.opened(options(executor=kind, workers=2)) as pool:
            assert isinstance(pool.executor, cls)
            assert pool.executor._max_workers == 2
        with pytest.raises(RuntimeError, match="after shutdown"):
            pool.executor.submit(int)
    with executors.opened(options()) as pool:
        assert pool.executor is None


def test_as_many_workers_as_processors():
    with executors.opened(options(executor="threads")) as pool:
        assert pool.executor._max_workers == executors._processors() >= 1


def test_processes_from_the_command_line(capsys):
    # In a process of its own, as an installed command: the workers import it again.
    command = [sys.executable, "-m", "sigprop", *SMALL, "--executor", "processes", "--json"]
    run = subprocess.run([*command, "--workers", "2"], capture_output=True, text=True, timeout=120)
    assert (run.returncode, run.stderr) == (0, "")
    assert json.loads(run.stdout)["cells"] == cells(capsys, *SMALL)


def test_a_dask_cluster_that_is_running(capsys, tmp_path):
    distributed = pytest.importorskip("distributed")
    expected = cells(capsys, *SMALL)
    assert "importance" in {cell["method"] for cell in expected}
    plain = cells(capsys, *SMALL, "--method", "direct")
    with distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=2,
        processes=False,
        protocol="tcp",
        host="127.0.0.1",
        dashboard_address=None,
    ) as cluster:
        dask = ["--executor", "dask", "--scheduler", cluster.scheduler_address]
        assert cells(capsys, *SMALL, *dask) == expected
        kept = [*SMALL, "--method", "direct", "--store", str(tmp_path / "a.db")]
        assert cells(capsys, *kept, *dask) == plain
        with executors.opened(options(executor="dask", scheduler=dask[-1])) as pool:
            assert pool.in_flight == 128


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--workers", "2"], "--workers is for --executor threads or processes"),
        (["--executor", "threads", "--workers", "0"], "--workers"),
        (["--executor", "dask"], "needs --scheduler"),
        (["--executor", "dask", "--scheduler", "here"], "must be an address with its port"),
        (["--executor", "threads", "--scheduler", "tcp://a:1"], "--scheduler is for --executor"),
        (["--executor", "gpu"], "--executor"),
    ],
)
def test_wrong_combinations_are_one_line(arguments, words, capsys):
    assert main([*SMALL, *arguments]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


def test_without_dask(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main([*SMALL, "--executor", "dask", "--scheduler", "tcp://127.0.0.1:1"]) == 2
    assert capsys.readouterr().err == (
        "sigprop simulate: --executor dask needs Dask: install sigprop[distributed]\n"
    )


def test_a_scheduler_that_does_not_answer(capsys, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(executors, "_CONNECTION", 0.5)
    assert main([*SMALL, "--executor", "dask", "--scheduler", "tcp://127.0.0.1:1"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("sigprop simulate: --scheduler tcp://127.0.0.1:1 does not answer: ")
    assert error.count("\n") == 1
