"""`armillary sim`: the laboratory at the keyboard, in a pipe or from a script."""

from __future__ import annotations

import io
import shlex
import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO

import numpy as np

from armillary.cli import screen
from armillary.cli.laboratory.laboratory import SAMPLE, Laboratory, Progress, Value
from armillary.cli.laboratory.lines import Lines, Script, keyboard
from armillary.cli.laboratory.variables import VARIABLES, VECTOR
from armillary.errors import ArmillaryError, InputError
from armillary.formats.files import read_text
from armillary.mechanism import example, example_names

PROMPT = "sim> "
INTRO = (
    "Armillary's arm laboratory. `help` lists the commands, `help NAME` explains one; "
    "`NAME = value ...` sets a variable, `NAME` shows it, `quit` ends."
)


class Quit(Exception):  # noqa: N818 - no error
    """The end of the session."""


class Shell:
    """Commands of the laboratory; `failed` counts those that were refused."""

    def __init__(
        self,
        laboratory: Laboratory,
        lines: Lines,
        progress: Callable[[], AbstractContextManager[Progress | None]] | None = None,
    ):
        self.laboratory, self.lines, self.progress = laboratory, lines, progress
        self.failed = 0
        self.output: IO[str] | None = None

    # -- lines ---------------------------------------------------------------------------------

    def session(self) -> bool:
        """Line by line until the end; was everything obeyed?  At a keyboard, faults are talk."""
        try:
            while self._next():
                pass
        finally:
            _close_output_file(self, [])
        return self.lines.typed or not self.failed

    def _next(self) -> bool:
        """Whether the session goes on after one line more."""
        try:
            return self.obey(self.lines.read(PROMPT, completed=True))
        except EOFError:
            return False
        except KeyboardInterrupt:  # the line is given up, not the session
            print()
            return self.lines.typed

    def obey(self, line: str) -> bool:
        """One line; errors are reported, and nothing is lost by them.  Does the session go on?"""
        try:
            self._obeyed(line.split("#")[0].strip())
            return True
        except Quit:
            return False
        except ArmillaryError as fault:
            screen.complain(fault.message)
        except OSError as fault:
            screen.complain(f"{fault.strerror or fault}: {fault.filename or ''}".rstrip(": "))
        except KeyboardInterrupt:
            screen.complain("interrupted")
        self.failed += 1
        return self.lines.typed  # a script ends at its first fault

    def _obeyed(self, line: str) -> None:
        if not line:
            return
        name, equals, value = line.partition("=")
        if equals and len(name.split()) == 1 and name.strip() not in COMMANDS:
            self.laboratory.set(name.strip(), value.replace(",", " ").split())
            return
        try:
            word, *rest = shlex.split(line)
        except ValueError as fault:
            raise InputError(f"this line cannot be read: {fault}.") from None
        if word in COMMANDS:
            COMMANDS[word][0](self, rest)
        elif word not in VARIABLES:
            raise InputError(f"unknown command or variable '{word}'. `help` lists what there is.")
        elif rest:
            raise InputError(f"to set it: {word} = {' '.join(rest)}")
        else:
            self.say(self.line_of(word))

    def ask(self, question: str, default: str = "") -> str:
        """An answer from the keyboard, or the next line of a script."""
        try:
            answer = self.lines.read(f"{question} [{default}] " if default else f"{question} ")
        except EOFError:
            raise InputError(f"the input ended at the question: {question}") from None
        return answer.strip() or default

    def agreed(self, question: str, default: str) -> bool:
        answer = self.ask(question, default).lower()
        if answer not in ("y", "yes", "n", "no"):
            raise InputError(f"expected yes or no, found '{answer}'.")
        return answer.startswith("y")

    def say(self, text: str) -> None:
        print(text, file=self.output or sys.stdout)

    def line_of(self, name: str) -> str:
        value, unit = self.laboratory.shown(name)
        text = _text(value, int(str(self.laboratory.values["digits"])))
        return f"{name} = {text}" + (f"  [{unit}]" if unit else "")


def completions(line: str) -> tuple[int, Iterable[str]]:
    """What the last word of a line may become, and how many of its characters that replaces."""
    before, _, last = line.rpartition(" ")
    head = before.split()[0] if before.split() else ""
    if not head or head == "help":
        known: Iterable[str] = (*COMMANDS, *VARIABLES)
    elif head in VARIABLES:
        known = VARIABLES[head].choices
    else:
        _, equals, path = last.partition("=")
        if equals or head in _FILES:
            last = path if equals else last
            known = (*(example_names() if head == "database_read" else ()), *_files(last))
        else:
            known = _OPTIONS.get(head, ())
    return len(last), [name for name in known if name.startswith(last)]


def _files(start: str) -> list[str]:
    """What is in the folder of a path that is begun."""
    folder = Path(start if start.endswith("/") else start.rpartition("/")[0] or ".")
    prefix = start.rpartition("/")[0] + "/" if "/" in start else ""
    names = sorted(folder.iterdir()) if folder.is_dir() else []
    return [f"{prefix}{path.name}{'/' if path.is_dir() else ''}" for path in names]


