"""Files made to harm: they end in an error of this library that names the file, or in a model."""

import contextlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from armillary.errors import ArmillaryError, FormatError
from armillary.formats import xml
from armillary.formats.mjcf import read_mjcf
from armillary.formats.references import why_refused
from armillary.formats.urdf import read_urdf
from armillary.formats.xml import parse_file, parse_text
from armillary.model import Model
from robots import robot

READERS = {"urdf": read_urdf, "mjcf": read_mjcf}
GOOD = {
    "urdf": '<robot name="r"><link name="a"/></robot>',
    "mjcf": '<mujoco><worldbody><body name="a"><joint/><geom size=".1"/></body></worldbody>'
    "</mujoco>",
}
SECRET = "a text that no message may hold"


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(params=READERS)
def kind(request):
    return request.param


def refused(kind: str, data: bytes | str, message: str) -> FormatError:
    """The reader's error on a file with this content."""
    with open("model.xml", "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())
    with pytest.raises(FormatError, match=message) as caught:
        READERS[kind]("model.xml")
    assert caught.value.path == "model.xml"
    assert len(str(caught.value)) < 2000
    return caught.value


def test_the_good_files_are_good(kind):
    with open("model.xml", "w") as file:
        file.write(GOOD[kind])
    assert len(READERS[kind]("model.xml").bodies) == 1


# ---------------------------------------------------------------- entities


def bomb(levels: int = 12) -> str:
    lines = ['<!ENTITY l0 "lol">']
    lines += [f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, levels)]
    return f"<!DOCTYPE robot [{''.join(lines)}]>"


@pytest.mark.parametrize(
    "head",
    [
        bomb(),
        '<!DOCTYPE robot [<!ENTITY e SYSTEM "secret.txt">]>',
        '<!DOCTYPE robot [<!ENTITY e SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE robot SYSTEM "secret.txt">',
        '<!DOCTYPE robot PUBLIC "-//x//y" "http://localhost/x.dtd">',
        '<!DOCTYPE robot [<!ENTITY % p SYSTEM "secret.txt"> %p;]>',
        '<!DOCTYPE robot [<!ATTLIST robot name CDATA "sneaked in">]>',
        "<!DOCTYPE robot>",
    ],
)
def test_document_types_and_entities_are_refused(kind, head):
    with open("secret.txt", "w") as file:
        file.write(SECRET)
    text = GOOD[kind].replace('"a"', '"&e;"')
    fault = refused(kind, f"{head}\n{text}", "declares a document type or entities")
    assert SECRET not in str(fault)


def test_unknown_entity_is_an_error(kind):
    refused(kind, GOOD[kind].replace('"a"', '"&nbsp;"'), "not valid XML: undefined entity")


# ---------------------------------------------------------------- size


def test_deep_nesting_is_refused(kind):
    root = "robot" if kind == "urdf" else "mujoco"
    deep = "<a>" * 100_000 + "</a>" * 100_000
    refused(kind, f"<{root}>{deep}</{root}>", "nested more than 500 deep")


def test_many_elements_are_refused(kind, monkeypatch):
    monkeypatch.setattr(xml, "MAX_ELEMENTS", 1000)
    root = "robot" if kind == "urdf" else "mujoco"
    refused(kind, f"<{root}>{'<a/>' * 1001}</{root}>", "more than 1000 elements")


def test_large_file_is_refused_unread(kind, monkeypatch):
    monkeypatch.setattr(xml, "MAX_BYTES", 1000)
    refused(kind, GOOD[kind] + " " * 1000, "more than the 1000")
    with pytest.raises(FormatError, match="more than the 1000"):
        parse_text("<a/>" + " " * 1000, "x")


@pytest.mark.parametrize(
    "origin",
    [
        "1" * 5_000_000,
        "0 " * 2_000_000,
        "1" * 1000,
        "1" * 1000 + "x",
        "1e" + "9" * 300,
        "-" * 10**6,
    ],
    ids=["long number", "many numbers", "digits", "digits and a letter", "exponent", "signs"],
)
def test_huge_attributes_end_in_a_short_error(origin):
    text = GOOD["urdf"].replace(
        "</robot>",
        f'<link name="b"/><joint name="j" type="fixed"><parent link="a"/><child link="b"/>'
        f'<origin xyz="{origin}"/></joint></robot>',
    )
    refused("urdf", text, "joint 'j'")


def test_huge_names_end_in_a_short_error():
    name = "n" * 1_000_000
    refused("urdf", f'<robot name="r"><link name="{name}"/></robot>', "1000000 characters")
    refused("urdf", f'<robot name="r"><{name}/></robot>', "no link")
    refused("urdf", f"<{name}/>", "expected the root element")
    refused("urdf", f'<robot name="r"><link {name}="1"/></robot>', "attribute `name`")


