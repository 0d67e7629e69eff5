"""`armillary sim` at a pseudo-terminal: keys as they are typed, Ctrl-C by its key."""

import os
import re
import select
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "openpty"), reason="no pseudo-terminals here")

# the terminal becomes the one that sends Ctrl-C (a shell in the background ignores it, and hands
# that on)
PROGRAM = """
import fcntl, signal, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.modules.update({})
from armillary.cli import main
main()
"""
WITHOUT_EXTRA = PROGRAM.replace("update({})", "update({'prompt_toolkit': None})")
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x1b\][^\x07]*\x07")
PROMPT = "sim>"
TAB, UP, CTRL_C, CTRL_D = "\t", "\x1b[A", "\x03", "\x04"


class Terminal:
    """Somebody at the keyboard, who reads what is on the screen."""

    def __init__(self, folder, program=PROGRAM):
        self.keyboard, terminal = os.openpty()
        # a cursor that is never asked where it is: nobody here answers
        quiet = {"TERM": "xterm", "COLUMNS": "200", "PROMPT_TOOLKIT_NO_CPR": "1"}
        source = {"PYTHONPATH": os.pathsep.join(sys.path)}
        self.program = subprocess.Popen(
            [sys.executable, "-c", program, "sim", "six-r"],
            stdin=terminal, stdout=terminal, stderr=terminal, close_fds=True, cwd=folder,
            start_new_session=True, env=os.environ | source | quiet,
        )  # fmt: skip
        os.close(terminal)
        self.seen = ""

    def until(self, word: str, seconds: float = 240.0) -> str:
        """What is seen before that word; the word is then behind us."""
        end = time.monotonic() + seconds
        while word not in self.seen:
            assert time.monotonic() < end, f"no {word!r} in {self.seen!r}"
            if select.select([self.keyboard], [], [], 0.2)[0]:
                text = os.read(self.keyboard, 65536).decode(errors="replace")
                self.seen = ESCAPES.sub("", self.seen + text)
        head, _, self.seen = self.seen.partition(word)
        return head

    def type(self, text: str) -> None:
        os.write(self.keyboard, text.replace("\n", "\r").encode())

    def say(self, line: str, answer: str | None = None) -> None:
        """Type a line at the prompt; wait for what is answered."""
        self.until(PROMPT)
        self.type(f"{line}\n")
        if answer is not None:
            self.until(answer)

    def complete(self, start: str, rest: str, answer: str) -> None:
        """Type the beginning of a line and Tab, wait for the rest, and send it."""
        self.until(PROMPT)
        self.type(start)
        self.until(start)
        self.type(TAB)
        self.until(rest)
        self.type("\n")
        self.until(answer)

    def close(self) -> None:
        self.program.kill()
        self.program.wait()
        os.close(self.keyboard)


@pytest.fixture
def terminal(tmp_path):
    pytest.importorskip("prompt_toolkit")
    opened = Terminal(tmp_path)
    yield opened
    opened.close()


def test_typing_completion_and_history(terminal):
    terminal.say("theta = 0.5 0 0 0 0 0")
    terminal.complete("DACO", "ut", "DACOut = 0 0 0 0 0 0  [")
    terminal.complete("help forw", "ard_arm", "forward_arm: alpha of theta, omega and voltage")
    terminal.complete("database_read dire", "ct-drive", "'direct-drive': 6 joints")
    terminal.complete("database_read six-", "r", "'six-r': 6 joints")
    terminal.say("theta = 0.25 0 0 0 0 0")
    terminal.say("theta", "theta = 0.25 0 0 0 0 0  [")
    terminal.say(UP, "theta = 0.25 0 0 0 0 0  [")  # the line before, again
    terminal.until(PROMPT)
    terminal.type(f"theta = 9 9 9 9 9{CTRL_C}")  # a line that is given up
    terminal.say("theta", "theta = 0.25 0 0 0 0 0  [")
    terminal.until(PROMPT)
    terminal.type(CTRL_D)
    assert terminal.program.wait(timeout=120) == 0


def test_faults_lose_nothing(terminal, tmp_path):
    (tmp_path / "broken.yaml").write_text("armillary: 1\nbodies:\n  arm: {parent: nobody}\n")
    (tmp_path / "narrow.csv").write_text("1 2 3 4 5 6\n1 2 3\n")
    terminal.say("theta = 0.5 0 0 0 0 0")
    terminal.say("theta = 1 2", "theta: expected 6 numbers, one for each joint (6); found 2")
    terminal.say("nonsense", "unknown command or variable 'nonsense'")
    terminal.say("database_read nowhere.yaml", "there is no such file")
    terminal.say("database_read broken.yaml", "broken.yaml")
    terminal.say("simulate schedule=narrow.csv", "narrow.csv:2: expected 6 finite numbers")
    terminal.say("simulate", "Set theta and omega to zero first? [no]")
    terminal.type(CTRL_D)  # the end of the input, at a question
    terminal.until("the input ended at the question: Set theta and omega to zero first?")
    terminal.say("simulate", "Set theta and omega to zero first? [no]")
    terminal.type(CTRL_C)  # and second thoughts
    terminal.until("interrupted")
    terminal.say("theta", "theta = 0.5 0 0 0 0 0  [")
    terminal.say("simulate", "Set theta and omega to zero first? [no]")
    terminal.type("\n")
    terminal.until("Use a voltage schedule file? [no]")
    terminal.type("\n")
    terminal.until("Number of time steps? [1000]")
    terminal.type("20\n")
    terminal.until("until 0.02 s")
    terminal.say("quit")
    assert terminal.program.wait(timeout=120) == 0
    assert "Traceback" not in terminal.seen


def test_a_long_simulation_is_interrupted_and_kept(terminal):
    terminal.say("theta = 0.5 0 0 0 0 0")
    terminal.say("simulate steps=20", "until 0.02 s")  # its code is there from now on
    terminal.say("simulate continue steps=8000000", "of 8")  # the bar moves
    time.sleep(1.0)
    terminal.type(CTRL_C)
    reached = re.search(r"until (\S+) s", terminal.until("What was simulated is kept"))
    assert reached and float(reached[1]) > 0.02
    terminal.say("print_simulation start=0.01 step=100", "0.01 ")  # from the first run
    terminal.say("theta", "theta = ")
    assert not terminal.until("[rad]").startswith("0.5 0")
    terminal.say("quit")
    assert terminal.program.wait(timeout=120) == 0


def test_without_the_extra(tmp_path):
    """Lines as the terminal gives them, and a word about what would make them better."""
    terminal = Terminal(tmp_path, WITHOUT_EXTRA)
    try:
        terminal.until("pip install 'armillary[shell]'")
        terminal.say("theta = 0.5 0 0 0 0 0")
        terminal.say("theta = 1 2", "expected 6 numbers")
        terminal.say("theta", "theta = 0.5 0 0 0 0 0  [")
        terminal.until(PROMPT)
        terminal.type(CTRL_D)
        assert terminal.program.wait(timeout=120) == 0
    finally:
        terminal.close()
