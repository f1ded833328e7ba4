"""Where simulations run: here, on threads, on processes, or on a Dask cluster."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import multiprocessing
import os
import re
import signal
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any, NamedTuple

from sigprop.cli import options

EXECUTORS = ("none", "threads", "processes", "dask")

_ADDRESS = re.compile(r"(tcp|tls|ucx|ws|wss)://\S+:[0-9]+|inproc://\S+")

_CONNECTION = 10  # seconds to wait for the scheduler
_LEAST_IN_FLIGHT = 128  # chunks given to a cluster whose workers may still be starting


class Pool(NamedTuple):
    """An executor, None for this process, and how many chunks it is given at a time."""

    executor: Executor | None
    in_flight: int | None = None


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--executor``, ``--workers`` and ``--scheduler``."""
    parser.add_argument(
        "--executor",
        choices=EXECUTORS,
        default="none",
        help="where to run; never changes the result (default: none, this process)",
    )
    parser.add_argument(
        "--workers",
        type=options.exact_integer(1, 1024),
        metavar="N",
        help="number of threads or processes (default: one for each processor)",
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="scheduler of a Dask cluster that is running, such as tcp://10.0.0.1:8786",
    )


def check(arguments: argparse.Namespace) -> None:
    """Raise ValueError if the options contradict one another."""
    kind = arguments.executor
    if arguments.workers is not None and kind not in ("threads", "processes"):
        raise ValueError(f"--workers is for --executor threads or processes, got --executor {kind}")
    if arguments.scheduler is not None and kind != "dask":
        raise ValueError(f"--scheduler is for --executor dask, got --executor {kind}")
    if kind == "dask" and arguments.scheduler is None:
        raise ValueError(
            "--executor dask needs --scheduler, the address of a running cluster such as "
            "tcp://10.0.0.1:8786"
        )
    if arguments.scheduler is not None and not _ADDRESS.fullmatch(arguments.scheduler):
        raise ValueError(
            "--scheduler must be an address with its port such as tcp://10.0.0.1:8786, "
            f"got {arguments.scheduler!r}"
        )


@contextlib.contextmanager
def opened(arguments: argparse.Namespace) -> Iterator[Pool]:
    """Give the executor that the options ask for, and shut it down at the end.

    Raises
    ------
    ValueError
        If Dask is missing.
    OSError
        If the scheduler does not answer.
    """
    workers = arguments.workers or _processors()
    if arguments.executor == "threads":
        with ThreadPoolExecutor(workers) as threads:
            yield Pool(threads)
    elif arguments.executor == "processes":
        # Spawned: a forked copy of a process with threads (a progress bar's, for one) may hang.
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(workers, context, _die_at_interrupt) as processes:
            yield Pool(processes)
    elif arguments.executor == "dask":
        with _cluster(arguments.scheduler) as pool:
            yield pool
    else:
        yield Pool(None)


def _processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _die_at_interrupt() -> None:
    """Let a worker end without a word when the terminal interrupts the whole group."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextlib.contextmanager
def _cluster(address: str) -> Iterator[Pool]:
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError as error:
        raise ValueError("--executor dask needs Dask: install sigprop[distributed]") from error
    try:
        client = distributed.Client(address, timeout=_CONNECTION, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise OSError(f"--scheduler {address} does not answer: {error}") from error
    with client, client.get_executor() as executor:
        threads = sum(client.nthreads().values())
        yield Pool(executor, max(_LEAST_IN_FLIGHT, 2 * threads))
