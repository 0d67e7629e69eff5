"""Where the chunks of a study are done: in this process, in others of this machine, or by the
workers of a dask cluster.  Each gives chunks as they are finished, in any order."""

from __future__ import annotations

import json
import multiprocessing
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from armillary.errors import InputError, how_to_install
from armillary.sim.loop.experiment_text import made_here
from armillary.studies.store import Chunk
from armillary.studies.work import Work, do_chunk

_TRIES = 3  # of a chunk whose worker dies
PATIENCE = 60.0  # s that a scheduler may be away
_ANSWER = 10.0  # s that it may take to answer


def chunks_here(work: Work, numbers: Sequence[int]) -> Iterator[Chunk]:
    """In this process, one after the other."""
    for number in numbers:
        yield work.do(number)


def _text(work: Work, where: str) -> str:
    """The definition for workers; what no text can hold cannot go to them."""
    missing = (*work.experiment.missing, *work.experiment.plain[1])
    definition = work.definition()
    if missing or "\nmissing:" in definition["experiment"]:
        what = "; ".join(missing) or "functions of the model"
        raise InputError(
            f"{where}: the experiment cannot be sent to other processes: {what}. Use executor="
            f"'here', or parts of the library in their place."
        )
    return json.dumps(definition)


def chunks_of_processes(work: Work, numbers: Sequence[int], count: int) -> Iterator[Chunk]:
    """In `count` processes of this machine.  A chunk whose process dies is given to another."""
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise InputError(f"processes: expected a whole number from 1 on, found {count!r}.")
    text, version = _text(work, "processes"), made_here("")["armillary"]
    left, tries = list(numbers), dict.fromkeys(numbers, 0)
    while left:
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(count, mp_context=context)
        try:
            for chunk in _pooled(pool, text, version, left, 2 * count):
                left.remove(chunk.number)
                yield chunk
        except BrokenProcessPool:
            for number in left[: 2 * count]:
                tries[number] += 1
                if tries[number] >= _TRIES:
                    raise InputError(
                        f"chunk {number} has ended the process that did it {_TRIES} times: too "
                        f"little memory? Take a smaller chunk=."
                    ) from None
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _pooled(
    pool: ProcessPoolExecutor, text: str, version: str, numbers: Sequence[int], ahead: int
) -> Iterator[Chunk]:
    """A few chunks ahead of what is finished, so that memory stays bounded."""
    waiting = iter(list(numbers))
    running: set[Future[Chunk]] = set()
    while True:
        for number in waiting:
            running.add(pool.submit(do_chunk, text, number, version))
            if len(running) >= ahead:
                break
        if not running:
            return
        done, running = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            yield future.result()


def chunks_of_cluster(
    work: Work, numbers: Sequence[int], scheduler: str, patience: float = PATIENCE
) -> Iterator[Chunk]:
    """By the workers of a dask cluster.  scheduler: "tcp://host:8786", or the path of a scheduler
    file.  A worker that is lost gives its chunks back; a scheduler that comes back within
    `patience` (s) is asked again for what is missing."""
    try:
        import distributed
    except ImportError:
        raise InputError(
            f"cluster: 'distributed' is missing. {how_to_install('cluster')}"
        ) from None
    text, version = _text(work, "cluster"), made_here("")["armillary"]
    left, gone = list(numbers), None
    while left:
        try:
            with _client(distributed, scheduler, min(_ANSWER, patience)) as client:
                gone = None
                for chunk in _asked(distributed, client, text, version, left):
                    left.remove(chunk.number)
                    yield chunk
        except _lost() as fault:
            gone = gone or time.monotonic()
            if time.monotonic() - gone > patience:
                raise InputError(
                    f"cluster: the scheduler '{scheduler}' does not answer ({fault}). What is "
                    f"finished is kept; go on with resume=True (--resume)."
                ) from None
            time.sleep(min(0.5, patience))


def _client(distributed: Any, scheduler: str, timeout: float) -> Any:
    options = {"set_as_default": False, "timeout": timeout}
    if os.path.isfile(scheduler):
        return distributed.Client(scheduler_file=scheduler, **options)
    if "://" not in scheduler:
        raise InputError(
            f"scheduler: expected 'tcp://host:port' or a scheduler file, found '{scheduler}'."
        )
    return distributed.Client(scheduler, **options)


def _lost() -> tuple[type[BaseException], ...]:
    """What a client raises when its scheduler is gone, or has forgotten its work."""
    from concurrent.futures import CancelledError
    from concurrent.futures import TimeoutError as Late

    return OSError, TimeoutError, CancelledError, Late


def _asked(
    distributed: Any, client: Any, text: str, version: str, numbers: Sequence[int]
) -> Iterator[Chunk]:
    """A few chunks for every thread of the cluster at a time."""
    waiting = iter(list(numbers))

    def ahead() -> int:
        return max(2, 2 * sum(client.nthreads().values()))

    def begun() -> Iterator[Any]:
        for number in waiting:
            yield client.submit(do_chunk, text, number, version, pure=False, retries=2)

    source = begun()
    first = [x for _, x in zip(range(ahead()), source, strict=False)]
    queue = distributed.as_completed(first, loop=client.loop)
    for future in queue:
        try:
            chunk: Chunk = future.result()
        except distributed.KilledWorker as fault:
            raise InputError(
                f"cluster: a chunk has ended every worker that did it: too little memory? Take a "
                f"smaller chunk=. ({fault})"
            ) from None
        more = next(source, None)
        if more is not None:
            queue.add(more)
        future.release()
        yield chunk
