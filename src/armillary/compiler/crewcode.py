"""LLVM text of a crew: threads that share the pieces of a job with the thread that brings it.

Every member has its share of the pieces, the same from job to job, since its cache still holds
them; who is through helps the others, so a slow member holds nobody up.  Members wait for the next
job with their eyes open for a while, then they sleep.  Nothing here knows Python: a job runs with
the GIL free, and the threads never take it.
"""

from __future__ import annotations

import platform
from collections.abc import Iterator
from contextlib import contextmanager

from armillary.compiler.code import Code

AWAKE = 1_000_000  # ns that a member looks out for the next job before it sleeps
PATIENCE = 50_000  # ns that the caller looks out for the last piece before it sleeps


class Crew:
    """Fields of a crew, 8 bytes each; what several threads write stands 128 bytes apart."""

    BUSY = 0  # 1: somebody's job is on
    LAST = 1  # when rows were last done that might have been shared, ns
    REST = 2  # batches do not ask for help before that time, ns
    SPELL = 3  # length of the last rest, ns
    DONE = 16  # pieces that are finished
    FUNCTION = 32  # the job: void function(argument, piece, member)
    ARGUMENT = 33
    COUNT = 34  # of pieces
    MEMBERS = 35  # with the caller
    STOP = 48  # 1: the members go home
    SLEEPING = 49  # members that have to be woken
    WAITING = 50  # 1: the caller has to be woken
    STARTED = 51  # 1: threads were made
    WORKERS = 52  # how many
    MUTEX = 64
    WAKE = 80  # conditions
    END = 96
    SEATS = 112  # of the members, `Seat.SIZE` fields each; the first one is the caller's


class Seat:
    """Fields of a member."""

    LEFT = 0  # pieces of its share that nobody has taken yet
    CREW = 16
    NUMBER = 17  # 0: the caller
    THREAD = 18  # pthread_t
    SERVED = 19  # pieces it has done
    SIZE = 32


# C functions of the process: result and arguments
FUNCTIONS = {
    "pthread_create": ("i32", "ptr, ptr, ptr, ptr"),
    "pthread_join": ("i32", "i64, ptr"),
    "pthread_mutex_init": ("i32", "ptr, ptr"),
    "pthread_mutex_lock": ("i32", "ptr"),
    "pthread_mutex_unlock": ("i32", "ptr"),
    "pthread_cond_init": ("i32", "ptr, ptr"),
    "pthread_cond_wait": ("i32", "ptr, ptr"),
    "pthread_cond_broadcast": ("i32", "ptr"),
    "pthread_sigmask": ("i32", "i32, ptr, ptr"),
    "sigfillset": ("i32", "ptr"),
    "clock_gettime": ("i32", "i32, ptr"),
    "sched_yield": ("i32", ""),
}
_PAUSE = {"x86_64": "llvm.x86.sse2.pause()", "amd64": "llvm.x86.sse2.pause()",
          "aarch64": "llvm.aarch64.hint(i32 1)", "arm64": "llvm.aarch64.hint(i32 1)"}  # fmt: skip


def _pause() -> str | None:
    """The instruction that waits a moment, on processors that we know."""
    return _PAUSE.get(platform.machine().lower())


