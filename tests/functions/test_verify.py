"""New code of forward dynamics is tried against the interpreter before anybody relies on it."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

import armillary as am
from armillary.errors import CompileError
from armillary.evaluate import verify
from armillary.evaluate.kernel import Kernel
from armillary.evaluate.request import CompileOptions
from armillary.model.elements.world import Drag
from samples import opposed_axes, random_model, structured_model

CLOSED = ("four-bar", "stewart", "two-wheeled-cart", "differential")


def ask(mechanism, rows=None):
    q, zero = np.array(mechanism.initial), np.zeros(mechanism.nv)
    if rows:
        q, zero = np.tile(q, (rows, 1)), np.zeros((rows, mechanism.nv))
    return mechanism.forward_dynamics(q, zero, zero)


@pytest.fixture
def forgetful(monkeypatch):
    """Nothing is remembered of earlier processes."""
    monkeypatch.setattr(verify, "remembered", lambda name, what, find: find())


@pytest.fixture
def off_by_a_little(monkeypatch):
    """Program of one double whose last result is one part in a hundred too large."""
    call = Kernel.call

    def wrong(self, inputs, strides, outputs, rows, *rest):
        call(self, inputs, strides, outputs, rows, *rest)
        outputs[0][..., -1] *= 1.01

    return lambda: monkeypatch.setattr(Kernel, "call", wrong)


@pytest.mark.parametrize("tier", [1, 2])
@pytest.mark.parametrize("rows", [None, 20])
def test_a_wrong_acceleration_of_a_tree_is_an_error(tier, rows, forgetful, off_by_a_little):
    mechanism = am.Mechanism(opposed_axes(), CompileOptions(tier=tier))
    off_by_a_little()
    for _ in range(2):  # every time, not once
        with pytest.raises(CompileError, match=r"opposed-axes.*contradicts the interpreter"):
            ask(mechanism, rows)


@pytest.mark.parametrize("name", CLOSED)
def test_a_wrong_acceleration_of_a_closed_mechanism_is_an_error(name, forgetful, off_by_a_little):
    mechanism = am.example(name)
    _ = mechanism.mobility()  # everything else is compiled before it goes wrong
    mechanism.project(mechanism.initial, np.zeros(mechanism.nv))
    ask(am.example(name))
    off_by_a_little()
    with pytest.raises(CompileError, match="contradicts the interpreter"):
        ask(mechanism)


@pytest.mark.parametrize("seed", range(4))
def test_sound_code_passes(seed, forgetful):
    """Every joint type, friction and rotors, right angles, light bodies on heavy ones."""
    for model in (
        random_model(seed, bodies=5, passive=True),
        structured_model(seed, bodies=4),
        random_model(seed, ("revolute",), 5, masses=(1e-6, 1e4)),
    ):
        mechanism = am.Mechanism(model, CompileOptions(tier=1))
        assert np.isfinite(ask(mechanism)).all()


def test_long_chains_are_tried_on_their_first_bodies(forgetful, off_by_a_little):
    chain = random_model(1, ("revolute", "prismatic"), verify._MOST + 40, branching=0.02)
    mechanism = am.Mechanism(chain)
    assert np.isfinite(ask(mechanism)).all()
    off_by_a_little()
    with pytest.raises(CompileError, match="contradicts"):
        ask(am.Mechanism(chain))


def test_of_many_force_elements_some_of_every_kind_are_tried(forgetful, monkeypatch):
    """Laws that are wrong in loops are found, the rare one, too, and not all elements are tried."""
    b = am.Builder("rails")
    for k in range(4):
        b.body(f"cart{k}", joint="prismatic", axis="x", at=(k, 0, 0), mass=1.0 + k)
    for k in range(2 * verify._MOST):
        b.spring(f"s{k}", f"cart{k % 4}", f"cart{(k + 1) % 4}", stiffness=2.0 + k, rest=0.5)
    b.drag("drag", "cart3", linear=1.0)
    model = b.build().model
    tried = []
    run = verify.joint_forces

    def counted(tables, *state):
        tried.append([type(x.law).__name__ for x in tables.elements])
        return run(tables, *state)

    monkeypatch.setattr(verify, "joint_forces", counted)
    kinds, compiled = [], verify.compiled
    note = lambda e, kernels, kernel, given: (  # noqa: E731
        kinds.append(kernel.code.kind) or compiled(e, kernels, kernel, given)
    )
    monkeypatch.setattr(verify, "compiled", note)
    assert np.isfinite(ask(am.Mechanism(model, CompileOptions(budget=1800)))).all()
    assert kinds == ["loop"]  # though fewer elements would fit into straight-line code
    tried.clear()
    assert np.isfinite(ask(am.Mechanism(model, CompileOptions(tier=1)))).all()
    assert tried and all(len(set(laws)) == 2 and len(laws) <= verify._MOST for laws in tried)
    act = Drag.act
    monkeypatch.setattr(Drag, "act", lambda law, ends: None)  # the interpreter has none
    with pytest.raises(CompileError, match="contradicts"):
        ask(am.Mechanism(model, CompileOptions(tier=1)))
    monkeypatch.setattr(Drag, "act", act)
    tried.clear()
    ask(am.Mechanism(model, CompileOptions(tier=2)))  # in a row every one has code of its own
    assert {len(laws) for laws in tried} == {2 * verify._MOST + 1}


def test_the_shortcut_that_was_wrong_is_found(tmp_path):
    """A half turn taken for a turn about z: code whose structure lies, in a process of its own."""
    script = """
        import armillary as am, armillary.spatial.vector as vector
        from samples import opposed_axes

        kept = vector._kept_axis
        vector._kept_axis = lambda R: None if kept(R) is None else 1
        arm = am.Mechanism(opposed_axes())
        try:
            arm.forward_dynamics([0.1, 0.2, 0.3], [0, 0, 0], [0, 0, 0])
        except am.CompileError as error:
            print(error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True, text=True, timeout=600, check=True,
        env={"XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": ":".join(p for p in sys.path if p)},
    )  # fmt: skip
    assert "contradicts the interpreter" in done.stdout


