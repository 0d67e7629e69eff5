"""Force elements in sketches, scenes, pages and reports: where they are, and how strong."""

import numpy as np
import pytest
from pages import FLAGS, chromium

import armillary as am
from armillary.errors import ModelError
from armillary.viewer.pack import unpacked
from armillary.viewer.scene import living_scene, mechanism_scene, run_scene

KINDS = {
    "strut": ("spring", "damper"),
    "coil": ("spring",),
    "dash": ("damper",),
    "ram": ("actuator",),
    "rope": ("cable",),
    "sling": ("cable",),
    "spiral": ("torsion",),
    "mount": ("bushing",),
    "load": ("wrench",),
    "air": ("drag",),
    "moon": ("gravity",),
    "magnet": ("law",),
}


def rig(force=(0.0, 0.0, -5.0)) -> am.Mechanism:
    """A planar arm and a slider with an element of every kind."""
    b = am.Builder("rig")
    solid = {"mass": 1.0, "com": (0.4, 0.0, 0.0), "inertia": (0.1, 0.2, 0.3)}
    b.body("arm", joint="revolute", axis="y", **solid)
    b.body("fore", "arm", joint="revolute", axis="y", at=(1, 0, 0), **solid)
    b.body("slider", joint="prismatic", axis="x", at=(0, 0, -0.8), mass=1.0)
    for name, place in {"wall": (-0.8, 0, -0.8), "hook": (0.5, 0, 0.9), "low": (1.4, 0, -0.8),
                        "pulley": (1.3, 0, 0.9)}.items():  # fmt: skip
        b.frame(name, "world", at=place)
    b.frame("mid", "arm", at=(0.5, 0, 0.05))
    b.frame("tip", "fore", at=(0.8, 0, 0), rpy=(0.3, 0.2, 0.1))
    b.spring("strut", "wall", "slider", stiffness=100.0, damping=5.0)
    b.spring("coil", "hook", "mid", stiffness=100.0, rest=0.5)
    b.spring("dash", "low", "tip", damping=10.0)
    b.spring("ram", "slider", "mid", force=10.0)
    b.cable("rope", ["hook", "pulley", "tip"], stiffness=100.0, rest=0.1)
    b.spring("sling", "low", "mid", stiffness=3.0, side="pull", rest=0.2)
    b.torsion_spring("spiral", "world", "arm", axis="y", stiffness=3.0)
    b.bushing("mount", "low", "slider", stiffness=np.diag([1.0, 1, 1, 10, 10, 10]))
    b.fixed_wrench("load", "tip", force=force, moment=(0, 0, 1))
    b.drag("air", "tip", linear=1.0)
    b.point_gravity("moon", "mid", strength=1.0, mass=1.0, center="pulley")
    b.force("magnet", ("slider", "tip"), lambda r, R, w, u: [-x for x in r],
            lambda r, R: 0.5 * (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]))  # fmt: skip
    return b.build()


Q = [-0.3, 0.5, 0.1]


@pytest.fixture(scope="module")
def made():
    return rig()


@pytest.fixture(scope="module")
def run(made):
    names = ("q", "v", "tau", "energy", "element_forces")
    return am.simulate(made, Q, duration=0.5, step=1e-3, record=names, every=5)


def marks(picture, name):
    return [m for m in picture.marks if getattr(m, "name", "") == name and m.role != "label"]


def test_every_kind_has_its_symbol(made):
    picture = made.draw(Q)
    for name, symbols in KINDS.items():
        roles = {m.role for m in marks(picture, name)} - {"ground", "hatching"}
        assert roles == set(symbols), name
        assert f'data-name="{name}"' in picture.svg
    on_ground = {m.name for m in picture.of("ground")} - {"arm", "slider"}
    assert on_ground == {"strut", "coil", "dash", "rope", "sling", "mount"}
    assert {m.text for m in made.draw(Q, labels="joints").of("label")} >= set(KINDS)


def ends_of(picture, name, role):
    """First and last point of the longest line of a symbol, pixels, y upward."""
    lines = [m.points for m in marks(picture, name) if m.role == role and hasattr(m, "points")]
    line = np.array(max(lines, key=len))
    return line[0] * (1, -1), line[-1] * (1, -1)


