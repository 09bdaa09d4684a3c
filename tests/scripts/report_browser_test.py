#!/usr/bin/env python3
"""Reports of real runs in a headless Chromium: no complaint and no request, text that fits and can be read at both widths and
in both schemes, a mark per row of every table, and clicks that change what is shown.

Usage: report_browser_test.py DIRECTORY with the testbenches. Without Chromium it says what it skips, but where CI is true it
fails: scripts/setup --browser installs it.
"""
import csv
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import package_path
from browser import Browser, browser_path
from hand_made_study import write_study
from testbench_runs import run_testbenches

PROGRAMS = sys.argv.pop(1)
SECONDS_TO_LOAD = 2
BYTES = 5_000_000

# Elements whose text is wider than they are, or that reach beyond the page.
OVERFLOW = """(() => {
    const bad = [], width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth > width) { bad.push("page " + document.documentElement.scrollWidth); }
    for (const node of document.querySelectorAll("body *")) {
        if (node.closest("svg") || !node.textContent.trim() || ["SCRIPT", "OPTION"].includes(node.tagName)) { continue; }
        const box = node.getBoundingClientRect(), style = getComputedStyle(node);
        if (!box.width || node.parentElement.closest(".scroll")) { continue; }
        if (node.scrollWidth > node.clientWidth + 1 && style.overflowX === "visible" && style.display !== "inline") {
            bad.push(`${node.tagName}.${node.className} ${node.scrollWidth} in ${node.clientWidth}: ` +
                     node.textContent.slice(0, 50));
        } else if (box.left < -1 || box.right > width + 1) {
            bad.push(`${node.tagName}.${node.className} at ${box.left} to ${box.right}: ${node.textContent.slice(0, 50)}`);
        }
    }
    return bad;
})()"""
# The least contrast of a text with what lies behind it, by WCAG 2, and whose it is.
CONTRAST = """(() => {
    const parsed = (text) => {
        const found = text.match(/[\\d.]+/g).map(Number);
        return found.length < 4 ? [...found, 1] : found;
    };
    const light = (colour) => colour.slice(0, 3).map((part) => part / 255)
        .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
    const behind = (node) => {
        for (; node; node = node.parentElement) {
            const colour = parsed(getComputedStyle(node).backgroundColor);
            if (colour[3] === 1) { return colour; }
        }
        return [255, 255, 255, 1];
    };
    let least = [99, "no text"], texts = 0;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode.parentElement;
        if (!walker.currentNode.data.trim() || ["SCRIPT", "STYLE"].includes(node.tagName)) { continue; }
        const [one, other] = [light(parsed(getComputedStyle(node).color)), light(behind(node))].sort((a, b) => b - a);
        const contrast = (one + 0.05) / (other + 0.05);
        texts += 1;
        if (contrast < least[0]) { least = [contrast, node.outerHTML.slice(0, 80)]; }
    }
    return {least: least[0], whose: least[1], texts};
})()"""
# Per chart of a table: file, rows that it tells, and marks that are there.
MARKS = """[...document.querySelectorAll("figure[data-csv]")].map((figure) => ({csv: figure.dataset.csv,
    rows: Number(figure.dataset.rows), perMark: Number(figure.dataset.perMark), marks: figure.querySelectorAll(".m").length}))"""


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return sum(1 for _ in csv.reader(file)) - 1


@unittest.skipUnless(browser_path() or os.environ.get("CI") == "true",
                     "no Chromium (scripts/setup --browser): what reports look like and how they answer clicks is not tested")
class ReportInBrowserTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = os.path.realpath(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.runs = run_testbenches(PROGRAMS, cls.folder)
        cls.pages = {name: cls.report(name, path) for name, path in cls.runs.items()}
        cls.pages["together"] = cls.report("together", *(cls.runs[name] for name in ("dxt", "contract", "segmented")))
        os.mkdir(os.path.join(cls.folder, "study"))
        write_study(os.path.join(cls.folder, "study"))
        cls.pages["study"] = cls.report("study_page", os.path.join(cls.folder, "study"))
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    @classmethod
    def report(cls, name, *runs):
        path = os.path.join(cls.folder, f"{name}.html")
        subprocess.run([sys.executable, package_path.REPORT, "--output", path, *runs], check=True, stdout=subprocess.DEVNULL)
        return path

    def open(self, name):
        return self.browser.open(self.pages[name], 1440)

    def changed(self, expression, act):
        """Whether an action changes a value of the page."""
        before = self.browser.value(expression)
        act()
        return before != self.browser.value(expression)

    def test_pages(self):
        """Opened once each: what takes time is the browser."""
        for name, path in self.pages.items():
            with self.subTest(name):
                self.assertLess(self.open(name), SECONDS_TO_LOAD)
                self.assertLess(os.path.getsize(path), BYTES)
                self.check_marks(name)
                self.browser.value("document.querySelectorAll('details').forEach((node) => { node.open = true; })")
                for width, dark in ((1440, False), (390, True), *(((390, False), (1440, True)) if name == "together" else ())):
                    self.browser.look(width, dark)
                    self.check_text(f"{width}, {'dark' if dark else 'light'}")
                self.assertEqual(self.browser.complaints, [])
                self.assertEqual([url for url in self.browser.requests if not url.startswith("data:")], ["file://" + path])

    def check_text(self, look):
        self.assertEqual(self.browser.value(OVERFLOW), [], look)
        contrast = self.browser.value(CONTRAST)
        self.assertGreater(contrast["texts"], 20)
        self.assertGreaterEqual(contrast["least"], 4.5, f"{look}: {contrast['whose']}")

    def check_marks(self, name):
        if name not in self.runs:
            return
        shown = [chart for chart in self.browser.value(MARKS) if chart["csv"].endswith(".csv")]
        tables = {file for file in os.listdir(self.runs[name]) if file.endswith(".csv")} - {"events.csv"}  # for programs
        self.assertEqual({chart["csv"] for chart in shown}, tables)
        for chart in shown:
            self.assertEqual((chart["perMark"], chart["marks"]), (1, chart["rows"]), chart["csv"])
        for file in tables:
            rows = [chart["rows"] for chart in shown if chart["csv"] == file]
            expected = rows_of(os.path.join(self.runs[name], file))
            if name == "compare_devices":  # each device has a chart of its rows
                self.assertEqual(sum(rows), expected, file)
            else:
                self.assertEqual(set(rows), {expected}, file)

    def test_a_click_on_a_row_shows_it_everywhere(self):
        self.open("contract")
        details = "document.querySelector('.activity .details').textContent"
        self.assertTrue(self.changed(details, lambda: self.browser.click(".lanes .lane:nth-of-type(2) rect.m")))
        chosen = self.browser.value("[...document.querySelectorAll('rect.chosen')].map((rect) => rect.dataset.r)")
        self.assertEqual(len(chosen), 2)
        self.assertEqual(len(set(chosen)), 1)
        self.assertIn(f"row {int(chosen[0]) + 1}:", self.browser.value(details))
        beside = "document.querySelector('.together .details').textContent"
        self.assertEqual(self.browser.value(beside), self.browser.value(details))

    def test_charts_zoom_together(self):
        self.open("contract")
        boxes = ("[...document.querySelectorAll('svg.time')]"
                 ".map((svg) => svg.getAttribute('viewBox').split(' ').slice(0, 3).join())")
        ticks = "[...document.querySelectorAll('.axis')].map((axis) => axis.textContent)"
        for how in ("in", "left", "right", "out"):
            self.assertTrue(self.changed(ticks, lambda: self.browser.click(f"[data-zoom={how}]")) or how == "out", how)
            self.assertEqual(len(set(self.browser.value(boxes))), 1)
            self.assertEqual(len(set(self.browser.value(ticks))), 1)
        self.browser.click("[data-zoom=whole]")
        self.assertEqual(self.browser.value(boxes + "[0]").split(",")[0], "0")

    def test_the_slider_and_its_buttons_walk_through_the_rows(self):
        self.open("segmented")
        details = "document.querySelector('.activity .details').textContent"
        for how in ("on", "back"):
            self.assertTrue(self.changed(details, lambda: self.browser.click(f"[data-walk={how}]")), how)
        squares = "[...document.querySelectorAll('.scene rect')].map((rect) => rect.getAttribute('class')).join()"
        self.assertTrue(self.changed(squares, lambda: self.browser.value(
            "(() => { const slider = document.querySelector('.activity input'); slider.value = 0; "
            "slider.dispatchEvent(new Event('input')); })()")))

    def test_an_array_that_hardly_works_looks_idle(self):
        self.open("segmented")
        fills = self.browser.value("""(() => { const node = document.createElement("div");
            document.querySelector(".scene").append(node);
            const scene = new FlatScene(node, {kind: "array", size: [1, 1], groups: 1});
            return [0, 0.00138, 1].map((share) => { scene.show({share});
                const canvas = document.createElement("canvas").getContext("2d");
                canvas.fillStyle = getComputedStyle(scene.squares[0].square).fill; canvas.fillRect(0, 0, 1, 1);
                return [...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3)]; }); })()""")
        distance = [max(abs(one - other) for one, other in zip(fills[0], fill)) for fill in fills]
        self.assertLess(distance[1], 3)
        self.assertGreater(distance[2], 100)

    def test_bars_and_points_answer(self):
        self.open("compare_accelerators")
        values = "[...document.querySelectorAll('.table .value')].map((node) => node.textContent).join()"
        self.assertTrue(self.changed(values, lambda: self.browser.click(".table .bar:nth-child(2)")))
        self.assertIn("1 x", self.browser.value(values).split(",")[1])
        self.assertTrue(self.changed(values, lambda: self.browser.value(
            "(() => { const select = document.querySelector('.table select'); select.selectedIndex = 1; "
            "select.dispatchEvent(new Event('change')); })()")))
        self.browser.click(".roofline circle")
        self.assertEqual(self.browser.value("document.querySelectorAll('.roofline tr.chosen').length"), 1)

    def test_a_point_of_a_study_shows_its_line(self):
        self.open("study")
        self.browser.click(".pareto circle[data-row='1']")
        self.assertEqual(self.browser.value("[...document.querySelectorAll('tr.chosen')].map((row) => row.textContent)"),
                         ["24x4x4500 ns9 \u00b5J8 mm\u00b2yes"])

    def test_the_mesh_turns_in_space_and_lies_in_slabs(self):
        self.open("dxt")
        shown = """new Promise((done) => { const look = (tries) => { const canvas = document.querySelector(".scene canvas");
            canvas || tries === 0 ? done(canvas ? canvas.toDataURL() : "") : setTimeout(look, 50, tries - 1); }; look(60); })"""
        self.browser.value("document.querySelector('.scene').scrollIntoView()")
        if not os.path.exists("/usr/share/javascript/three/three.min.js"):
            self.assertEqual(self.browser.value("document.querySelectorAll('.scene rect').length"), 6 * 5 * 4)
            self.skipTest("no three.js (scripts/setup --browser): views in space are not tested")
        self.assertGreater(len(self.browser.value(shown)), 1000)
        self.assertTrue(self.changed(shown, lambda: self.browser.click("[data-walk=on]")))
        self.browser.click("[data-walk=flat]")
        squares = "document.querySelectorAll('.scene rect').length"
        self.assertEqual(self.browser.value(squares), 6 * 5 * 4)
        self.browser.click("[data-walk=flat]")
        self.assertEqual(self.browser.value(squares), 0)
        self.assertEqual(self.browser.complaints, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)  # which says what is skipped, and why
