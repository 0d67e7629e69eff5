"""Living pages in Chromium, from a file with the network off: they check themselves and move; a
drag moves a body, a slider a joint."""

import json

import numpy as np
import pytest
from pages import FLAGS, HOSTILE, chromium, drawn, renamed

import armillary as am

pytestmark = pytest.mark.browser
READY = "() => document.documentElement.dataset.ready === 'yes'"
PATIENCE = 120_000  # ms, on a busy machine
SOFTWARE = "GL Driver Message"  # of Chromium's software renderer, not of the page
# where the centre of mass of a body is on the screen
SPOT = """(k) => {
  const { engine, page } = window.living;
  const { view } = page;
  const [x, y, z] = engine.data.pulls[k].com;
  const e = view.poses.matrices[k].elements;
  const at = [0, 1, 2].map((i) => e[i] * x + e[4 + i] * y + e[8 + i] * z + e[12 + i]);
  const flat = view.controls.target.clone().set(...at).project(view.camera);
  const box = view.pane.getBoundingClientRect();
  return [box.left + ((flat.x + 1) / 2) * box.width, box.top + ((1 - flat.y) / 2) * box.height];
}"""


@pytest.fixture(scope="module")
def browser():
    path = chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        started = play.chromium.launch(executable_path=path, args=list(FLAGS))
        yield started
        started.close()


