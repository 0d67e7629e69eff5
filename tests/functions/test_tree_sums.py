"""Sums on the way to the root: their places, and loop kernels of bushy trees that use them."""

import random
from dataclasses import replace

import numpy as np
import pytest

import armillary as am
from armillary.algorithms.passes import Outward
from armillary.algorithms.tree.energy import energy
from armillary.algorithms.tree.forward_dynamics import forward_dynamics
from armillary.algorithms.tree.inverse_dynamics import inverse_dynamics
from armillary.algorithms.tree.mass_matrix import mass_matrix
from armillary.evaluate.body_code import layout_of
from armillary.evaluate.path_sums import sums_of
from armillary.evaluate.request import Request


def random_parents(seed: int) -> list[int]:
    rng, count = random.Random(seed), seed % 17
    reach = rng.choice([1, 2, 5, 20])
    return [rng.randrange(max(-1, k - reach), k) for k in range(count)]


@pytest.mark.parametrize("seed", range(120))
def test_every_body_gets_the_sum_of_its_children(seed):
    """Walked with numbers in as many places as there are: a place that is given away too early, or
    not cleared, spoils a sum."""
    parents = random_parents(seed)
    sums = sums_of(parents)
    memory = [0.0] + [np.nan] * (sums.count - 1)
    total = [0.0] * len(parents)
    for k in reversed(range(len(parents))):
        given = memory[sums.parent[k]] if parents[k] >= 0 and not sums.first[k] else 0.0
        if parents[k] >= 0:
            assert sums.parent[k] not in (0, sums.own[k])
            memory[sums.parent[k]] = given + 2.0**k  # before its own sum is read
        total[k] = memory[sums.own[k]]
    for k in range(len(parents)):
        assert total[k] == sum(2.0**c for c, p in enumerate(parents) if p == k)


def test_a_chain_needs_two_places_and_zeros():
    assert sums_of([-1, *range(99)]).count == 3
    assert sums_of([]).count == 1


def test_what_is_summed_apart():
    """Sums that are taken in the pass that makes them, and no others."""
    for algorithm, names in ((forward_dynamics, {"I_A", "p_A"}), (inverse_dynamics, {"f"}),
                             (mass_matrix, {"I_C"})):  # fmt: skip
        layout = layout_of(Request(algorithm, algorithm.reads))
        assert set(layout.sums) == names
        assert not layout.added
        assert not names & set(layout.offsets)
    layout = layout_of(Request(energy, energy.reads))  # the ground takes them, after the walk
    assert layout.added
    assert not layout.sums

    def read(b, p, j):
        b.seen = p.f

    passes = (*inverse_dynamics.passes, Outward(read))
    # children look at the sum of their parent
    late = replace(inverse_dynamics, name="late", passes=passes)
    layout = layout_of(Request(late, late.reads))
    assert layout.added == {"f"}
    assert not layout.sums


def bush(seed: int) -> am.Mechanism:
    rng = np.random.default_rng(seed)
    builder = am.Builder(f"bush {seed}")
    for k, parent in enumerate(random_parents(17 * seed + 13)):
        kind = ("revolute", "prismatic", "spherical")[rng.integers(3)]
        builder.body(
            f"b{k}", "world" if parent < 0 else f"b{parent}", kind,
            rng.uniform(-0.3, 0.3, 3).tolist(), rng.uniform(-3, 3, 3).tolist(),
            mass=rng.uniform(0.5, 2.0), com=rng.uniform(-0.1, 0.1, 3).tolist(),
            inertia=(*rng.uniform(0.010, 0.014, 3), *rng.uniform(-1e-3, 1e-3, 3)),
        )  # fmt: skip
    return builder.build()


@pytest.mark.parametrize("seed", range(4))
def test_bushy_trees_in_loops(seed):
    """Loop kernels against straight-line code, which has no records; one state and batches; and
    forward(inverse) = identity."""
    mechanism = bush(seed)
    loops, straight = mechanism.compile(tier=1), mechanism.compile(tier=2)
    rng = np.random.default_rng(seed)
    v, a = rng.normal(size=(2, 6, mechanism.nv))
    q = mechanism.integrate(np.tile(mechanism.neutral(), (6, 1)), rng.normal(size=v.shape))
    tau = straight.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(loops.inverse_dynamics(q, v, a), tau, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(loops.forward_dynamics(q, v, tau), a, rtol=1e-9, atol=1e-9)
    M = straight.mass_matrix(q)
    np.testing.assert_allclose(loops.mass_matrix(q), M, rtol=1e-11, atol=1e-12)
    for k in range(3):
        found = loops.forward_dynamics(q[k], v[k], tau[k])
        np.testing.assert_allclose(found, a[k], rtol=1e-9, atol=1e-9)