class CrewText(Code):
    """A function on a crew."""

    def __init__(self, name: str, *arguments: str):
        super().__init__(name, arguments)

    def at(self, field: int | str) -> str:
        return self.pointer("%crew", field)

    def seat(self, member: str) -> str:
        return self.at(self.add(self.mul(member, Seat.SIZE), Crew.SEATS))

    def look(self, place: int | str) -> str:
        """The number in a field, or at an address."""
        place = self.at(place) if isinstance(place, int) else place
        return self.let(f"load atomic i64, ptr {place} seq_cst, align 8")

    def show(self, place: int | str, value: str | int) -> None:
        place = self.at(place) if isinstance(place, int) else place
        self.do(f"store atomic i64 {value}, ptr {place} seq_cst, align 8")

    def count(self, field: int, step: int) -> str:
        """Add, and give what was there before."""
        return self.let(f"atomicrmw add ptr {self.at(field)}, i64 {step} seq_cst")

    def exchange(self, place: str, old: str | int, new: str | int) -> str:
        """Put `new` in the place of `old`; was that so?"""
        pair = self.let(f"cmpxchg ptr {place}, i64 {old}, i64 {new} seq_cst seq_cst, align 8")
        return self.let(f"extractvalue {{ i64, i1 }} {pair}, 1")

    def call(self, name: str, *arguments: str) -> str:
        return self.let(f"call {FUNCTIONS[name][0]} @armillary_{name}({', '.join(arguments)})")

    def now(self) -> str:
        return self.let("call i64 @now()")

    def differs(self, a: str, b: str | int) -> str:
        return self.let(f"icmp ne i64 {a}, {b}")

    def less(self, a: str, b: str | int) -> str:
        return self.let(f"icmp slt i64 {a}, {b}")

    def smaller(self, a: str, b: str | int) -> str:
        return self.let(f"select i1 {self.less(a, b)}, i64 {a}, i64 {b}")

    def divide(self, a: str, b: str | int) -> str:
        return self.let(f"sdiv i64 {a}, {b}")

    def edge(self, count: str, k: str, parts: str) -> str:
        """Where part k of `count` things begins, when they are shared out evenly."""
        return self.divide(self.mul(count, k), parts)

    def leave_if(self, condition: str, result: str = "void") -> None:
        rest = self.name()[1:]
        self.do(f"br i1 {condition}, label %leave_{rest}, label %stay_{rest}")
        self.do(f"leave_{rest}:")
        self.do(f"ret {result}")
        self.do(f"stay_{rest}:")

    @contextmanager
    def locked(self) -> Iterator[None]:
        self.call("pthread_mutex_lock", f"ptr {self.at(Crew.MUTEX)}")
        yield
        self.call("pthread_mutex_unlock", f"ptr {self.at(Crew.MUTEX)}")

    def wake(self, condition: int) -> None:
        """All who sleep there; the lock makes sure that nobody is just lying down."""
        with self.locked():
            pass
        self.call("pthread_cond_broadcast", f"ptr {self.at(condition)}")

    def sleep(self, condition: int) -> None:
        places = (f"ptr {self.at(condition)}", f"ptr {self.at(Crew.MUTEX)}")
        self.call("pthread_cond_wait", *places)

    @contextmanager
    def watching(self, longest: int) -> Iterator[str]:
        """Look again and again, at most so many ns; yields the tag for `break_if`."""
        end = self.add(self.now(), longest)
        turn = self.variable(0)
        with self.forever() as tag:
            yield tag
            if pause := _pause():
                self.do(f"call void @{pause}")
            self.set(turn, self.add(self.get(turn), 1))
            with self.when(self.equal(self.let(f"and i64 {self.get(turn)}, 63"), 0)):
                self.break_if(tag, self.less(end, self.now()))
                self.call("sched_yield")  # to whoever needs this core


def text(clock: int, set_mask: int) -> str:
    """All but batches (crewrows.py).  clock, set_mask: CLOCK_MONOTONIC and SIG_SETMASK here."""
    declared = [f"declare {result} @armillary_{name}({arguments})"
                for name, (result, arguments) in FUNCTIONS.items()]  # fmt: skip
    if pause := _pause():
        declared.append(f"declare void @{pause.replace('i32 1', 'i32')}")
    parts = [_now(clock), _begin(), _start(set_mask), _stop(), _work(), _worker(), _run_job(),
             _one(), _each()]  # fmt: skip
    return "\n\n".join([*declared, *parts])


def _now(clock: int) -> str:
    return f"""define i64 @now() {{
entry:
  %t = alloca [2 x i64]
  %r = call i32 @armillary_clock_gettime(i32 {clock}, ptr %t)
  %s = load i64, ptr %t
  %p = getelementptr i64, ptr %t, i64 1
  %n = load i64, ptr %p
  %m = mul i64 %s, 1000000000
  %x = add i64 %m, %n
  ret i64 %x
}}"""


