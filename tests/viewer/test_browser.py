"""Pages in a real browser: from a file, with the network off.

Skipped, with the reason, where there is no Chromium or no playwright.
"""

import numpy as np
import pytest
from pages import (
    FLAGS,
    HOSTILE,
    chain,
    chromium,
    drawn,
    meshed_arm,
    prescribed_run,
    renamed,
    run_of,
)

import armillary as am

pytestmark = pytest.mark.browser
READY = "() => document.documentElement.dataset.ready === 'yes'"
PATIENCE = 120_000  # ms, on a busy machine


SOFTWARE = "GL Driver Message"  # of Chromium's software renderer, not of the page


@pytest.fixture(scope="module")
def launch():
    """Starts the browser with other flags."""
    path = chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        yield lambda flags: play.chromium.launch(executable_path=path, args=list(flags))


@pytest.fixture(scope="module")
def browser(launch):
    started = launch(FLAGS)
    yield started
    started.close()


class Opened:
    """A page from a file, and what it said and asked for."""

    def __init__(self, browser, path, **options):
        self.context = browser.new_context(offline=True, **options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.said, self.asked = [], []
        self.page.on("console", lambda m: self.said.append(m.text))
        self.page.on("pageerror", lambda fault: self.said.append(str(fault)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri())
        self.page.wait_for_function(READY, timeout=PATIENCE)

    def seek(self, t):
        self.page.evaluate("(t) => window.page.seek(t)", float(t))

    def number(self, series, label):
        """The number that a table shows."""
        rows = self.page.locator(f'[data-series="{series}"] tr')
        for k in range(rows.count()):
            if rows.nth(k).get_attribute("data-label") == label:
                text = rows.nth(k).locator(".arm-now").text_content()
                return float(text.replace("\u2212", "-"))
        raise KeyError(label)

    def done(self, path):
        """Nothing was said, nothing but the file was asked for."""
        assert [text for text in self.said if SOFTWARE not in text] == []
        assert [a for a in self.asked if not a.startswith(("data:", "blob:"))] == [path.as_uri()]
        self.context.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Opens the page of a run."""

    def make(run, **options):
        path = run.animate(tmp_path / "run.html", overwrite=True)
        return Opened(browser, path, **options), path

    return make


@pytest.mark.parametrize("name", ["four-bar", "rover", "stewart"])
def test_numbers_of_the_page_are_those_of_the_run(opened, name):
    run = run_of(name)
    page, path = opened(run)
    for series in ("q", "energy"):
        page.page.eval_on_selector_all(
            f'[data-series="{series}"]', "(all) => all.forEach((p) => { p.open = true; })"
        )
    times = np.array(page.page.evaluate("() => Array.from(window.page.times)"))
    for t in (times[0], times[len(times) // 3], times[-1]):
        page.seek(t)
        row = int(np.flatnonzero(run.time == t)[0])
        for label in (run.labels["q"][0], run.labels["q"][-1]):
            wanted = run.column(label, "q")[row]
            assert page.number("q", label) == pytest.approx(wanted, rel=6e-6, abs=1e-300)
        assert page.number("energy", "energy") == pytest.approx(run.energy[row], rel=6e-6)
    page.done(path)


def test_poses_of_the_picture_are_those_of_the_library(opened):
    run = run_of("stewart")
    page, path = opened(run)
    t = float(run.time[len(run) // 2])
    page.seek(t)
    script = "(k) => Array.from(window.page.view.poses.matrices[k].elements)"
    times = np.array(page.page.evaluate("() => Array.from(window.page.times)"))
    page.seek(times[7])
    row = int(np.flatnonzero(run.time == times[7])[0])
    for k, body in enumerate(run.mechanism.bodies):
        matrix = np.reshape(page.page.evaluate(script, k), (4, 4)).T
        R, p = run.mechanism.pose(run.q[row], body)
        assert matrix[:3, :3] == pytest.approx(R, abs=2e-6)
        assert matrix[:3, 3] == pytest.approx(p, abs=2e-6)
    page.done(path)


def test_play_scrub_switches_and_keys(opened):
    run = run_of("four-bar")
    page, path = opened(run)
    now = lambda: page.page.evaluate("() => window.page.clock.t")  # noqa: E731
    page.page.click(".arm-play")
    page.page.wait_for_function("() => window.page.clock.t > 0.02", timeout=PATIENCE)
    page.page.keyboard.press("Space")
    assert not page.page.evaluate("() => window.page.clock.playing")
    page.page.keyboard.press("End")
    assert now() == pytest.approx(run.time[-1])
    page.page.keyboard.press("ArrowLeft")
    assert now() < run.time[-1]
    page.page.keyboard.press("Home")
    assert now() == pytest.approx(run.time[0])
    page.page.locator(".arm-slider").fill("0.25")
    assert now() == pytest.approx(0.25)
    for name in ("Shapes", "Frames", "Axes", "Centres", "Inertia", "Moments", "Trails", "Grid"):
        button = page.page.locator(f'[data-switch="{name}"]')
        before = button.get_attribute("aria-pressed")
        button.click()
        assert button.get_attribute("aria-pressed") != before
    for k in "1234":
        page.page.keyboard.press(k)
    page.page.keyboard.press("+")
    assert page.page.evaluate("() => window.page.clock.speed") == 2
    drawn(page.page)  # panes have their places
    over = page.page.locator(".u-over").first
    box = over.bounding_box()
    page.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 20)
    assert now() == pytest.approx(run.time[-1] / 2, abs=0.05)
    page.done(path)


def coloured(page):
    """Share of pixels of the picture that are not grey."""
    import io

    from matplotlib.image import imread

    pixels = imread(io.BytesIO(page.page.locator(".arm-pane").screenshot()))[..., :3]
    return float((np.ptp(pixels, axis=-1) > 0.15).mean())


def test_the_mechanism_is_to_be_seen(opened):
    """Coloured pixels are there, and fewer without the shapes and marks."""
    page, path = opened(run_of("four-bar"))
    page.page.wait_for_selector("canvas.arm-canvas")
    drawn(page.page)
    assert page.page.evaluate("() => window.page.view.solid && window.page.view.drawn > 0")
    seen = coloured(page)
    assert seen > 0.005
    for name in ("Shapes", "Forces", "Trails"):
        page.page.click(f'[data-switch="{name}"]')
    page.page.mouse.move(5, 5)
    drawn(page.page)
    assert coloured(page) < 0.2 * seen
    page.done(path)


def test_an_arm_with_meshes(opened, tmp_path):
    pytest.importorskip("trimesh")
    arm = meshed_arm(tmp_path)
    run = am.simulate(arm, [0.4], duration=0.2, step=0.01, record=("q", "v", "reactions"))
    page, path = opened(run)
    page.page.wait_for_selector("canvas.arm-canvas")
    drawn(page.page)
    assert coloured(page) > 0.01
    page.page.click('[data-switch="Skeleton"]')
    page.done(path)


def test_hostile_names_do_nothing(opened):
    mechanism = renamed(am.example("double-pendulum"), lambda name: f"{name} {HOSTILE}")
    run = am.simulate(mechanism, duration=0.1, step=0.01, record=("q", "v", "reactions"))
    page, path = opened(run)
    assert page.page.locator("h1").text_content() == mechanism.name
    assert page.page.locator("img[src=x]").count() == 0
    assert page.number("q", mechanism.q_labels[0]) == pytest.approx(run.q[0, 0], rel=6e-6, abs=1e-9)
    page.done(path)


def test_what_is_missing_is_on_the_page(opened):
    run = run_of("double-pendulum")
    q = run.q.copy()
    q[50:] = np.nan
    cut = am.Run(run.mechanism_name, run.time, {"q": q}, {"q": run.labels["q"]})
    cut.simulated = run.mechanism
    page, path = opened(cut)
    notes = page.page.locator(".arm-notes").text_content()
    assert "left out" in notes and "Record them" in notes
    assert not page.page.evaluate("() => window.page.view.arrows.shades.visible")
    page.done(path)


def test_a_thousand_bodies_open(opened):
    mechanism = chain(1000)
    page, path = opened(prescribed_run(mechanism, 121, seconds=2.0))
    page.seek(1.0)
    page.page.wait_for_function("() => window.page.view.drawn > 0", timeout=PATIENCE)
    rows = page.page.locator('[data-series="q"] tr[data-label]')
    assert rows.count() == 100  # the others come when they are asked for
    page.page.click(".arm-more button")
    assert rows.count() == 1000
    wanted = 0.4 * np.sin(2.0 * 1.0 + 0.3 * 999)  # the sines of `prescribed_run`
    text = rows.nth(999).locator(".arm-now").text_content()
    assert float(text.replace("\u2212", "-")) == pytest.approx(wanted, rel=1e-4)
    assert page.page.locator("details:not([open]) tr").count() == 0
    page.page.get_by_text("bodies (1000)").click()
    page.page.wait_for_function(
        "() => document.querySelectorAll('.arm-words tbody tr').length === 1000", timeout=PATIENCE
    )
    page.done(path)


def test_without_webgl_lines_are_drawn_and_it_is_said(launch, tmp_path):
    file = run_of("four-bar").animate(tmp_path / "run.html")
    flags = [f for f in FLAGS if "swiftshader" not in f and "angle" not in f]
    flags += ["--disable-gpu", "--disable-3d-apis"]
    started = launch(flags)
    page = Opened(started, file)
    page.page.locator(".arm-flat").wait_for(state="visible")  # the view is drawn once it is seen
    assert not page.page.evaluate("() => window.page.view.solid")
    assert "no WebGL" in page.page.locator(".arm-flat").text_content()
    drawn(page.page)
    assert coloured(page) > 0.002
    page.seek(0.25)
    started.close()


def test_a_narrow_screen_has_no_sideways_scrolling(opened):
    page, path = opened(run_of("four-bar"), viewport={"width": 390, "height": 800})
    drawn(page.page)
    wide = page.page.evaluate("() => document.documentElement.scrollWidth")
    assert wide <= 390
    page.done(path)


@pytest.mark.parametrize("name", ["rover", "stewart"])
def test_names_of_tables_are_readable_on_a_small_laptop(opened, name):
    page, path = opened(run_of(name), viewport={"width": 1000, "height": 640})
    drawn(page.page)
    cut = page.page.eval_on_selector_all(
        '[data-series="q"] tbody th',
        "(all) => all.filter((x) => x.scrollWidth > x.clientWidth).map((x) => x.title)",
    )
    assert cut == []
    page.done(path)


@pytest.mark.long
def test_twenty_views_on_one_page(browser, tmp_path):
    """More than a browser has contexts: views out of sight give theirs back."""
    views = [am.example("two-link").view(height=260)._repr_html_() for _ in range(2)]
    cells = "".join(views[k % 2] for k in range(20))
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><meta charset=utf-8><link rel=icon href='data:,'>{cells}")
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    said = []
    page.on("console", lambda m: said.append(m.text))
    page.on("pageerror", lambda fault: said.append(str(fault)))
    page.goto(path.as_uri())
    for k in range(20):
        frame = page.locator("iframe").nth(k)
        frame.scroll_into_view_if_needed()
        inside = frame.element_handle().content_frame()
        inside.wait_for_function(READY, timeout=PATIENCE)
        inside.wait_for_selector("canvas.arm-canvas", timeout=PATIENCE)
    assert [text for text in said if SOFTWARE not in text] == []
    context.close()


def test_mounting_again_leaves_nothing_behind(opened):
    page, path = opened(run_of("four-bar"))
    script = """async () => {
      const scene = JSON.parse(document.getElementById("scene").textContent);
      const place = document.getElementById("view");
      for (let k = 0; k < 3; k++) {
        window.page.dispose();
        window.page = await armillary.mount(place, scene, {});
      }
      const styles = document.querySelectorAll("style[data-armillary]").length;
      return [styles, document.querySelectorAll(".arm").length];
    }"""
    assert page.page.evaluate(script) == [1, 1]
    page.done(path)


def test_another_format_is_refused_in_words(opened):
    page, _ = opened(run_of("double-pendulum"))
    script = """async () => {
      const place = document.createElement("div");
      const scene = { format: "armillary.scene/9" };
      try { await armillary.mount(place, scene, {}); } catch (fault) { return fault.message; }
      return "";
    }"""
    assert "armillary.scene/1" in page.page.evaluate(script)
    page.context.close()