def test_hint_for_a_wrong_name_among_many_long_ones_is_quick():
    links = "".join(f'<link name="{"n" * 900}{k}"/>' for k in range(3000))
    joint = f'<joint name="j" type="fixed"><parent link="{"m" * 900}"/><child link="n"/></joint>'
    refused("urdf", f'<robot name="r">{links}{joint}</robot>', "no link named")


@pytest.mark.parametrize(
    "text",
    ['<replicate count="1000000000"><body/></replicate>',
     '<replicate count="1000"><replicate count="1000"><body/></replicate></replicate>',
     '<replicate count="1e300"><replicate count="1e300"/></replicate>',
     '<composite count="1000 1000 1000" type="grid"/>',
     '<flexcomp count="1000 1000 1000" type="grid"/>'],
)  # fmt: skip
def test_runaway_copies_are_refused(text):
    refused("mjcf", f"<mujoco><worldbody>{text}</worldbody></mujoco>", "more than 3000")


def test_runaway_pictures_are_refused():
    for text in ('<texture width="1000000" height="1000000"/>', '<hfield nrow="1e6" ncol="1e6"/>'):
        refused("mjcf", f"<mujoco><asset>{text}</asset></mujoco>", "points")


def test_runaway_memory_is_not_reserved():
    with open("model.xml", "w") as file:
        file.write(
            GOOD["mjcf"].replace(
                "<worldbody>", '<size memory="900G" nuserdata="900000000"/><worldbody>'
            )
        )
    assert read_mjcf("model.xml").nv == 1


# ---------------------------------------------------------------- encodings and other bytes


BYTES = {
    "latin-1 without a word": ("<a b='é'/>".encode("latin-1"), "is not UTF-8"),
    "utf-16 without its mark": ("<a/>".encode("utf-16-le"), "null bytes"),
    "null byte": (b"<a>\0</a>", "null bytes"),
    "picture": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "null bytes"),
    "binary": (bytes(range(1, 256)), "is not UTF-8"),
    "archive": (b"PK\x03\x04\x14\x00", "null bytes"),
    "empty": (b"", "the file is empty"),
    "blanks": (b" \n\t\r\n ", "the file is empty"),
    "nulls": (b"\0\0\0\0", "the file is empty"),
    "mark alone": (b"\xef\xbb\xbf", "not valid XML"),
    "half a mark": (b"\xff\xfe", "not valid XML|null bytes|not UTF-8"),
    "words": (b"solid cube", "not valid XML"),
    "yaml": (b"armillary: 1\n", "not valid XML"),
    "cut off": (b"<robot><link", "not valid XML"),
    "two roots": (b"<a/><a/>", "not valid XML: junk after document element"),
    "attribute twice": (b'<a b="1" b="2"/>', "duplicate attribute"),
    "wrong end": (b"<a></b>", "mismatched tag"),
    "utf-7": (b'<?xml version="1.0" encoding="utf-7"?><a/>', "encoding 'utf-7' is not read"),
    "unknown encoding": (b'<?xml version="1.0" encoding="klingon"?><a/>', "encoding 'klingon'"),
    "ebcdic": (b'<?xml version="1.0" encoding="cp037"?><a/>', "encoding 'cp037'"),
    "control character": (b'<a b="&#1;"/>', "not valid XML"),
    "surrogate": (b'<a b="&#xD800;"/>', "not valid XML"),
}


@pytest.mark.parametrize("case", BYTES)
def test_bytes_that_are_no_xml(kind, case):
    refused(kind, *BYTES[case])


def test_encodings_that_are_read():
    name = "größe"
    text = GOOD["urdf"].replace('"a"', f'"{name}"')
    latin = '<?xml version="1.0" encoding="iso-8859-1"?>' + text
    versions = [
        text.encode("utf-8"), text.encode("utf-8-sig"), text.encode("utf-16"),
        latin.encode("latin-1"), b"\n\n" + text.encode(),
    ]  # fmt: skip
    for data in versions:
        with open("model.urdf", "wb") as file:
            file.write(data)
        assert read_urdf("model.urdf").bodies[0].name == name


def test_lines_are_counted_after_leading_blanks():
    fault = refused("urdf", b"\n\n<robot>\n<joint/></robot>", "attribute `name`")
    assert fault.line == 4


def test_lone_surrogate_in_a_text():
    with pytest.raises(FormatError, match="surrogate"):
        parse_text("<a b='\ud800'/>", "x")