def test_lines_reach_from_end_to_end(made):
    """Pixels against poses: the picture is seen along y, in one scale for all."""
    picture = made.draw(Q, view="front")
    world = {"hook": (0.5, 0, 0.9), "low": (1.4, 0, -0.8)}
    world |= {name: made.pose(Q, name)[1] for name in ("mid", "tip")}
    ends = {"coil": ("spring", "hook", "mid"), "rope": ("cable", "hook", "tip"),
            "sling": ("cable", "low", "mid")}  # fmt: skip
    found, wanted = [], []
    for name, (role, first, second) in ends.items():
        found += list(ends_of(picture, name, role))
        wanted += [np.array(world[x])[[0, 2]] for x in (first, second)]
    found, wanted = np.array(found), np.array(wanted)
    scale = np.linalg.norm(found[1] - found[0]) / np.linalg.norm(wanted[1] - wanted[0])
    assert found - found[0] == pytest.approx(scale * (wanted - wanted[0]), abs=1e-6 * 480)
    cable = np.array(max((m.points for m in marks(picture, "rope") if m.role == "cable"
                          and hasattr(m, "points")), key=len))  # fmt: skip
    assert len(cable) == 3  # over the pulley


def test_a_spring_is_longer_where_it_is_stretched(made):
    """Snapshots in one scale."""
    from armillary.viewer.sketch.draw import draw_states

    picture = draw_states(made, [[0, 0, 0.0], [0, 0, 0.4]], view="front")
    first, second = (np.ptp([p[0] for p in m.points]) for m in picture.of("spring")
                     if m.name == "strut" and len(m.points) > 9)  # fmt: skip
    lead = 20.0  # pixels of both plates at most
    assert second / first == pytest.approx(1.2 / 0.8, abs=lead / first)
    assert second > first + 10.0


def test_a_load_points_where_it_pushes(made):
    """Turned round, its arrow is; a mirrored load is drawn differently."""

    def tip(mechanism):
        shaft = next(m for m in marks(mechanism.draw(Q, view="front"), "load") if m.width == 2.4)
        return np.subtract(*np.array(shaft.points)[::-1])

    towards = np.array((1.3, 0.0, 0.9)) - made.pose(Q, "mid")[1]  # an attracting point
    pull = next(m for m in marks(made.draw(Q, view="front"), "moon") if m.width == 2.4)
    along = np.subtract(*np.array(pull.points)[::-1]) * (1, -1)
    wanted = towards[[0, 2]] / np.linalg.norm(towards)
    assert along / np.linalg.norm(along) == pytest.approx(wanted, abs=1e-6)
    down, up, right = tip(made), tip(rig((0, 0, 5.0))), tip(rig((5.0, 0, 0)))
    assert down[1] > 20.0 and up == pytest.approx(-down) and right[0] > 20.0


def test_arrows_of_element_forces(made):
    forces = made.element_forces(Q, np.zeros(3))
    picture = made.draw(Q, view="front", forces={"coil": forces["coil"]})
    shaft = next(m for m in picture.of("force") if not m.closed)
    start, end = np.array(shaft.points) * (1, -1)
    towards = np.array((0.5, 0, 0.9)) - made.pose(Q, "mid")[1]  # it pulls
    along = (end - start) / np.linalg.norm(end - start)
    assert along == pytest.approx(towards[[0, 2]] / np.linalg.norm(towards), abs=1e-6)
    with pytest.raises(ModelError, match="force element"):
        made.draw(Q, forces={"coils": forces["coil"]})


# -- scenes ------------------------------------------------------------------------------------


def test_scene_has_a_tie_for_every_line(made):
    scene = mechanism_scene(made, Q)
    ties = [t for t in scene.ties if t.role == "element"]
    found = {}
    for t in ties:
        found.setdefault(t.name.split(" ")[0], []).append(t.kind)
    assert found == {"strut": ["coil", "damper"], "coil": ["coil"], "dash": ["damper"],
                     "ram": ["damper"], "rope": ["bar", "bar"], "sling": ["bar"],
                     "mount": ["bar"], "magnet": ["bar"]}  # fmt: skip
    coil = next(t for t in ties if t.name == "coil (spring)")
    places = [np.array((0.5, 0, 0.9)), made.pose(Q, "mid")[1]]
    assert coil.bodies == (-1, 0) and coil.points == ((0.5, 0, 0.9), (0.5, 0, 0.05))
    assert coil.length == pytest.approx(np.linalg.norm(places[1] - places[0]))
    solid = {s.name.split(" ")[0]: s.kind for s in scene.shapes if s.role == "element"}
    assert (solid["spiral"], solid["mount"]) == ("coil", "ring")
    assert not any(t.name.startswith("Trails") for t in living_scene(made, np.array([Q])).trails)


