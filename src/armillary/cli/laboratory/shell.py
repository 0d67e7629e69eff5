"""`armillary sim`: the laboratory at the keyboard, in a pipe or from a script."""

from __future__ import annotations

import io
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, TypeVar

import numpy as np

from armillary.cli import screen
from armillary.cli.laboratory.laboratory import SAMPLE, Laboratory, Progress, Value
from armillary.cli.laboratory.lines import Lines, Script, keyboard
from armillary.cli.laboratory.replies import file_name, seconds, steps, yes
from armillary.cli.laboratory.tables import instants, screen_tables, whole_table, without_rounding
from armillary.cli.laboratory.variables import VARIABLES, VECTOR
from armillary.cli.signals import VOLTAGE
from armillary.errors import ArmillaryError, InputError
from armillary.formats.files import read_text, write_text
from armillary.mechanism import example, example_names

PROMPT = "sim> "
PAGE = 100  # columns
LONGEST = 65536  # characters of a line
PRINTED = {"theta": "q", "omega": "v", "alpha": "a", "torque": "tau", "voltage": "voltage"}
OVERWRITE = "overwrite"  # on the line of a command that writes
Answer = TypeVar("Answer")
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
            self.close()
        return self.lines.typed or not self.failed

    def close(self) -> None:
        """The output file; what cannot be written is told."""
        file, self.output = self.output, None
        if file is None:
            return
        try:
            file.close()
        except OSError as fault:
            self.failed += 1
            screen.complain(f"{file.name}: {fault.strerror or fault}. It is not whole.")

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
            screen.complain(f"{fault.filename or 'standard output'}: {fault.strerror or fault}")
        except KeyboardInterrupt:
            screen.complain("interrupted")
        self.failed += 1
        return self.lines.typed  # a script ends at its first fault

    def _obeyed(self, line: str) -> None:
        if not line:
            return
        if len(line) > LONGEST:
            raise InputError(
                f"a line of {len(line)} characters; at most {LONGEST} are read. Many numbers go "
                f"into files: `help simulate`, `help inverse_arm`."
            )
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
            raise InputError(
                f"unknown command or variable '{word:.60}'. `help` lists what there is."
            )
        elif rest:
            raise InputError(f"to set it: {word} = {' '.join(rest)}")
        else:
            self.say(self.line_of(word))

    def ask(self, question: str, default: str, read: Callable[[str], Answer]) -> Answer:
        """An answer from the keyboard, or the next line of a script.  At the keyboard one that
        cannot be (`read` refuses it) is asked for again: nothing that was said before is lost."""
        while True:
            try:
                given = self.lines.read(f"{question} [{default}] " if default else f"{question} ")
            except EOFError:
                raise InputError(f"the input ended at the question: {question}") from None
            try:
                return read(given.strip() or default)
            except ArmillaryError as fault:
                if not self.lines.typed:
                    raise
                screen.complain(f"{fault.message} Ctrl-C gives the command up.")

    def agreed(self, question: str, default: str) -> bool:
        return self.ask(question, default, yes)

    def place(self, command: str, path: str, words: dict[str, str]) -> str:
        """Where to write; what is there already is replaced on request."""
        if OVERWRITE in words or not Path(path).is_file():
            return path
        if not self.lines.typed:
            raise InputError(
                f"{path}: the file exists already. Choose another name, or say "
                f"`{command} ... {OVERWRITE}`."
            )
        if not self.agreed(f"'{path}' exists already. Replace it?", "no"):
            raise InputError(f"{path}: not replaced. Say the command with another name.")
        return path

    def say(self, text: str) -> None:
        if self.output is None:
            print(text)
            return
        try:
            print(text, file=self.output, flush=True)
        except OSError as fault:
            name = self.output.name
            self.output = None
            raise InputError(
                f"{name}: {fault.strerror or fault}. What is printed goes to the screen again."
            ) from None

    def line_of(self, name: str) -> str:
        value, unit = self.laboratory.shown(name)
        text = _text(value, self.laboratory.digits)
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
            what = f"Known: {', '.join(known)}" if known else "Here are none"
            raise InputError(f"unknown option '{word:.60}'. {what}.")
        found[key] = value if equals else "yes"
    return found


