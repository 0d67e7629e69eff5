"""One run in the native loop and step by step in Python."""

import numpy as np
import pytest

import armillary as am
from armillary.sim.loop import loop, native


def both(*arguments, inside=True, rounding=1e-12, **options):
    """The native run, compared with the one in Python, and the number of native steps.
    inside: no part may be asked in Python on the way.  rounding: of 1 + the largest number."""
    taken, advance = [], native.NativeLoop.advance

    def counted(self, *rest):
        assert not (inside and (self._asks or self._calls)), "not all runs inside"
        stretch = advance(self, *rest)
        taken.append(stretch.done)
        return stretch

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native.NativeLoop, "advance", counted)
        fast = am.simulate(*arguments, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop.Loop, "_native", lambda *_: None)
        plain = am.simulate(*arguments, **options)
    assert np.array_equal(fast.time, plain.time) and fast.events == plain.events
    for name in fast.labels:
        size = 1.0 + np.abs(plain[name]).max()
        np.testing.assert_allclose(fast[name], plain[name], atol=rounding * size, rtol=0)
    return fast, sum(taken)
