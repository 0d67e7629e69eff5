"""What compilation leaves out to be quick changes no bit, and leaves nothing switched off."""

import gc
from weakref import WeakValueDictionary

import numpy as np
import pytest

import armillary as am
from armillary.codegen.cache import Cache
from armillary.graph.expr import growing


def answers(mechanism, q, v, tau):
    """Of one state and of a batch, with rows of zeros among them (the first column of dq)."""
    for state in ((q[0], v[0], tau[0]), (q, v, tau)):
        yield mechanism.forward_dynamics(*state)
        yield mechanism.mass_matrix(state[0])
        if mechanism.model.constraints == ():
            yield mechanism.forward_dynamics.derivatives(*state).dq


@pytest.mark.parametrize("name", ["two-link", "stanford", "four-bar"])
def test_simple_cleaning_gives_the_bits_of_llvms_usual_one(name, tmp_path, monkeypatch):
    monkeypatch.setattr("armillary.codegen.jit.default_cache", lambda: Cache(tmp_path))
    # no code that other mechanisms of these structures hold in this process
    monkeypatch.setattr("armillary.codegen.jit._shared", WeakValueDictionary())
    q = np.tile(am.example(name).initial, (33, 1))
    rng = np.random.default_rng(5)
    v, tau = rng.uniform(-1.0, 1.0, (2, 33, am.example(name).nv))
    found = []
    for level in (0, 1):
        monkeypatch.setattr("armillary.evaluate.straight_code._OPTIMIZE", level)
        found.append(list(answers(am.example(name), q, v, tau)))
    assert len(list(tmp_path.iterdir())) > 4  # objects of both levels
    for quick, usual in zip(*found, strict=True):
        assert np.array_equal(quick, usual)


def test_the_collector_is_as_it_was():
    """Behind a graph, and behind one that fails; switched off by a user it stays so."""
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError), growing():
        assert not gc.isenabled()
        _ = 1 / 0
    assert gc.isenabled()
    gc.disable()
    try:
        with growing():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