def _path(words: list[str]) -> tuple[str, dict[str, str]]:
    """The name of a file, where one is given, and what else is said."""
    path = words[0] if words and words[0] != OVERWRITE else ""
    return path, _options(words[1:] if path else words, (OVERWRITE,))


def _inverse_arm(shell: Shell, words: list[str]) -> None:
    given = _options(words, _OPTIONS["inverse_arm"])
    lab = shell.laboratory
    if "file" not in given:
        if given:
            raise InputError(f"inverse_arm: '{next(iter(given))}' goes with file=FILE.")
        lab.inverse_arm()
        shell.say(shell.line_of("torque"))
        shell.say(shell.line_of("voltage"))
        return
    torque, voltage = lab.inverse_arm_of_file(given["file"])
    labels, period = lab.arm.v_labels, float(lab.values["DACTimePeriod"])
    head = ["time", *(f"torque.{x}" for x in labels), *(f"{VOLTAGE}{x}" for x in labels)]
    numbers = np.column_stack([period * np.arange(len(torque)), torque, voltage])
    lines = [",".join(head), *(",".join(repr(float(x)) for x in row) for row in numbers)]
    if "out" in given:
        place = shell.place("inverse_arm", given["out"], given)
        write_text("\n".join(lines) + "\n", place, overwrite=True)
        shell.say(f"{len(torque)} data sets written to {place} (s, N m, V)")
    else:
        shell.say("\n".join(lines))


def _forward_arm(shell: Shell, words: list[str]) -> None:
    _options(words, ())
    shell.laboratory.forward_arm()
    shell.say(shell.line_of("alpha"))


def _simulate(shell: Shell, words: list[str]) -> None:
    given, lab = _options(words, _OPTIONS["simulate"]), shell.laboratory
    schedule, count = given.get("schedule"), None
    if given:
        new, zero = "continue" not in given, "zero" in given
        if "new" in given and not new:
            raise InputError("simulate: say new or continue, one of them.")
        if (schedule is None) == ("steps" not in given):
            raise InputError("simulate: give steps=NUMBER or schedule=FILE, one of them.")
        count = steps(given["steps"]) if schedule is None else None
    else:
        new = lab.run is None or shell.agreed("Start a new simulation?", "yes")
        zero = shell.agreed("Set theta and omega to zero first?", "no")
        if shell.agreed("Use a voltage schedule file?", "no"):
            schedule = shell.ask("Its name?", "", lambda name: lab.schedule(name) and name)
        else:
            count = shell.ask("Number of time steps?", "1000", steps)
    _advise(lab, zero)
    if shell.progress is None:
        run = lab.simulate(new, zero, schedule, count)
    else:
        with shell.progress() as tell:
            run = lab.simulate(new, zero, schedule, count, tell)
    shell.say(f"simulated until {float(run.time[-1]):g} s in steps of {lab.values['step']:g} s")
    for name in ("theta", "omega"):
        shell.say(shell.line_of(name))
    if not run.complete:
        raise InputError(f"{run.message}. What was simulated is kept.")


def _advise(lab: Laboratory, zero: bool) -> None:
    """Of a step that is longer than 1/15 of the smallest time constant where the motion begins."""
    advice, step = lab.time_constants(zero), float(lab.values["step"])
    if step <= advice.step * (1.0 + 1e-9):
        return
    late = "above the" if step > advice.smallest else f"{step / advice.smallest:.2g} of the"
    trust = ": do not trust the numbers" if step > advice.smallest else ""
    screen.note(
        f"the step {step:g} s is {late} smallest time constant {advice.smallest:.3g} s{trust}. "
        f"Suggested is 1/15 of it: step = {advice.step:.2g}"
    )


