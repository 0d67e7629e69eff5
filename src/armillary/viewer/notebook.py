"""What a notebook shows of a mechanism and of a run, without being asked."""

from __future__ import annotations

import base64

from armillary.errors import ArmillaryError
from armillary.mechanism import Mechanism
from armillary.shown import as_html
from armillary.sim.record.run_data import RunData
from armillary.viewer.sketch.display import Picture

_MOST = 60  # bodies that a small sketch can show


def mechanism_html(mechanism: Mechanism) -> str:
    """The text of a mechanism beside its sketch."""
    text = as_html(mechanism)
    if len(mechanism.bodies) > _MOST:
        return text
    try:
        picture = mechanism.draw(size=(420.0, 315.0))
    except ArmillaryError:  # a start that is not finite, say: the text says enough
        return text
    return _beside(text, picture)


def run_html(run: RunData) -> str:
    """What a run holds, and sketches of a few of its instants."""
    text = as_html(run)
    try:
        return _beside(text, run.draw(overlay=True, size=(420.0, 315.0)))  # type: ignore[operator]
    except ArmillaryError:  # no positions, or no mechanism
        return text


def _beside(text: str, picture: Picture) -> str:
    image = base64.b64encode(picture.svg.encode()).decode()
    return (
        '<div style="display:flex;flex-wrap:wrap;gap:1em;align-items:flex-start">'
        f'<img alt="sketch" src="data:image/svg+xml;base64,{image}"><div>{text}</div></div>'
    )