# -- commands ------------------------------------------------------------------------------------


def _options(words: list[str], known: tuple[str, ...]) -> dict[str, str]:
    """key=value words, and flags."""
    found = {}
    for word in words:
        key, equals, value = word.partition("=")
        if key not in known:
            raise InputError(f"unknown option '{word}'. Known: {', '.join(known)}.")
        found[key] = value if equals else "yes"
    return found


def _inverse_arm(shell: Shell, words: list[str]) -> None:
    given = _options(words, _OPTIONS["inverse_arm"])
    lab = shell.laboratory
    if "file" not in given:
        lab.inverse_arm()
        shell.say(shell.line_of("torque"))
        shell.say(shell.line_of("voltage"))
        return
    torque, voltage = lab.inverse_arm_of_file(given["file"])
    labels = lab.arm.v_labels
    head = ",".join([*(f"torque.{x}" for x in labels), *(f"voltage.{x}" for x in labels)])
    lines = [head, *(",".join(repr(float(x)) for x in row) for row in np.hstack([torque, voltage]))]
    if "out" in given:
        _write(given["out"], "\n".join(lines) + "\n")
        shell.say(f"{len(torque)} data sets written to {given['out']} (N m, V)")
    else:
        shell.say("\n".join(lines))


def _forward_arm(shell: Shell, words: list[str]) -> None:
    _options(words, ())
    shell.laboratory.forward_arm()
    shell.say(shell.line_of("alpha"))


def _simulate(shell: Shell, words: list[str]) -> None:
    given, lab = _options(words, _OPTIONS["simulate"]), shell.laboratory
    if given:
        new, zero = "continue" not in given or "new" in given, "zero" in given
        schedule, steps = given.get("schedule"), given.get("steps")
        if (schedule is None) == (steps is None):
            raise InputError("simulate: give steps=NUMBER or schedule=FILE, one of them.")
    else:
        new = lab.run is None or shell.agreed("Start a new simulation?", "yes")
        zero = shell.agreed("Set theta and omega to zero first?", "no")
        schedule = steps = None
        if shell.agreed("Use a voltage schedule file?", "no"):
            schedule = shell.ask("Its name?")
        else:
            steps = shell.ask("Number of time steps?", "1000")
    count = None
    if steps is not None:
        if not steps.isdigit():
            raise InputError(f"steps: expected a whole number, found '{steps}'.")
        count = int(steps)
    if shell.progress is None:
        run = lab.simulate(new, zero, schedule, count)
    else:
        with shell.progress() as tell:
            run = lab.simulate(new, zero, schedule, count, tell)
    advice = lab.time_constants()
    if float(lab.values["step"]) > advice.smallest:
        screen.note(
            f"the step {lab.values['step']:g} s is above the smallest time constant "
            f"{advice.smallest:.3g} s: do not trust the numbers. Suggested: {advice.step:.2g} s"
        )
    shell.say(f"simulated until {float(run.time[-1]):g} s in steps of {lab.values['step']:g} s")
    for name in ("theta", "omega"):
        shell.say(shell.line_of(name))
    if not run.complete:
        raise InputError(f"{run.message}. What was simulated is kept.")


def _print_simulation(shell: Shell, words: list[str]) -> None:
    lab = shell.laboratory
    run = lab.simulated()
    given = _options(words, _OPTIONS["print_simulation"])
    if not given:
        for key, default in (("start", "0"), ("finish", f"{run.time[-1]:g}"), ("step", "0.1")):
            given[key] = shell.ask(f"{key} [s]?", default)
    start, finish = _seconds(given, "start", 0.0), _seconds(given, "finish", np.inf)
    step = _seconds(given, "step", 0.0)
    unit = lab.values["angles"]
    names = [f"{x}[{unit}{y}]" for y in ("", "/s", "/s2") for x in lab.arm.v_labels]
    shell.say("time[s] " + " ".join(names))
    scale = np.degrees if unit == "deg" else np.asarray
    due = start
    for t, *vectors in zip(run.time, run.q, run.v, run.a, strict=True):
        if due - 1e-9 <= t <= finish + 1e-9:
            numbers = " ".join(f"{x:.9g}" for v in vectors for x in scale(v))
            shell.say(f"{t:.9g} {numbers}")
            due = t + step if step > 0 else t


def _seconds(given: dict[str, str], key: str, default: float) -> float:
    text = given.get(key)
    try:
        return default if text is None else float(text)
    except ValueError:
        raise InputError(
            f"print_simulation: expected a number of seconds for {key}, found '{text}'. It asks "
            f"for start, finish and step; or say them on its line: print_simulation step=0.1"
        ) from None


def _plot_simulation(shell: Shell, words: list[str]) -> None:
    path = words[0] if words else "simulation.png"
    shell.laboratory.simulated().plot("q", "v", "voltage", path=path)
    shell.say(f"drawn in {path}")