def test_arrows_of_a_view_at_rest(made):
    """Springs by hand: 100 N/m (L - 0.5 m), along the line, at the end on the arm."""
    scene = mechanism_scene(made, Q)
    names = [a.name for a in scene.arrows]
    k = names.index("force of coil")
    assert {a.group for a in scene.arrows} == {"element"}
    line = np.array((0.5, 0, 0.9)) - made.pose(Q, "mid")[1]
    length = np.linalg.norm(line)
    wanted = 100.0 * (length - 0.5) * line / length
    assert unpacked(scene.forces)[0, k] == pytest.approx(wanted, rel=1e-6)
    assert scene.arrows[k].body == 0 and scene.arrows[k].point == (0.5, 0.0, 0.05)
    k = names.index("force of load")  # in the turned frame of the tip, drawn along the world's axes
    assert unpacked(scene.forces)[0, k] == pytest.approx((0, 0, -5.0), abs=1e-6)
    assert not mechanism_scene(am.example("two-link")).arrows


def test_arrows_of_a_run(made, run):
    scene = run_scene(made, run)
    k = [a.name for a in scene.arrows].index("force of coil")
    time, forces = unpacked(scene.time), unpacked(scene.forces)
    for row in (0, len(time) // 2, len(time) - 1):
        q = run.q[int(np.argmin(abs(run.time - time[row])))]
        line = np.array((0.5, 0, 0.9)) - made.pose(q, "mid")[1]
        length = np.linalg.norm(line)
        wanted = 100.0 * (length - 0.5) * line / length
        assert forces[row, k] == pytest.approx(wanted, rel=1e-5)
    names = {s.name for s in scene.series}
    assert {"|element_forces force|", "|element_forces moment|"} <= names
    assert not any(name.endswith(" |") for name in names)
    assert "No forces of joints" in scene.notes[-1] and "'element_forces'" in scene.notes[-1]


def test_a_report_tables_the_elements(made, run, tmp_path):
    text = run.report(tmp_path / "rig.html", sections=["sketch", "loads", "energy"]).read_text()
    columns = [run.labels["element_forces"].index(f"coil.{x}") for x in ("fx", "fy", "fz")]
    most = np.linalg.norm(run["element_forces"][:, columns], axis=1).max()
    assert "force element" in text and f"{most:.4g}" in text
    assert "and of force elements" in text
    bare = am.simulate(made, Q, duration=0.01, record="q,v")
    words = bare.report(tmp_path / "bare.html", sections=["loads"]).read_text()
    assert "element_forces" in words


# -- in a browser --------------------------------------------------------------------------------

TIES = """() => {
  const { solids, poses } = window.page.view;
  solids.update(poses);
  const found = {};
  for (const { mesh, parts, role } of solids.ties) {
    const m = mesh.matrixWorld.clone();
    parts.forEach((tie, k) => {
      mesh.getMatrixAt(k, m);
      mesh.geometry.computeBoundingBox();
      const { min, max } = mesh.geometry.boundingBox;
      (found[tie.name] ??= []).push({ role, kind: tie.kind, visible: mesh.visible,
        m: m.elements.slice(), low: min.toArray(), high: max.toArray() });
    });
  }
  return found;
}"""


@pytest.mark.browser
def test_springs_follow_the_run(made, run, tmp_path):
    """The matrix of every spring takes the unit coil from one end to the other."""
    path = chromium()
    from playwright.sync_api import sync_playwright

    file = run.animate(tmp_path / "rig.html")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=list(FLAGS))
        page = browser.new_page()
        said = []
        page.on("pageerror", lambda fault: said.append(str(fault)))
        page.goto(file.as_uri())
        page.wait_for_function("() => document.documentElement.dataset.ready === 'yes'")
        times = np.array(page.evaluate("() => Array.from(window.page.times)"))
        for t in (times[0], times[-1]):
            page.evaluate("(t) => window.page.seek(t)", float(t))
            q = run.q[int(np.argmin(abs(run.time - t)))]
            ties = page.evaluate(TIES)
            (coil,) = ties["coil (spring)"]
            m = np.reshape(coil["m"], (4, 4)).T
            ends = m[:3, 3] + np.outer((-0.5, 0.5), m[:3, 2])
            wanted = [(0.5, 0, 0.9), made.pose(q, "mid")[1]]
            assert ends == pytest.approx(np.array(wanted), abs=1e-5)
            assert len(ties["rope (cable)"]) == 2
        for tie in (*ties["coil (spring)"], *ties["strut (spring)"]):
            low, high = np.array(tie["low"]), np.array(tie["high"])
            assert (low[2], high[2]) == pytest.approx((-0.5, 0.5), abs=0.05)
            assert np.abs([low[:2], high[:2]]) == pytest.approx(1.0, abs=0.05)
        page.click('[data-switch="Springs"]')
        hidden = page.evaluate(TIES)
        assert not any(
            t["visible"] for one in hidden.values() for t in one if t["role"] == "element"
        )
        assert said == []
        browser.close()


