"""The planner in a browser: planner_test.py GPUPLAN PLANNER.html.

The page is opened from disk, as a user opens it.  Its answers are those of the program, its flows
work by mouse and keyboard, nothing is asked of a network, and the console stays empty.
"""
import json
import os
import pathlib
import shlex
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "bindings"))
import browser  # noqa: E402
import corpus  # noqa: E402
import native  # noqa: E402

PROGRAM, PAGE = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
CONFIGS = pathlib.Path(__file__).parent.parent / "data" / "configs"
SKIPPED = 77
ADDRESS = pathlib.Path(PAGE).resolve().as_uri()
READY = "!document.body.classList.contains('busy') && document.querySelector('#layouts .note') !== null"


# What is wrong with what the page shows, as a list of sentences.
LOOK = r"""
(() => {
  const faults = [];
  const wide = document.documentElement.scrollWidth - window.innerWidth;
  if (wide > 0) faults.push(`the page is ${wide} px wider than the window`);
  for (const picture of document.querySelectorAll('svg')) {
    const frame = picture.getBoundingClientRect();
    if (frame.width === 0) continue;
    const name = picture.closest('section').id;
    const texts = [...picture.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
    texts.forEach(([text, a], i) => {
      if (a.left < frame.left - 1 || a.right > frame.right + 1 || a.top < frame.top - 2 || a.bottom > frame.bottom + 2)
        faults.push(`${name}: '${text}' sticks out of its picture`);
      for (const [other, b] of texts.slice(i + 1)) {
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (across > 0.5 && down > 4) faults.push(`${name}: '${text}' lies over '${other}'`);
      }
    });
  }
  for (const name of document.querySelectorAll('#verdict .whole'))
    if (name.getBoundingClientRect().height > 1.5 * parseFloat(getComputedStyle(name).lineHeight))
      faults.push(`'${name.textContent}' is broken into lines`);
  for (const table of document.querySelectorAll('.table'))
    if (!table.closest('details:not([open])') && table.scrollWidth > table.clientWidth + 1)
      faults.push(`a table of ${table.closest('section').id} is wider than its place`);
  if (/\b(NaN|undefined|Infinity|null)\b/.test(document.body.innerText)) faults.push('says NaN or the like');
  return faults;
})()
"""

# How well texts stand out from the page, the least of all.
CONTRAST = r"""
(() => {
  const light = text => {
    const parts = text.match(/[\d.]+/g).slice(0, 3).map(x => x / 255)
      .map(x => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const paper = light(getComputedStyle(document.body).backgroundColor);
  let least = 21;
  for (const text of document.querySelectorAll('svg text, p, h1, h2, th, td, dt, label, strong')) {
    const style = getComputedStyle(text);
    const ink = light(text.tagName === 'text' ? style.fill : style.color);
    least = Math.min(least, (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05));
  }
  return least;
})()
"""