def _begin() -> str:
    """A crew without threads: a new one, or the copy of one in a forked process."""
    c = CrewText("begin", "ptr %crew")
    for field in (Crew.LAST, Crew.REST, Crew.SPELL, Crew.DONE, Crew.STOP, Crew.SLEEPING,
                  Crew.WAITING, Crew.STARTED, Crew.WORKERS):  # fmt: skip
        c.show(field, 0)
    with c.loop(c.read("%crew", Crew.MEMBERS)) as k:
        c.show(c.seat(k), 0)
    c.call("pthread_mutex_init", f"ptr {c.at(Crew.MUTEX)}", "ptr null")
    for condition in (Crew.WAKE, Crew.END):
        c.call("pthread_cond_init", f"ptr {c.at(condition)}", "ptr null")
    c.show(Crew.BUSY, 0)
    return c.text()


def _start(set_mask: int) -> str:
    """Make the threads.  They take no signals: those are for the threads of Python."""
    c = CrewText("start", "ptr %crew")
    masks = [c.name(), c.name()]
    for mask in masks:
        c.lines.insert(2, f"{mask} = alloca [16 x i64]")
    c.call("sigfillset", f"ptr {masks[0]}")
    with c.locked():
        c.call("pthread_sigmask", f"i32 {set_mask}", f"ptr {masks[0]}", f"ptr {masks[1]}")
        with c.when(c.equal(c.look(Crew.STOP), 0)), c.loop(c.read("%crew", Crew.MEMBERS), 1):
            member = c.add(c.look(Crew.WORKERS), 1)
            seat = c.seat(member)
            c.write(seat, Seat.CREW, "%crew", "ptr")
            c.write(seat, Seat.NUMBER, member)
            c.write(seat, Seat.SERVED, "0")
            place = f"ptr {c.pointer(seat, Seat.THREAD)}"
            no = c.call("pthread_create", place, "ptr null", "ptr @worker", f"ptr {seat}")
            with c.when(c.let(f"icmp eq i32 {no}, 0")):  # else the system gives no more
                c.show(Crew.WORKERS, member)
        c.call("pthread_sigmask", f"i32 {set_mask}", f"ptr {masks[1]}", "ptr null")
        c.show(Crew.STARTED, 1)
    return c.text()


def _stop() -> str:
    """Send the threads home and wait until they have gone.  Jobs that come later, or go on, are
    done by their callers alone."""
    c = CrewText("stop", "ptr %crew")
    with c.locked():
        c.show(Crew.STOP, 1)
    c.wake(Crew.WAKE)
    with c.loop(c.add(c.look(Crew.WORKERS), 1), 1) as k:
        c.call("pthread_join", f"i64 {c.read(c.seat(k), Seat.THREAD)}", "ptr null")
    c.show(Crew.WORKERS, 0)
    return c.text()


def _work() -> str:
    """Take pieces and do them, one's own first, as long as there are any.

    A piece that was taken keeps its job alive: what is read of the job then belongs to it."""
    c = CrewText("work", "ptr %crew", "i64 %member")
    members = c.read("%crew", Crew.MEMBERS)
    own, aboard = c.seat("%member"), c.let("icmp ne i64 %member, 0")
    with c.loop(c.add(members, "%member"), "%member") as k:
        whose = c.let(f"urem i64 {k}, {members}")
        share = c.seat(whose)
        with c.forever() as loop:
            left = c.look(share)
            c.break_if(loop, c.equal(left, 0))
            with c.when(c.exchange(share, left, c.sub(left, 1))):
                count = c.read("%crew", Crew.COUNT)
                piece = c.sub(c.edge(count, c.add(whose, 1), members), left)
                function = c.read("%crew", Crew.FUNCTION, "ptr")
                argument = c.read("%crew", Crew.ARGUMENT, "ptr")
                c.do(f"call void {function}(ptr {argument}, i64 {piece}, i64 %member)")
                c.write(own, Seat.SERVED, c.add(c.read(own, Seat.SERVED), 1))
                done = c.add(c.count(Crew.DONE, 1), 1)
                with c.when(c.equal(done, count)), c.when(c.differs(c.look(Crew.WAITING), 0)):
                    c.wake(Crew.END)
                gone = c.differs(c.look(Crew.STOP), 0)
                c.leave_if(c.let(f"and i1 {aboard}, {gone}"))
    return c.text()