def test_closed_at_a_singular_place_alone(forgetful):
    """A bead on a line, held by a rod across it: the row moves nothing where it is closed, and
    Newton's law is what is left.  No reason to doubt the code."""
    b = am.Builder("bead")
    b.body("bead", joint="prismatic", axis="x", mass=2.0)
    b.distance("rod", am.Frame("", "world", am.Pose((0.0, 0.0, 1.0))), "bead", 1.0)
    m = b.build()
    assert m.forward_dynamics([0.0], [0.0], [3.0]) == pytest.approx([1.5], rel=1e-12)
    assert m.solve([0.0], [0.0], [3.0]).acceleration == pytest.approx([1.5], rel=1e-12)


def test_what_was_found_is_remembered_beside_the_code(tmp_path, monkeypatch):
    """The second mechanism of the same numbers is not tried again; one of others is."""
    from armillary.codegen.cache import Cache

    monkeypatch.setattr("armillary.codegen.cache.default_cache", lambda: Cache(tmp_path))
    # nothing is remembered of source that is hardly older than this process, as in a fresh clone
    monkeypatch.setattr("armillary.evaluate.fingerprint.fingerprint", lambda: "this source")
    monkeypatch.setattr("armillary.codegen.cache.unchanged", lambda: True)
    tried, residual = [], verify._tree_residual
    monkeypatch.setattr(
        verify, "_tree_residual", lambda owner, *rest: tried.append(1) or residual(owner, *rest)
    )
    for count in (1, 1):
        ask(am.Mechanism(opposed_axes()))
        assert len(tried) == count
    ask(am.Mechanism(random_model(3)))
    assert len(tried) == 2