class Planner(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.chromium = browser.Browser()
        cls.chromium.__enter__()
        cls.page = cls.chromium.page()

    @classmethod
    def tearDownClass(cls):
        cls.chromium.__exit__()

    def further(self):
        """Waits for what follows the layouts: what would help, or fit."""
        self.wait("![...document.querySelectorAll('#help, #better')].some(one => "
                  "!one.parentElement.hidden && one.classList.contains('stale'))")

    def wait(self, condition, seconds=90):
        """Until a script says so."""
        end = time.monotonic() + seconds
        while not self.page.evaluate(condition):
            if time.monotonic() > end:
                self.fail(f"waited {seconds} s for: {condition}; the page says: "
                          + self.page.evaluate("document.querySelector('main').innerText"))
            time.sleep(0.05)

    def open(self, fragment="", width=1280, scheme="light", ready=READY):
        self.page.look(width, scheme=scheme)
        self.page.send("Page.navigate", url="about:blank")
        requests, complaints = self.page.open(ADDRESS + ("#" + fragment if fragment else ""))
        own = [url for url in requests if not url.startswith(("blob:", "data:", ADDRESS))]
        self.assertEqual(own, [])
        self.assertEqual(complaints, [])
        self.wait(ready)

    def text(self, selector):
        return self.page.evaluate(f"document.querySelector({json.dumps(selector)}).textContent")

    def picture(self, name):
        if folder := os.environ.get("GPUPLAN_PICTURES"):
            self.page.picture(f"{folder}/{name}.png")

    def native(self, *words, code=0):
        done = subprocess.run([PROGRAM, *words, "--json"], capture_output=True, timeout=120)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)

    def test_it_answers_the_usual_question(self):
        self.open()
        self.assertIn("It fits", self.text("#verdict"))
        answer = self.native("plan", "llama-3-8b", "--gpu", "H100", "--gpus", "64")
        rows = self.page.evaluate("document.querySelectorAll('#layouts tbody tr').length")
        self.assertEqual(rows, len(answer["plans"]))
        self.assertEqual(self.text("#command"),
                         "gpuplan plan llama-3-8b --gpu H100-SXM5-80GB --gpus 64")
        self.picture("usual-1280")


    def type(self, selector, text):
        """As a user does: the input gets the focus, then the text, then says so."""
        self.page.evaluate(f"""(() => {{
          const input = document.querySelector({json.dumps(selector)});
          input.focus();
          input.value = {json.dumps(text)};
          input.dispatchEvent(new Event('input', {{bubbles: true}}));
          input.dispatchEvent(new Event('change', {{bubbles: true}}));
        }})()""")

    def click(self, selector):
        self.page.evaluate(f"document.querySelector({json.dumps(selector)}).click()")

    def say(self, condition, seconds=90):
        self.wait(f"document.querySelector('#command').textContent.includes({json.dumps(condition)})"
                  f" && {READY}", seconds)

    def assert_same(self, one, other, where="answer"):
        """Equal, numbers to 1e-12."""
        if isinstance(one, dict) and isinstance(other, dict):
            self.assertEqual(sorted(one), sorted(other), where)
            for key in one:
                self.assert_same(one[key], other[key], f"{where}.{key}")
        elif isinstance(one, list) and isinstance(other, list):
            self.assertEqual(len(one), len(other), where)
            for i, (a, b) in enumerate(zip(one, other)):
                self.assert_same(a, b, f"{where}[{i}]")
        elif isinstance(one, (int, float)) and isinstance(other, (int, float)):
            self.assertLessEqual(abs(one - other), 1e-12 * max(abs(one), abs(other)), where)
        else:
            self.assertEqual(one, other, where)

    def asked(self, requests):
        """What the module in the page answers."""
        return self.page.evaluate(f"""(async () => {{
          const answers = [];
          for (const one of {json.dumps(requests)}) answers.push(await gpuplan(one));
          return answers;
        }})()""")

    def quiet(self):
        """Nothing was asked of a network, and nothing said to the console, since the page opened."""
        self.page.evaluate("new Promise(done => setTimeout(() => done(1), 50))")
        for event in self.chromium.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Network.requestWillBeSent":
                url = parameters["request"]["url"]
                self.assertTrue(url.startswith(("blob:", "data:", ADDRESS)), url)
            self.assertNotIn(method, ("Log.entryAdded", "Runtime.consoleAPICalled",
                                      "Runtime.exceptionThrown"), parameters)

    def words_of_command(self):
        """The command that the page shows, without the name of the program."""
        words = shlex.split(self.text("#command"))
        self.assertEqual(words[0], "gpuplan")
        return words[1:]

    def test_the_command_prints_what_the_page_shows(self):
        self.open("model=llama-3.2-1b&cluster.gpu=A100-80GB&cluster.gpus=16"
                  "&recipe.sequence_length=4096&recipe.precision=mixed_bf16&options.tokens=300B")
        native = self.native(*self.words_of_command())
        best = native["plans"][0]
        self.assertEqual(self.page.evaluate(
            "document.querySelector('#layouts tbody tr').cells[3].textContent"),
            in_words(best["step_time_s"]))
        self.assertIn("300 G in", self.text("#run"))
        self.quiet()

    def test_a_config_is_pasted_dropped_and_refused(self):
        self.open()
        config = (CONFIGS / "llama-3-8b.json").read_text(encoding="utf-8")
        usual = self.text("#verdict").replace("llama-3-8b", "")
        self.page.evaluate("document.querySelector('#paste').open = true")
        self.type("#config", config)
        self.say("config.json --gpu")
        self.assertEqual(self.text("#verdict").replace("config.json", ""), usual)
        for text, says in [("{", "is not JSON"), ("[1]", "must be a JSON object"),
                           ("null", "must be a JSON object")]:
            self.type("#config", text)
            self.wait(f"document.querySelector('#config-fault').textContent.includes('{says}')")
        for text, says in [('{"model_type": "lama"}', "config.json"),
                           ('{"model_type": "llama", "hidden_size": -1}', "config.json"),
                           ('{"model_type": "<img src=x onerror=alert(1)>"}', "config.json")]:
            self.type("#config", text)
            self.wait(f"document.querySelector('#fault').textContent.includes('{says}')")
            self.assertEqual(self.page.evaluate("document.querySelectorAll('img').length"), 0)
        self.page.evaluate(f"""(() => {{
          const data = new DataTransfer();
          data.items.add(new File([{json.dumps(config)}], "my <b>model.json"));
          document.dispatchEvent(new DragEvent("drop", {{dataTransfer: data, bubbles: true}}));
        }})()""")
        self.say("my <b>model.json")
        self.assertIn("It fits", self.text("#verdict"))
        self.assertIn("my <b>model.json", self.text("#model-note"))
        self.click("#drop-config")
        self.say("plan llama-3-8b")
        self.quiet()

    def test_sliders_answer_as_fit_does(self):
        self.open()
        for slider, place in [("tensor", 3), ("zero", 1), ("recompute", 2), ("micro_batch_size", 0)]:
            self.page.evaluate(f"""(() => {{
              const slider = document.querySelector("#try-{slider}");
              slider.focus();
              slider.value = {place};
              slider.dispatchEvent(new Event("input", {{bubbles: true}}));
            }})()""")
        self.wait("document.querySelector('#figures').textContent.includes('DP 8, TP 8, micro-batch 1')")
        words = self.words_of_command()
        self.assertEqual(words[0], "fit")
        native = self.native(*words)
        self.wait(f"document.querySelector('#verdict').textContent.includes("
                  f"{json.dumps('takes ' + in_words(native['step_time_s']) + ' ')})")
        self.assertEqual(native["inputs"]["recipe"]["recompute"], "full")
        self.assertEqual(native["inputs"]["recipe"]["zero"], 1)
        self.click("#best")
        self.say("gpuplan plan llama-3-8b")
        self.quiet()

    def test_a_slider_moves_by_keys(self):
        self.open()
        self.page.evaluate("document.querySelector('#try-tensor').focus()")
        for kind in ("keyDown", "keyUp"):
            self.page.send("Input.dispatchKeyEvent", type=kind, key="ArrowRight", code="ArrowRight",
                           windowsVirtualKeyCode=39)
        self.wait("document.querySelector('#figures').textContent.includes('TP 2')")
        self.assertEqual(self.page.evaluate("document.activeElement.id"), "try-tensor")

    def test_what_does_not_fit_is_made_to_fit(self):
        self.open("model=llama-3-70b&cluster.gpu=H100-SXM5-80GB&cluster.gpus=8")
        self.assertIn("It does not fit", self.text("#verdict"))
        native = self.native(*self.words_of_command(), code=4)
        self.further()
        self.assertEqual(self.page.evaluate("document.querySelectorAll('#help tbody tr').length"),
                         len(native["what_fits"]))
        self.picture("misfit-1280")
        self.click("[data-apply='0']")
        self.assertEqual(self.page.evaluate("document.activeElement.id"), "verdict-heading")
        self.say(native["what_fits"][0]["options"])
        self.assertIn("It fits", self.text("#verdict"))
        self.assertTrue(self.page.evaluate("document.querySelector('#help-section').hidden"))
        self.quiet()

    def test_the_first_answer_waits_for_one_search_alone(self):
        self.open()
        self.further()
        self.wait("document.querySelector('#scale svg') !== null")
        self.page.evaluate("""(() => {
          window.posted = [];
          const post = Worker.prototype.postMessage;
          Worker.prototype.postMessage = function (message) {
            if (message.request) {
              const ready = !document.body.classList.contains("busy");
              window.posted.push({...message.request, ready});
            }
            return post.apply(this, arguments);
          };
        })()""")
        self.type("#gpus", "1024")
        self.wait("posted.some(one => one.question === 'scale')")
        posted = self.page.evaluate("posted")
        before = [one for one in posted if not one["ready"]]
        self.assertEqual([one["question"] for one in before], ["evaluate", "plan"])
        self.assertIs(before[1]["options"]["quick"], True)
        after = [one for one in posted if one["ready"]]
        self.assertEqual([one["question"] for one in after], ["plan", "scale"])
        self.assertNotIn("quick", after[0].get("options", {}))
        self.further()
        self.assertIn("twice the", self.text("#better"))
        self.quiet()

    def test_a_link_holds_the_question(self):
        self.open()
        self.type("#gpus", "128")
        self.type("#sequence", "8192")
        self.type("#tokens", "2T")
        self.say("--gpus 128 --sequence 8192 --tokens 2T")
        self.wait("location.hash.includes('tokens=2T')")
        verdict, address = self.text("#verdict"), self.page.evaluate("location.hash.slice(1)")
        self.open(address)
        self.assertEqual(self.text("#verdict"), verdict)
        self.assertEqual(self.page.evaluate("document.querySelector('#sequence').value"), "8192")
        config = (CONFIGS / "llama-3-8b.json").read_text(encoding="utf-8")
        self.type("#config", config)
        self.say("config.json --gpu")
        self.wait("location.hash.includes('config=')")
        verdict, address = self.text("#verdict"), self.page.evaluate("location.hash.slice(1)")
        self.open(address)
        self.assertEqual(self.text("#verdict"), verdict)
        self.quiet()

    def test_damaged_links_are_refused_in_words(self):
        self.open("config=%21%21&name=x")
        for fragment, says in [("model=lama-3-8b", "lama-3-8b"), ("cluster.gpu=X1", "X1"),
                               ("cluster.gpus=-3", "gpus"), ("recipe.nonsense=1", "nonsense"),
                               ("recipe.sequence_length=%3Cscript%3E", "sequence")]:
            with self.subTest(fragment=fragment):
                self.open(fragment, ready="document.querySelector('#fault').textContent !== ''")
                self.assertIn(says, self.text("#fault"))
                self.assertIn("no answer", self.text("#verdict"))
                self.assertLessEqual(self.page.evaluate(
                    "[...document.querySelectorAll('main section')].filter(one => one.offsetHeight).length"), 1)
        self.open("model=lama-3-8b", ready="document.querySelector('#fault').textContent !== ''")
        self.assertEqual(self.page.evaluate("document.querySelector('[aria-invalid]').id"), "model")
        self.quiet()

    def test_links_may_have_other_names_of_a_gpu(self):
        self.open("cluster.gpu=H200&cluster.gpus=8&recipe.precision=bf16")
        self.assertEqual(self.page.evaluate("[gpu, precision].map(one => one.value)"), ["H200", "bf16"])
        self.assertIn("8 H200", self.text("#verdict"))

    def test_where_no_layout_is_possible_the_rule_is_named(self):
        self.open("cluster.gpus=8&parallelism.tensor=5")
        native = self.native(*self.words_of_command(), code=4)
        self.assertIn(f"each of {native['search']['candidates']} layouts breaks a rule, "
                      "most of them that of attention heads", self.text("#verdict"))

    def test_two_setups_stand_side_by_side(self):
        self.open()
        self.click("#keep")
        self.type("#gpu", "H200")
        self.page.evaluate("""(() => {
          const gpu = document.querySelector("#gpu");
          gpu.value = [...gpu.options].find(one => one.value.startsWith("H200")).value;
          gpu.dispatchEvent(new Event("input", {bubbles: true}));
        })()""")
        self.say("--gpu H200")
        self.wait("document.querySelector('#compare').textContent.includes('H200')")
        rows = dict((row[0], row[1:]) for row in self.page.evaluate(
            "[...document.querySelectorAll('#compare tr')].map(row => "
            "[...row.cells].map(cell => cell.textContent))"))
        self.assertEqual(rows["gpu"][0], "H100-SXM5-80GB")
        self.assertTrue(rows["gpu"][1].startswith("H200"))
        self.assertNotEqual(*rows["step"])
        self.wait("location.hash.includes('a.cluster.gpu=H100')")
        self.open(self.page.evaluate("location.hash.slice(1)"))
        self.wait("document.querySelector('#compare').textContent.includes('H200')")
        self.picture("compare-1280")
        self.click("#drop")
        self.assertEqual(self.page.evaluate("document.activeElement.id"), "keep")
        self.assertTrue(self.page.evaluate("document.querySelector('#compare-section').hidden"))
        self.quiet()

    def test_more_gpus_are_drawn(self):
        self.open("recipe.global_batch_size=512")
        self.wait("document.querySelector('#scale svg') !== null")
        native = self.native("scale", "llama-3-8b", "--gpu", "H100", "--gpus", "64",
                             "--fixed-batch", "512")
        self.assertEqual(self.page.evaluate("document.querySelectorAll('#scale tbody tr').length"),
                         len(native["points"]))

    def test_the_launch_is_that_of_the_program(self):
        self.open()
        self.page.evaluate("""(() => {
          const framework = document.querySelector("#framework");
          framework.value = "megatron";
          framework.dispatchEvent(new Event("change", {bubbles: true}));
        })()""")
        self.wait("!document.querySelector('#launch').hidden")
        answer = self.native("plan", "llama-3-8b", "--gpu", "H100", "--gpus", "64")
        layout, recipe = answer["parallelism"], answer["recipe"]
        done = subprocess.run(
            [PROGRAM, "fit", "llama-3-8b", "--gpu", "H100", "--gpus", "64",
             "--data", str(layout["data"]), "--tensor", str(layout["tensor"]),
             "--micro-batch", str(layout["micro_batch_size"]), "--zero", str(recipe["zero"]),
             "--batch", str(recipe["global_batch_size"]), "--emit", "megatron"],
            capture_output=True, text=True, timeout=60, check=True)
        self.assertEqual(self.text("#launch"), done.stdout)

    def test_every_option_has_an_input(self):
        self.open()
        native = json.loads(subprocess.run([PROGRAM, "evaluate", "--fields"], capture_output=True,
                                           timeout=60, check=True).stdout)
        wanted = sorted(f"{part}.{row['key']}" for part, rows in native.items() for row in rows)
        there = self.page.evaluate("[...document.querySelectorAll('[data-path]')]"
                                   ".map(input => input.dataset.path)")
        self.assertEqual(sorted(path for path in there if not path.startswith("options.")), wanted)
        self.assertEqual(self.page.evaluate(
            "[...document.querySelectorAll('input, select, textarea')].filter(input => "
            "!input.labels?.length && !input.getAttribute('aria-label')).map(input => input.id)"), [])
        self.type("#f-recipe-optimizer", "adam_8bit")
        self.say("--optimizer adam_8bit")
        self.type("#task", "qlora")
        self.say("--task qlora")
        native = self.native(*self.words_of_command())
        self.assertEqual(self.page.evaluate("document.querySelector('#batch').placeholder"),
                         str(native["inputs"]["recipe"]["global_batch_size"]))
        self.quiet()

    def test_it_looks_right_everywhere(self):
        for width, scheme, fragment in [(360, "light", ""),
                                        (360, "light", "model=llama-3.2-1b&cluster.gpu=H200&a.model=llama-3-70b"
                                                       "&a.cluster.gpu=H100-SXM5-80GB&a.cluster.gpus=512"),
                                        (360, "dark", "model=llama-3-70b&cluster.gpus=8"),
                                        (1280, "dark", "model=llama-3-70b&cluster.gpus=64&parallelism.pipeline=8"),
                                        (800, "light", "model=mixtral-8x7b-v0.1&cluster.gpus=64")]:
            with self.subTest(width=width, scheme=scheme):
                self.open(fragment, width=width, scheme=scheme)
                self.wait("document.querySelector('#scale svg, #scale table, #scale .note') !== null")
                self.page.evaluate("new Promise(done => setTimeout(() => done(1), 500))")
                self.assertEqual(self.page.evaluate(LOOK), [])
                self.assertGreaterEqual(self.page.evaluate(CONTRAST), 4.5)
                self.page.evaluate("document.querySelectorAll('main details').forEach(one => one.open = true)")
                self.assertEqual(self.page.evaluate(LOOK), [])
                self.picture(f"look-{width}-{scheme}")
        self.page.look(760, scheme="dark", media="print")
        self.page.evaluate("new Promise(done => setTimeout(() => done(1), 200))")
        self.assertEqual(self.page.evaluate(LOOK), [])
        self.assertEqual(self.page.evaluate("getComputedStyle(document.body).backgroundColor"),
                         "rgb(255, 255, 255)")
        self.picture("look-print")

    def test_a_thousand_answers_are_those_of_the_program(self):
        self.open()
        asked = corpus.everywhere()
        printed = native.printed(PROGRAM, asked, corpus.FILES)
        for start in range(0, len(asked), 20):  # a script of the browser's protocol is not too long
            part = slice(start, start + 20)
            answers = self.asked([request for _, request in asked[part]])
            for (_, request), answer, (code, text) in zip(asked[part], answers, printed[part],
                                                          strict=True):
                with self.subTest(request=request):
                    if code in (0, 4):
                        self.assert_same(answer, json.loads(text))
                    else:
                        self.assertEqual(corpus.without_options(answer["error"]["what"]),
                                         corpus.without_options(text))

    def test_what_is_left_out_is_refused(self):
        self.open()
        for question in ("queue", "place", "formula", "nonsense"):
            error = self.asked([{"question": question}])[0]["error"]
            self.assertIn(question, error["what"])


def in_words(seconds):
    """As the page writes times below a minute."""
    scale, unit = (1000, "ms") if seconds < 1 else (1, "s")
    value = seconds * scale
    return f"{value:.0f} {unit}" if value >= 100 else f"{float(f'{value:.3g}'):g} {unit}"


if __name__ == "__main__":
    if browser.found() is None:
        print("skipped: there is no Chromium here")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1], verbosity=2)