def _worker() -> str:
    """The life of a thread."""
    c = CrewText("worker", "ptr %seat")
    c.lines[0] = c.lines[0].replace("define void", "define ptr", 1)
    c.do(f"%crew = load ptr, ptr {c.pointer('%seat', Seat.CREW)}")
    number = c.read("%seat", Seat.NUMBER)
    with c.forever():
        with c.watching(AWAKE) as tag:
            c.leave_if(c.differs(c.look(Crew.STOP), 0), "ptr null")
            c.break_if(tag, c.differs(c.look("%seat"), 0))
        with c.when(c.equal(c.look("%seat"), 0)), c.locked():
            c.count(Crew.SLEEPING, 1)
            with c.forever() as tag:
                called = c.let(f"or i64 {c.look('%seat')}, {c.look(Crew.STOP)}")
                c.break_if(tag, c.differs(called, 0))
                c.sleep(Crew.WAKE)
            c.count(Crew.SLEEPING, -1)
        c.do(f"call void @work(ptr %crew, i64 {number})")
    c.do("unreachable")
    c.do("}")
    return "\n".join(c.lines)


def _run_job() -> str:
    """Do all pieces with the crew, which the caller has taken (`BUSY`)."""
    c = CrewText("run_job", "ptr %crew", "ptr %function", "ptr %argument", "i64 %count")
    with c.when(c.equal(c.look(Crew.STARTED), 0)):
        c.do("call void @start(ptr %crew)")
    c.write("%crew", Crew.FUNCTION, "%function", "ptr")
    c.write("%crew", Crew.ARGUMENT, "%argument", "ptr")
    c.write("%crew", Crew.COUNT, "%count")
    c.show(Crew.DONE, 0)
    members = c.read("%crew", Crew.MEMBERS)
    with c.loop(members) as k:
        first, last = (c.edge("%count", n, members) for n in (k, c.add(k, 1)))
        c.show(c.seat(k), c.sub(last, first))
    with c.when(c.differs(c.look(Crew.SLEEPING), 0)):
        c.wake(Crew.WAKE)
    c.do("call void @work(ptr %crew, i64 0)")
    with c.watching(PATIENCE) as tag:
        c.break_if(tag, c.equal(c.look(Crew.DONE), "%count"))
    with c.when(c.differs(c.look(Crew.DONE), "%count")):
        c.show(Crew.WAITING, 1)
        with c.locked(), c.forever() as tag:
            c.break_if(tag, c.equal(c.look(Crew.DONE), "%count"))
            c.sleep(Crew.END)
        c.show(Crew.WAITING, 0)
    return c.text()


_LIST = 3  # (crew, function, count), then the arguments


def _one() -> str:
    c = CrewText("one", "ptr %list", "i64 %k", "i64 %member")
    argument = c.read("%list", c.add("%k", _LIST), "ptr")
    c.do(f"call void {c.read('%list', 1, 'ptr')}(ptr {argument})")
    return c.text()


def _each() -> str:
    """One function on every argument of a list."""
    c = CrewText("each", "ptr %list")
    c.do("%crew = load ptr, ptr %list")
    count = c.read("%list", 2)
    free = c.exchange(c.at(Crew.BUSY), 0, 1)
    with c.when(free):
        c.do(f"call void @run_job(ptr %crew, ptr @one, ptr %list, i64 {count})")
        c.show(Crew.BUSY, 0)
    c.leave_if(free)
    with c.loop(count) as k:
        c.do(f"call void @one(ptr %list, i64 {k}, i64 0)")
    return c.text()
