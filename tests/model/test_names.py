"""Names can be read and told apart, in every format; pictures show them as they are."""

import unicodedata

import matplotlib
import pytest
from matplotlib.text import Text

import armillary as am
from armillary.errors import ArmillaryError, ModelError
from armillary.model.names import name_fault

NFD, NFC = (
    "caf\N{LATIN SMALL LETTER E}\N{COMBINING ACUTE ACCENT}",
    "caf\N{LATIN SMALL LETTER E WITH ACUTE}",
)
UNSEEN = [
    "le\N{ZERO WIDTH SPACE}ft", "\N{RIGHT-TO-LEFT OVERRIDE}mra", "a\N{NO-BREAK SPACE}b", "a\nb",
    "\x1b[2J", "\ud800", "\N{HANGUL FILLER}", "a\N{VARIATION SELECTOR-16}", "\ufeffa",
]  # fmt: skip


def pendulum(name="rod", frame="tip"):
    b = am.Builder("pendulum")
    b.body(name, mass=1.0, com=(1, 0, 0), inertia=(1, 1, 1))
    b.frame(frame, name, (1, 0, 0))
    return b.build()


@pytest.mark.parametrize("name", UNSEEN)
def test_what_cannot_be_seen_is_refused(name):
    """By Unicode's own data: a category of controls, formats, surrogates or blanks; or no glyph."""
    wrong = next(c for c in name if c not in "leftmrab[2J")
    for make in (pendulum, lambda name: pendulum(frame=name), am.Builder):
        with pytest.raises(ModelError) as fault:
            made = make(name)
            made.body("rod", mass=1.0, com=(1, 0, 0))
            made.build()
        assert f"U+{ord(wrong):04X}" in str(fault.value)
        assert unicodedata.name(wrong, "") in str(fault.value)
        assert (
            wrong == "\n" or unicodedata.category(wrong)[0] != "C" or wrong not in str(fault.value)
        )
    with pytest.raises(ModelError, match="cannot be seen"):
        pendulum().replace(name=name)
    with pytest.raises(ModelError, match="cannot be seen"):
        pendulum().mount(pendulum(), on="tip", prefix=name)


@pytest.mark.parametrize("name", [" rod", "rod ", " "])
def test_blanks_at_the_ends_of_names(name, tmp_path):
    """URDF came back without them: another name."""
    for make in (pendulum, lambda name: pendulum(frame=name)):
        with pytest.raises(ModelError, match="begins or ends with a blank"):
            make(name)
    path = tmp_path / "model.yaml"
    path.write_text(FILES[".yaml"].format(f'"{name}"'))
    with pytest.raises(ArmillaryError, match="begins or ends with a blank"):
        am.load(path)


def test_names_of_all_tongues():
    for name in (
        "link 1",
        "[red]$x$</b>&'\"",
        NFC,
        "Gelenk-ä",
        "関節",
        "сустав",
        "مفصل",
        "😀",
        "ἀ",
    ):
        assert name_fault(name) is None
        assert pendulum(name).bodies == (name,)


JOINT = "joint: {{type: revolute}}"
FILES = {
    ".yaml": f"armillary: 1\nbodies:\n  {{0}}: {{{{{JOINT}, parent: world, mass: 1}}}}\n",
    ".urdf": "<robot name='r'><link name='base'/><link name='{0}'/><joint name='j' type='fixed'>"
    "<parent link='base'/><child link='{0}'/></joint></robot>",
    ".xml": "<mujoco><worldbody><body name='{0}'><joint/><geom size='.1'/></body></worldbody>"
    "</mujoco>",
    ".csv": "name,theta,d,a,alpha,mass\n{0},0,0,1,0,1\n",
}


@pytest.mark.parametrize("ending", FILES)
def test_one_rule_for_all_files(tmp_path, ending):
    path = tmp_path / f"model{ending}"
    for name, words in ((NFD, "composed"), ("a\N{RIGHT-TO-LEFT OVERRIDE}b", "U\\+202E")):
        path.write_text(FILES[ending].format(name), encoding="utf-8")
        with pytest.raises(ModelError, match=words) as fault:
            am.load(path)
        assert str(path) in str(fault.value) and "\N{RIGHT-TO-LEFT OVERRIDE}" not in str(
            fault.value
        )
    whole = unicodedata.normalize("NFC", FILES[ending].format(NFD))  # the cure
    path.write_text(whole, encoding="utf-8")
    assert NFC in am.load(path).bodies


def test_two_spellings_of_one_name():
    b = am.Builder("twins")
    b.body(NFC, mass=1.0, com=(1, 0, 0))
    b.body(NFD, NFC, mass=1.0, com=(1, 0, 0))
    with pytest.raises(ModelError, match="looks the same"):
        b.build()
    b = am.Builder("child")
    b.body(NFC, mass=1.0, com=(1, 0, 0))
    b.body("hand", NFD, mass=1.0, com=(1, 0, 0))
    with pytest.raises(ModelError, match=r"parent.*looks the same"):
        b.build()
    arm = pendulum(NFC)
    lookups = [
        lambda: arm.pose([0.0], NFD),
        lambda: arm.lock([NFD]),
        lambda: arm.energy({NFD: 0.1}, [0.0]),
        lambda: arm.forward_dynamics([0.0], [0.0], [0.0], {NFD: [0.0] * 6}),
        lambda: am.simulate(arm, inputs={NFD: 1.0}, duration=0.01),
    ]
    for ask in lookups:
        with pytest.raises(ArmillaryError, match="looks the same") as fault:
            ask()
        cure = str(fault.value).partition("unicodedata.normalize(")[2]
        assert cure.startswith(f"'NFC', {NFD!a})")


DOLLARS = "_$\\frac$ a^2"


def test_dollars_are_dollars_in_pictures(tmp_path):
    """What is drawn is what was given; a formula would fail in TeX's words."""
    b = am.Builder("m" + DOLLARS)
    b.body("a" + DOLLARS, axis="y", mass=1.0, com=(1, 0, 0), inertia=(1, 1, 1))
    b.body("_b" + DOLLARS, "a" + DOLLARS, axis="y", at=(1, 0, 0), mass=1.0, com=(1, 0, 0),
           inertia=(1, 1, 1))  # fmt: skip
    b.frame("tip" + DOLLARS, "_b" + DOLLARS, (1, 0, 0))
    arm = b.build()
    run = am.simulate(arm, [0.1, 0.2], duration=0.05, step=0.01, record=("q", "reactions"))
    twins = am.plot({DOLLARS: run, "$\\x$": run})
    workspace = arm.workspace("tip" + DOLLARS, samples=200).plot()
    for figure in (run.plot("q", peaks=True), run.plot("reactions", polar=True), twins, workspace,
                   run.plot("q", x="a" + DOLLARS)):  # fmt: skip
        texts = [t for t in figure.findobj(Text) if "frac" in t.get_text()]
        assert texts and not any(matplotlib.cbook.is_math_text(t.get_text()) for t in texts)
    figure.savefig(tmp_path / "run.png", dpi=20)
    legend = run.plot("q").axes[0].get_legend()
    assert len(legend.get_texts()) == 2  # matplotlib leaves out what begins with _
    arm.draw().save(tmp_path / "arm.png")
