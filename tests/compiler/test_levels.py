"""Code that is made quickly and code that runs fast: the same bits.

The text says where multiplications and additions are fused, and nothing in it lets LLVM reorder
arithmetic: its level can change the time of an answer, never the answer."""

import numpy as np
import pytest

import armillary as am
from armillary.codegen import jit
from armillary.errors import InputError

CLOSED = ("four-bar", "bricard")


def answers(name, **options):
    """Single states, batches, closed equations, implicit steps and a run with many events."""
    arm = am.example(name).compile(**options)
    q, v = np.array(arm.initial), np.linspace(0.1, 0.4, arm.nv)
    tau = np.linspace(-1.0, 2.0, arm.nv)
    if name in CLOSED:
        q, v = arm.project(q, v)
    Q, V, T = (np.repeat(x[None], 9, axis=0) for x in (q, v, tau))
    yield arm.forward_dynamics(q, v, tau)
    yield arm.forward_dynamics(Q, V, T)
    yield arm.mass_matrix(q)
    yield arm.solve(q, v, tau).acceleration
    for method in ("rk4", "implicit"):
        yield am.simulate(arm, q, v, duration=0.02, step=1e-3, method=method).q


@pytest.mark.parametrize("tier", [1, 2])
@pytest.mark.parametrize("name", ("stanford", *CLOSED))
def test_quick_and_fast_code_give_the_same_bits(name, tier, shipped_code):
    fast = list(answers(name, tier=tier))
    quick = list(answers(name, tier=tier, optimize=0))
    for one, other in zip(fast, quick, strict=True):
        assert np.array_equal(one, other)


def test_what_is_asked_for_is_made(shipped_code, monkeypatch):
    """Every piece of a mechanism's own code is generated at the level of its options."""
    seen = []
    level_of = jit.level_of
    monkeypatch.setattr(jit, "level_of", lambda *a: seen.append(a) or level_of(*a))
    arm = am.example("two-link").replace(gravity=(0.1, 0.2, 0.3))
    arm.compile(optimize=0).forward_dynamics([0.1, 0.2], [0, 0], [0, 0])
    assert any(quick for _, quick in seen)
    assert level_of(0, True) == level_of(2, True) == (0, 0)
    assert level_of(0, False) != level_of(0, True)


@pytest.mark.parametrize("level", [1, 2, "0", True, 0.0])
def test_other_levels_are_refused(level):
    with pytest.raises(InputError, match=r"optimize: expected 0 .* or None .*, found"):
        am.example("two-link").compile(optimize=level)
