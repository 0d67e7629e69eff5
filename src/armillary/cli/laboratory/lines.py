"""Where the laboratory's lines come from: a script or a pipe, or somebody at the keyboard.

The keyboard is read with prompt_toolkit (extra `shell`): editing, history, completion.  Without it
lines are read as they come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from typing import IO, Protocol

from armillary.cli import screen
from armillary.errors import InputError

# of a line up to the cursor: how many characters are replaced, and by what
Completions = Callable[[str], tuple[int, Iterable[str]]]


class Lines(Protocol):
    """One line after the other; EOFError where there is none."""

    typed: bool  # somebody sits there: faults do not end the session

    def read(self, prompt: str, completed: bool = False) -> str:
        """prompt: shown to people; completed: names are completed with Tab."""
        ...


class Script:
    """The lines of a file or a pipe."""

    typed = False

    def __init__(self, source: IO[str]):
        self.source = source

    def read(self, prompt: str, completed: bool = False) -> str:
        try:
            line = self.source.readline()
        except UnicodeDecodeError as fault:
            raise InputError(f"a line of the input is no UTF-8 text ({fault.reason}).") from None
        if not line:
            raise EOFError
        return line


class PlainKeyboard:
    """Lines as the terminal gives them."""

    typed = True

    def read(self, prompt: str, completed: bool = False) -> str:
        return input(prompt)


class Keyboard:
    """Lines that are edited, completed and remembered by prompt_toolkit."""

    typed = True

    def __init__(self, completions: Completions):
        from prompt_toolkit import PromptSession
        from prompt_toolkit.completion import CompleteEvent, Completer, Completion
        from prompt_toolkit.document import Document

        class Names(Completer):
            def get_completions(
                self, document: Document, event: CompleteEvent
            ) -> Iterator[Completion]:
                length, found = completions(document.text_before_cursor)
                for text in found:
                    yield Completion(text, start_position=-length)

        self.commands: PromptSession[str] = PromptSession(completer=Names())
        self.answers: PromptSession[str] = PromptSession()  # these are no commands to remember

    def read(self, prompt: str, completed: bool = False) -> str:
        session = self.commands if completed else self.answers
        return session.prompt(prompt, complete_while_typing=False)


def keyboard(completions: Completions) -> Lines:
    """The best there is on this machine."""
    if find_spec("prompt_toolkit") is not None:
        return Keyboard(completions)
    screen.note("history and completion with Tab come with: pip install 'armillary[shell]'")
    return PlainKeyboard()