def _write_graphic_file(shell: Shell, words: list[str]) -> None:
    path = words[0] if words else shell.ask("Its name?", "simulation.nc")
    shell.laboratory.simulated().save(path, overwrite=True)
    shell.say(f"written to {path}; `armillary animate {path}` plays it")


def _open_output_file(shell: Shell, words: list[str]) -> None:
    path = words[0] if words else shell.ask("Its name?")
    if not path:
        raise InputError("open_output_file: expected the name of a file.")
    _close_output_file(shell, [])
    shell.output = Path(path).open("w", encoding="utf-8")  # noqa: SIM115 - open until told


def _close_output_file(shell: Shell, words: list[str]) -> None:
    if shell.output is not None:
        shell.output.close()
    shell.output = None


def _database_read(shell: Shell, words: list[str]) -> None:
    name = words[0] if words else shell.ask("Name of the arm or of its file?", SAMPLE)
    arm = shell.laboratory.database_read(name)
    shell.say(f"'{arm.name}': {arm.nv} joints ({', '.join(arm.v_labels)})")


def _time_constants(shell: Shell, words: list[str]) -> None:
    _options(words, ())
    shell.say(str(shell.laboratory.time_constants()))


def _help(shell: Shell, words: list[str]) -> None:
    for word in words:
        if word in COMMANDS:
            options = _OPTIONS.get(word, ())
            more = f"  Options on its line: {', '.join(options)}." if options else ""
            shell.say(f"{word}: {COMMANDS[word][1]}{more}")
        elif word in VARIABLES:
            variable = VARIABLES[word]
            unit = f" [{variable.unit}]" if variable.unit else ""
            many = ", one number for each joint" if variable.kind == VECTOR else ""
            shell.say(f"{word}{unit}: {variable.about}{many}. {shell.line_of(word)}")
        else:
            raise InputError(f"no command or variable '{word}'.")
    if not words:
        shell.say("commands:  " + ", ".join(COMMANDS))
        shell.say("variables: " + ", ".join(VARIABLES))


def _quit(shell: Shell, words: list[str]) -> None:
    raise Quit


_OPTIONS = {
    "inverse_arm": ("file", "out"),
    "simulate": ("new", "continue", "zero", "schedule", "steps"),
    "print_simulation": ("start", "finish", "step"),
}
_FILES = ("database_read", "plot_simulation", "write_graphic_file", "open_output_file")
Command = tuple[Callable[[Shell, list[str]], None], str]
COMMANDS: dict[str, Command] = {
    "inverse_arm": (_inverse_arm, "torque and voltage of theta, omega and alpha; of many data sets "
                    "with file=FILE (rows: theta, omega, alpha), to out=FILE."),
    "forward_arm": (_forward_arm, "alpha of theta, omega and voltage."),
    "simulate": (_simulate, "motion under the constant voltage (steps=NUMBER) or a schedule "
                 "of voltages (schedule=FILE, one row per DACTimePeriod); asks if not told."),
    "print_simulation": (_print_simulation, "the simulation as a table: start=, finish=, step=."),
    "plot_simulation": (_plot_simulation, "the simulation as a picture: FILE.png, .pdf or .svg."),
    "write_graphic_file": (_write_graphic_file, "a recording that `armillary animate` plays."),
    "open_output_file": (_open_output_file, "what is printed goes to a file from now on."),
    "close_output_file": (_close_output_file, "what is printed goes to the screen again."),
    "database_read": (_database_read, "another arm: a file, or the name of a built-in one."),
    "time_constants": (_time_constants, "the smallest mechanical time constant of arm and motors "
                       "at theta, and the step that it suggests."),
    "help": (_help, "what there is, or what a command or variable is for."),
    "quit": (_quit, "leave the laboratory."),
}  # fmt: skip


def _text(value: Value, digits: int) -> str:
    if isinstance(value, np.ndarray):
        seen = 1e-13 * np.abs(value).max(initial=0.0)  # less is rounding of the largest number
        return " ".join(f"{x:.{digits}g}" for x in np.where(np.abs(value) > seen, value, 0.0))
    return value if isinstance(value, str) else f"{value:.{digits}g}"


def _write(path: str, text: str) -> None:
    Path(path).write_text(text, encoding="utf-8")


def run(model: str | None, script: Path | None) -> bool:
    """A session; was everything obeyed?"""
    laboratory = Laboratory(example(SAMPLE))
    if model is not None:
        laboratory.database_read(model)
    if script is not None:
        return Shell(laboratory, Script(io.StringIO(read_text(script)))).session()
    if not sys.stdin.isatty():
        return Shell(laboratory, Script(sys.stdin)).session()
    from armillary.cli.simulating import progress_bar

    shell = Shell(laboratory, keyboard(completions), progress_bar)
    screen.say(INTRO)
    return shell.session()