def test_elements_between_coordinates_have_no_place():
    """They are neither drawn nor in the way; a Maxwell element is a spring and a damper."""
    b = am.Builder("gear")
    b.body("motor", joint="revolute", axis="y", mass=1.0, inertia=(1, 1, 1))
    b.body("load", joint="revolute", axis="y", at=(1, 0, 0), mass=1.0, inertia=(1, 1, 1))
    b.frame("eye", "load", at=(0.3, 0, 0))
    b.coordinate_spring("shaft", {"motor": 1, "load": -2}, stiffness=3.0)
    b.maxwell("mount", ("world", "eye"), stiffness=3.0, damping=1.0, tension=5.0)
    m = b.build()
    solution = m.solve([0.3, 0.1], [0.0, 0.0], [0.0, 0.0])
    forces = {name: solution.element_forces[name] for name in ("shaft", "mount")}
    assert "mount" in m.draw([0.3, 0.1], forces=forces).svg
    run = am.simulate(m, [0.3, 0.1], duration=0.01, record="q,element_forces,reactions")
    names = {arrow.name for arrow in run_scene(m, run).arrows}
    assert "force of mount" in names and not any("shaft" in name for name in names)
    assert mechanism_scene(m).shapes


def test_a_maxwell_element_is_a_spring_and_a_damper_in_series():
    """One behind the other, where a strut has them side by side."""
    b = am.Builder("relaxing")
    b.body("sled", joint="prismatic", axis="x", at=(1, 0, 0), mass=1.0, inertia=(1, 1, 1))
    b.maxwell("line", ("world", "sled"), stiffness=3.0, damping=1.0)
    b.frame("low", "world", at=(0, 0, -1))
    b.frame("eye", "sled", at=(0, 0, -1))
    b.spring("strut", "low", "eye", stiffness=3.0, damping=1.0)
    drawn = b.build().draw([0.0])

    def reach(role, name):
        """Along the picture's x, of all lines of a role."""
        lines = [mark for mark in drawn.of(role) if mark.name == name]
        xs = np.concatenate([np.asarray(mark.points)[:, 0] for mark in lines])
        return xs.min(), xs.max()

    (a, b_), (c, d) = reach("spring", "line"), reach("damper", "line")
    assert a < b_ <= c + 1e-6 < d
    (a, b_), (c, d) = reach("spring", "strut"), reach("damper", "strut")
    assert c < b_ and a < d


def test_elements_between_coordinates_are_in_no_picture():
    """They are in the model and in no picture."""
    b = am.Builder("geared")
    solid = {"mass": 1.0, "com": (0.3, 0, 0), "inertia": (0.1, 0.1, 0.1)}
    b.body("motor", joint="revolute", axis="y", **solid)
    b.body("load", "motor", joint="revolute", axis="y", at=(1, 0, 0), **solid)
    b.coordinate_spring("shaft", {"motor": 1.0, "load": -2.0}, stiffness=3.0)
    made = b.build()
    assert not made.draw().of("spring")
    scene = mechanism_scene(made, [0.2, 0.1])
    assert not scene.arrows and not [t for t in scene.ties if t.role == "element"]
