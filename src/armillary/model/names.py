"""Names that a reader of them can tell apart: visible characters and spaces, composed."""

from __future__ import annotations

import unicodedata

from armillary.errors import ModelError, composed

# letters and marks that show nothing, beside what Python calls not printable
_BLANK = (
    *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x2800, 0x3164),
    *(*range(0xFE00, 0xFE10), 0xFFA0, *range(0xE0100, 0xE01F0)),
)
_UNSEEN = frozenset(map(chr, _BLANK))


def name_fault(name: str) -> str | None:
    """Why two names may look the same or one may look like another, with the cure; or None.

    Blanks at its ends.  Characters without a look of their own: controls, bidirectional marks,
    blanks other than the space, fillers.  And letters written as a base and a separate accent where
    Unicode has one character for both (form NFC, Unicode Standard Annex 15)."""
    if name != name.strip():
        return "its name begins or ends with a blank, which nobody sees. Leave it out."
    if name.isascii() and name.isprintable():
        return None
    for place, c in enumerate(name):
        if c in _UNSEEN or not c.isprintable():
            return (
                f"character {place + 1} of its name cannot be seen (U+{ord(c):04X}, "
                f"{unicodedata.name(c, 'without a name')}). Leave it out, or write what it means "
                f"with characters that can: a name is made of these and of spaces."
            )
    if composed(name) != name:
        return (
            f"its name is spelled {name!a}; {composed(name)!a} looks the same and is the "
            f"composed spelling. Write that: unicodedata.normalize('NFC', text), of the name or of "
            f"a whole file, gives it."
        )
    return None


def check_name(kind: str, name: object) -> None:
    """A name of a part that can be read."""
    if not isinstance(name, str):
        raise ModelError(f"{kind}: its name is a text, found {name!r:.60}.")
    if fault := name_fault(name):
        raise ModelError(f"{kind} '{name}': {fault}")