# ---------------------------------------------------------------- paths


def test_folder_missing_file_and_strange_paths(kind, tmp_path):
    read = READERS[kind]
    for path, message in [
        (tmp_path, "folder"), ("missing.xml", "cannot open"), ("a\0b", "cannot open"),
        ("x" * 5000, "cannot open"), ("", "cannot open"), ("/dev/null", "regular file"),
    ]:  # fmt: skip
        with pytest.raises(FormatError, match=message) as caught:
            read(path)
        assert len(str(caught.value)) < 1000


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_pipe_is_not_waited_for(kind):
    os.mkfifo("pipe.xml")
    with pytest.raises(FormatError, match="regular file"):
        READERS[kind]("pipe.xml")


ASSETS = [
    '<mesh name="m" file="{}"/>', '<texture type="2d" name="t" file="{}"/>',
    '<hfield name="h" file="{}" size="1 1 1 1"/>', '<skin name="s" file="{}"/>',
    '<texture type="cube" name="t" fileright="{}"/>',
]  # fmt: skip
PLAIN = '<body><joint/><geom size=".1"/></body>'
HEAVY = '<body><joint/><geom type="mesh" mesh="m"/></body>'  # its mass comes from the mesh
OUTSIDE = ["../secret.txt", "/etc/passwd", "a/../../secret.txt", "file:///etc/passwd", "..\\secret"]


@pytest.mark.parametrize("path", OUTSIDE)
def test_mujoco_is_kept_inside_the_folder(path):
    """What is not needed is never opened (there are no such files); what is needed is refused."""
    for asset in ASSETS:
        text = f"<mujoco><asset>{asset.format(path)}</asset><worldbody>{PLAIN}</worldbody></mujoco>"
        Path("model.xml").write_text(text)
        assert read_mjcf("model.xml").nv == 1
    mesh = f"<asset>{ASSETS[0]}</asset><worldbody>{HEAVY}</worldbody></mujoco>"
    refused("mjcf", "<mujoco>" + mesh.format(path), "is refused.*root=")
    refused(
        "mjcf", f'<mujoco><asset><model name="x" file="{path}"/></asset></mujoco>', "is refused"
    )
    for folder in ("meshdir", "assetdir"):
        text = f'<mujoco><compiler {folder}="{path}"/>' + mesh.format("a.stl")
        refused("mjcf", text, "is refused")
        flex = '<flexcomp name="f" type="mesh" file="a.stl" dim="2"/>'
        text = f'<mujoco><worldbody>{flex}</worldbody><compiler {folder}="{path}"/></mujoco>'
        refused("mjcf", text, "is refused")
    refused("mjcf", f'<mujoco><include file="{path}"/></mujoco>', "is refused")
    coded = path.replace("..", "&#46;&#46;").replace("/", "&#x2f;")
    refused("mjcf", f'<mujoco><include file="{coded}"/></mujoco>', "is refused")


def test_included_files_are_looked_at_too():
    inner = {
        "bomb.xml": bomb() + "<mujocoinclude/>",
        "out.xml": '<mujocoinclude><asset><mesh name="m" file="../x.stl"/></asset>'
        f"<worldbody>{HEAVY}</worldbody></mujocoinclude>",
        "deeper.xml": '<mujocoinclude><include file="out.xml"/></mujocoinclude>',
    }
    for name, text in inner.items():
        with open(name, "w") as file:
            file.write(text)
    for name, message in [("bomb.xml", "document type"), ("out.xml", "is refused"),
                          ("deeper.xml", "is refused")]:  # fmt: skip
        with open("main.xml", "w") as file:
            file.write(f'<mujoco><include file="{name}"/></mujoco>')
        with pytest.raises(FormatError, match=message):
            read_mjcf("main.xml")


def test_file_that_includes_itself_ends():
    refused("mjcf", '<mujoco><include file="model.xml"/></mujoco>', "MuJoCo refuses")


@pytest.mark.parametrize(
    "reference", ["a.stl", "a/b.stl", "a/../b.stl", "package://p/a.stl", "a b"]
)
def test_references_inside_are_allowed(reference):
    assert why_refused(reference) is None


@given(st.text(alphabet="./\\%2eab:~ ", max_size=20))
def test_no_reference_that_is_allowed_leaves_the_folder(reference):
    if why_refused(reference) is None and "://" not in reference:
        for reading in (reference, reference.replace("\\", "/")):
            place = os.path.normpath(os.path.join("/folder/inside", reading.strip()))
            assert place == "/folder/inside" or place.startswith("/folder/inside/")