def _print_simulation(shell: Shell, words: list[str]) -> None:
    lab, given = shell.laboratory, _options(words, _OPTIONS["print_simulation"])
    run = lab.simulated()
    begin, end = float(run.time[0]), float(run.time[-1])
    asked = {"start": seconds("start", begin, end), "finish": seconds("finish", begin, end),
             "step": seconds("step", 0.0)}  # fmt: skip
    default = {"start": f"{begin:g}", "finish": f"{end:.12g}", "step": "0.1" if not given else "0"}
    start, finish, step = (
        read(given.get(key, default[key]))
        if given
        else shell.ask(f"{key} [s]?", default[key], read)
        for key, read in asked.items()
    )
    if finish < start:
        raise InputError(f"print_simulation: finish {finish:g} s lies before start {start:g} s.")
    chosen = instants(run.time, start, finish, step)
    parts = []
    for name, column in PRINTED.items():
        values, unit = lab.in_units(name, run[column][chosen])
        parts.append((name, unit, without_rounding(values)))
    table = (run.time[chosen], parts, lab.arm.v_labels, lambda x: _text(x, lab.digits))
    if shell.output is not None:
        shell.say("\n".join(whole_table(*table)))
        return
    for line in screen_tables(*table, _width()):
        shell.say(line)


def _width() -> int:
    """Of the screen; of a pipe that of a page."""
    return shutil.get_terminal_size((PAGE, 24)).columns if sys.stdout.isatty() else PAGE


def _plot_simulation(shell: Shell, words: list[str]) -> None:
    (path, given), run = _path(words), shell.laboratory.simulated()
    path = shell.place("plot_simulation", path or "simulation.png", given)
    run.plot("q", "v", "voltage", path=path)
    shell.say(f"drawn in {path}")


def _write_graphic_file(shell: Shell, words: list[str]) -> None:
    (path, given), run = _path(words), shell.laboratory.simulated()
    path = path or shell.ask("Its name?", "simulation.nc", file_name)
    run.save(shell.place("write_graphic_file", path, given), overwrite=True)
    shell.say(f"written to {path}; `armillary animate {path}` plays it")


def _open_output_file(shell: Shell, words: list[str]) -> None:
    path, given = _path(words)
    path = shell.place("open_output_file", path or shell.ask("Its name?", "", file_name), given)
    shell.close()
    shell.output = Path(path).open("w", encoding="utf-8")  # noqa: SIM115 - open until told


def _close_output_file(shell: Shell, words: list[str]) -> None:
    _options(words, ())
    shell.close()


def _database_read(shell: Shell, words: list[str]) -> None:
    name = words[0] if words else ""
    read = shell.laboratory.database_read
    arm = read(name) if name else shell.ask("Name of the arm or of its file?", SAMPLE, read)
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
    "inverse_arm": ("file", "out", OVERWRITE),
    "simulate": ("new", "continue", "zero", "schedule", "steps"),
    "print_simulation": ("start", "finish", "step"),
    **dict.fromkeys(("plot_simulation", "write_graphic_file", "open_output_file"), (OVERWRITE,)),
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
        return " ".join(f"{x:.{digits}g}" for x in without_rounding(value))
    return value if isinstance(value, str) else f"{value:.{digits}g}"


def run(model: str | None, script: Path | None) -> bool:
    """A session; was everything obeyed?"""
    laboratory = Laboratory(example(SAMPLE))
    if model is not None:
        laboratory.database_read(model)
    if script is not None:
        return Shell(laboratory, Script(io.StringIO(read_text(script)))).session()
    if sys.stdin is None:
        raise InputError("there is no input to read from, it is closed. Give --script FILE.")
    if not sys.stdin.isatty():
        return Shell(laboratory, Script(sys.stdin)).session()
    from armillary.cli.simulating import progress_bar

    shell = Shell(laboratory, keyboard(completions), progress_bar)
    screen.say(INTRO)
    return shell.session()