class Opened:
    def __init__(self, browser, path, script=None):
        self.path = path
        self.context = browser.new_context(offline=True)
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        if script is not None:
            self.page.add_init_script(script)
        self.said, self.asked = [], []
        self.page.on("console", lambda m: self.said.append(m.text))
        self.page.on("pageerror", lambda fault: self.said.append(str(fault)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri())
        self.page.wait_for_function(READY, timeout=PATIENCE)

    def ask(self, script, *given):
        return self.page.evaluate(script, *given)

    def until(self, script):
        self.page.wait_for_function(script, timeout=PATIENCE)

    def q(self):
        return np.array(self.ask("() => Array.from(window.living.engine.q)"))

    def done(self):
        """Nothing was said, nothing but the file was asked for."""
        assert [text for text in self.said if SOFTWARE not in text] == []
        asked = [a for a in self.asked if not a.startswith(("data:", "blob:"))]
        assert asked == [self.path.as_uri()]
        self.context.close()


def held(mechanism):
    return am.PID(mechanism, mechanism.neutral() + 0.3, 4.0, 0.0, 1.0)


@pytest.fixture
def arm(browser, tmp_path):
    mechanism = am.example("two-link")
    opened = Opened(browser, mechanism.page(tmp_path / "arm.html", controller=held(mechanism)))
    opened.page.wait_for_selector("canvas.arm-canvas")
    opened.until("() => window.living.engine.t > 0.05 && window.page.view.drawn > 0")
    return opened


def test_it_checks_itself_and_moves(arm):
    arm.until("() => window.living.engine.t > 0.2")
    arm.page.keyboard.press("Space")
    assert not arm.ask("() => window.living.playing")
    before = arm.ask("() => window.living.engine.t")
    arm.page.keyboard.press("r")
    assert arm.ask("() => window.living.engine.t") == 0.0 < before
    assert arm.q() == pytest.approx(am.example("two-link").initial)
    arm.page.click(".arm-play")
    arm.until("() => window.living.engine.t > 0.05")
    arm.done()


def test_its_steps_are_those_of_the_library(browser, tmp_path):
    mechanism = am.example("four-bar")
    opened = Opened(browser, mechanism.page(tmp_path / "bars.html"))
    script = """() => { const { living } = window; living.pause(); living.engine.reset();
      living.steps(300); return Array.from(living.engine.q); }"""
    run = am.simulate(mechanism, duration=0.3, step=1e-3)
    np.testing.assert_allclose(opened.ask(script), run.q[-1], rtol=0, atol=1e-12)
    matrix = np.reshape(
        opened.ask("() => Array.from(window.living.page.view.poses.matrices[1].elements)"), (4, 4)
    )
    R, p = mechanism.pose(run.q[-1], mechanism.bodies[1])
    assert matrix.T[:3, :3] == pytest.approx(R, abs=2e-6)
    assert matrix.T[:3, 3] == pytest.approx(p, abs=2e-6)
    opened.done()


def test_a_drag_moves_a_body(arm):
    """The hand leads the second link towards the mouse."""
    arm.ask(
        "() => { window.living.pause(); window.living.engine.reset(); window.living.steps(0); }"
    )
    x, y = arm.ask(SPOT, 1)
    arm.page.mouse.move(x, y)
    arm.page.mouse.down()
    assert arm.ask("() => window.living.grip?.body") == 1
    arm.page.mouse.move(x + 120, y - 60, steps=4)
    arm.ask("() => window.living.pause()")
    script = """() => {
      const { living } = window;
      const { body, point } = living.grip;
      const goal = living.goal.clone();
      const after = () => { living.engine.reset(); living.steps(1500);
        return [goal.distanceTo(living.place(body, point)), ...living.engine.q]; };
      living.strength = 30;
      const led = after();
      const grip = living.grip;
      living.grip = null;
      const left = after();
      living.grip = grip;
      return [led, left];
    }"""
    led, left = np.array(arm.ask(script))
    assert led[0] < 0.8 * left[0]  # nearer to the mouse than without the hand
    assert abs(led - left)[1:].max() > 0.1
    arm.page.mouse.up()
    assert arm.ask("() => window.living.grip") is None
    arm.done()


def test_shift_and_a_click_push(arm):
    """The same 200 steps with a push and without it."""
    begin = """() => { const { living } = window; living.pause(); living.run = () => {};
      living.engine.reset(); living.steps(0); }"""
    go = "() => { window.living.steps(200); return Array.from(window.living.engine.q); }"
    arm.ask(begin)
    left = np.array(arm.ask(go))
    arm.ask(begin)
    arm.page.keyboard.down("Shift")
    arm.page.mouse.click(*arm.ask(SPOT, 1))
    arm.page.keyboard.up("Shift")
    assert arm.ask("() => window.living.push.body") == 1
    assert abs(np.array(arm.ask(go)) - left).max() > 1e-3
    assert arm.ask("() => window.living.push") is None
    arm.done()


def test_a_slider_moves_the_target(arm):
    arm.ask("() => window.living.pause()")
    arm.page.locator('[data-target="0"]').evaluate(
        "(x) => { x.value = '1'; x.dispatchEvent(new Event('input')); }"
    )
    mechanism = am.example("two-link")
    script = """() => { const { living } = window; living.engine.reset(); living.steps(400);
      return Array.from(living.engine.q); }"""
    target = mechanism.neutral() + 0.3
    target[0] = 1.0
    controller = am.PID(mechanism, target, 4.0, 0.0, 1.0)
    run = am.simulate(mechanism, duration=0.4, step=1e-3, controller=controller)
    np.testing.assert_allclose(arm.ask(script), run.q[-1], rtol=0, atol=1e-11)
    arm.done()


def test_other_numbers_are_a_sentence_and_no_simulation(browser, tmp_path):
    path = am.example("double-pendulum").page(tmp_path / "page.html")
    head, rest = path.read_text(encoding="utf-8").split('id="living">')
    text, tail = rest.split("</script>", 1)
    data = json.loads(text)
    data["checks"]["steps"][0]["q"][0] += 1e-3
    path.write_text(f'{head}id="living">{json.dumps(data)}</script>{tail}', encoding="utf-8")
    opened = Opened(browser, path)
    assert "Nothing is simulated" in opened.page.locator("[role=alert]").text_content()
    assert opened.ask("() => window.living") is None
    opened.done()


def test_hostile_names_do_nothing(browser, tmp_path):
    mechanism = renamed(am.example("double-pendulum"), lambda name: f"{name} {HOSTILE}")
    controller = am.PID(mechanism, mechanism.neutral(), 5.0, 0.0, 1.0)
    opened = Opened(browser, mechanism.page(tmp_path / "page.html", controller=controller))
    assert opened.page.locator(".arm-target span").first.text_content() == mechanism.v_labels[0]
    assert opened.page.locator("img[src=x]").count() == 0
    opened.done()


def typed(opened, number, text):
    field = opened.page.locator(".arm-target input[type=number]").nth(number)
    field.focus()
    field.evaluate("(x, text) => { x.value = text; x.dispatchEvent(new Event('change')); }", text)
    return field.input_value()


def test_what_is_typed_into_fields(arm):
    """A number moves the target, also beyond the slider; what is none leaves it as it was."""
    arm.ask("() => window.living.pause()")
    now = "() => Array.from(window.living.engine.target)"
    before = arm.ask(now)
    for text in ("", "abc", "NaN", "1e999"):
        assert typed(arm, 0, text) == "0.3"
    arm.said.clear()  # Chromium complains of a script that types letters into such a field
    assert arm.ask(now) == before
    typed(arm, 0, "12.5")
    assert arm.ask(now)[0] == 12.5
    slider = arm.page.locator('[data-target="0"]')
    assert float(slider.input_value()) == 12.5 <= float(slider.get_attribute("max"))
    arm.done()


def test_huge_gains_end_with_a_sentence_and_reset_goes_on(arm):
    damping = len(am.example("two-link").v_labels) + 1
    typed(arm, damping, "1e9")
    arm.until("() => window.living.stopped !== ''")
    assert "beyond all bounds" in arm.page.locator(".arm-flat[role=status]").text_content()
    assert abs(arm.q()).max() < 1e4  # it is still to be seen
    typed(arm, damping, "1")
    arm.page.click(".arm-reset")
    arm.until("() => window.living.engine.t > 0.05 && !window.living.stopped")
    arm.done()


def test_a_tab_that_slept_does_not_catch_up(arm):
    script = """() => { const { living } = window; living.pause(); living.engine.reset();
      living.playing = true; living.last = performance.now() - 60000;
      living.tick(performance.now()); living.pause(); return living.engine.t; }"""
    assert arm.ask(script) <= 0.1 + 1e-9
    arm.done()


def test_keys_change_the_speed_and_make_single_steps(arm):
    arm.page.keyboard.press("-")
    assert arm.ask("() => window.living.speed") == 0.5
    arm.page.keyboard.press("+")
    arm.page.keyboard.press(".")
    before = arm.ask("() => window.living.engine.t")
    arm.page.keyboard.press(".")
    after = arm.ask("() => [window.living.engine.t, window.living.playing]")
    assert after == [pytest.approx(before + 1e-3), False]
    arm.done()


def test_limits_are_told(browser, tmp_path):
    b = am.Builder("rod")
    rod = {"mass": 1.0, "com": (0.3, 0, 0), "inertia": (0.01, 0.1, 0.1)}
    b.body("rod", joint="revolute", axis="y", limits=am.Limits(-0.5, 0.4), **rod)
    path = b.build().page(tmp_path / "rod.html", events=am.JointLimits(0.5))
    opened = Opened(browser, path)
    opened.ask("() => { window.living.pause(); window.living.steps(1000); }")
    said = opened.page.locator(".arm-said li").all_text_contents()
    assert said and all("'rod'" in text and "upper limit" in text for text in said)
    assert opened.q()[0] <= 0.4 + 1e-9
    opened.done()


NO_WEBGL = """const get = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
  return String(kind).startsWith("webgl") ? null : get.call(this, kind, ...rest); };"""


@pytest.mark.parametrize("missing", ["WebAssembly", "WebGL"])
def test_browsers_that_lack_something_say_so(missing, browser, tmp_path):
    path = am.example("double-pendulum").page(tmp_path / "page.html")
    script = NO_WEBGL if missing == "WebGL" else "delete globalThis.WebAssembly;"
    opened = Opened(browser, path, script)
    text = opened.page.locator(".arm-flat:visible").first.text_content()
    assert missing in text
    if missing == "WebGL":  # lines are drawn instead, and they move
        opened.until("() => window.living.engine.t > 0.05")
        opened.ask("() => { window.living.pause(); }")
        drawn(opened.page)
        x, y = opened.ask(SPOT, 1)
        opened.page.mouse.move(x, y)
        opened.page.mouse.down()
        assert opened.ask("() => window.living.grip?.body") == 1
        opened.page.mouse.up()
    else:
        assert text == "Nothing is simulated here: this browser has no WebAssembly."
        assert opened.ask("() => window.living") is None
    opened.context.close()


def test_a_finger_drags_a_body_and_two_pages_do_not_meet(arm):
    arm.ask(
        "() => { window.living.pause(); window.living.engine.reset(); window.living.steps(0); }"
    )
    x, y = arm.ask(SPOT, 1)
    touch = """([x, y]) => { const { pane } = window.living.page.view;
      const at = (kind, x, y) => pane.dispatchEvent(new PointerEvent(kind, { pointerId: 7,
        pointerType: "touch", isPrimary: true, button: 0, clientX: x, clientY: y, bubbles: true }));
      pane.setPointerCapture = () => {};
      at("pointerdown", x, y); const held = window.living.grip?.body;
      at("pointermove", x + 80, y); const goal = window.living.goal.toArray();
      at("pointerup", x + 80, y); return [held, goal, window.living.grip]; }"""
    held, _, released = arm.ask(touch, [x, y])
    assert held == 1 and released is None
    arm.ask("() => window.living.pause()")
    other = arm.context.new_page()
    other.goto(arm.path.as_uri())
    other.wait_for_function(READY, timeout=PATIENCE)
    before = arm.ask("() => window.living.engine.t")
    other.wait_for_function("() => window.living.engine.t > 0.05", timeout=PATIENCE)
    assert arm.ask("() => window.living.engine.t") == before
    other.close()
    arm.done()