# ---------------------------------------------------------------- real files, broken at random

NUMBERS = [
    "nan", "inf", "-1", "0", "1e308", "-1e308", "1e-320", "1e999", "", "abc", "1 2 3", "0 0 0",
    "1_0", "0x10", "٣",
]  # fmt: skip
CHUNKS = [
    "<!DOCTYPE a>", "&lt;", "é", "<a>", "</a>", "<!--", "]]>", '"', "<", "\ufeff", "'",
    '<link name="x"/>', '<joint name="y" type="fixed"/>', "<robot>",
]  # fmt: skip
MJCF = """<mujoco model="fuzz"><compiler angle="radian"/>
<default><joint damping="0.5" armature="0.01"/></default>
<worldbody><geom type="plane" size="1 1 .1"/>
<body name="base" pos="0 0 1" quat="1 .2 .3 .4"><freejoint name="root"/>
  <inertial pos="0.1 0 0" mass="1" fullinertia=".1 .2 .25 .01 .02 .03"/>
  <site name="s" pos=".1 .2 .3"/>
  <body name="arm" pos="0.1 0 0" euler=".1 .2 .3">
    <joint name="h" axis="0 1 0" pos="0 .1 .2" ref=".3" stiffness="3" range="-1 1"/>
    <joint name="k" type="slide" axis="1 0 1"/><geom type="capsule" size=".1 .2"/>
    <body name="hand" pos=".2 .3 .4"><joint name="b" type="ball"/><geom size=".1"/></body>
    <body name="finger"><joint name="f" axis="1 0 0"/><geom type="box" size=".1 .2 .3"/></body>
  </body></body></worldbody>
<equality><connect body1="base" body2="hand" anchor=".1 .1 .1"/>
  <joint joint1="f" joint2="k"/></equality>
<actuator><motor joint="f"/></actuator></mujoco>"""
GENTLE = settings(
    max_examples=300,
    deadline=10_000,  # ms: far above any sane time, it is there to find what never ends
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@st.composite
def broken(draw, texts: list[str]) -> str:
    """A text with pieces deleted, doubled, swapped, or with other numbers and values."""
    text = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(1, 4))):
        text = draw(st.sampled_from([piece, number, value, tag]))(draw, text)
    return text


def piece(draw, text: str) -> str:
    i = draw(st.integers(0, len(text)))
    j = draw(st.integers(i, min(len(text), i + 200)))
    k = draw(st.integers(0, len(text)))
    new = draw(st.sampled_from(["", text[i:j] * 3, text[k : k + j - i], *CHUNKS]))
    return text[:i] + new + text[j:]


def number(draw, text: str) -> str:
    return exchange(draw, text, r"-?\d*\.?\d+(?:e-?\d+)?", NUMBERS)


def value(draw, text: str) -> str:
    return exchange(draw, text, r'"[^"]*"', re.findall(r'"[^"]*"', text)[:200])


def tag(draw, text: str) -> str:
    tags = re.findall(r"<[^>]*>", text)[:200]
    return exchange(draw, text, r"<[^>]*>", ["", *tags])


def exchange(draw, text: str, pattern: str, others: list[str]) -> str:
    places = list(re.finditer(pattern, text))
    if not places or not others:
        return text
    place = places[draw(st.integers(0, len(places) - 1))]
    return text[: place.start()] + draw(st.sampled_from(others)) + text[place.end() :]


@GENTLE
@given(broken([robot(name).read_text() for name in ("ur5", "panda", "kinova")]))
def test_broken_urdf_is_a_model_or_an_error(text):
    try:
        assert isinstance(read_urdf("broken.urdf", text=text), Model)
    except ArmillaryError as fault:
        assert len(str(fault)) < 2000


@GENTLE
@given(broken([MJCF]))
def test_broken_mjcf_is_a_model_or_an_error(text):
    with open("broken.xml", "w", encoding="utf-8") as file:
        file.write(text)
    try:
        assert isinstance(read_mjcf("broken.xml"), Model)
    except ArmillaryError as fault:
        assert len(str(fault)) < 2000
    assert not os.path.exists("MUJOCO_LOG.TXT")


@GENTLE
@given(st.binary(max_size=200))
def test_any_bytes_are_an_element_or_an_error(data):
    with open("bytes.xml", "wb") as file:
        file.write(data)
    with contextlib.suppress(ArmillaryError):
        assert parse_file("bytes.xml").tag


def test_reading_urdf_needs_no_mujoco():
    """The format's library is imported when it is used, and only then."""
    code = "import sys; from armillary.formats import urdf, mjcf; sys.exit('mujoco' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
