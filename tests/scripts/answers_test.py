#!/usr/bin/env python3
"""Answers: templates of manifests, filled with fields of summaries, as lines and as numbers of comparisons."""
import math
import unittest
from unittest import mock

import package_path  # noqa: F401
from tensorloom import answers

SUMMARY = {"testbench": "any", "time": 2500.0, "area": 3_000_000.0, "share": 0.125, "none": None, "flag": True, "sizes": [2, 3],
           "epochs": [{"loss": 2.0}, {"loss": 0.5}],
           "runs": [{"device": "torus", "cycles": 30, "wire": None}, {"device": "triada", "cycles": 10, "wire": 4},
                    {"device": "torus", "cycles": 60, "wire": 5}],
           "ports": {"large.dma": {"bytes": 7}}}


class TemplatesTest(unittest.TestCase):
    def test_fields_have_paths_and_units(self):
        for template, text in (("{time:ns} on {area:mm2}", "2.5 \N{MICRO SIGN}s on 3 mm\N{SUPERSCRIPT TWO}"),
                               ("{share:%}, {sizes}, {flag}", "12.5 %, 2 x 3, true"), ("{epochs.-1.loss} of {epochs.#}", "0.5 of 2"),
                               ("{runs[device=torus].-1.cycles / runs[device=tri*].0.cycles:x}", "6 times"),
                               ("{runs[device!=torus].#}, {runs[wire=null].#}", "1, 1"), ("{ports[large.dma].bytes}", "7"),
                               ("{none:ns|never}; {nowhere|}", "never; ")):
            with self.subTest(template):
                self.assertEqual(answers.lines_of(template, SUMMARY), [text])

    def test_a_line_with_a_missing_field_is_left_out(self):
        for template in ("{none}", "{nowhere}", "{epochs.2.loss}", "{epochs.loss}", "{time.ns}", "{share / none:%}", "{share / flag}",
                         "{runs[device=x].0.cycles}", "{time / zero}"):
            with self.subTest(template):
                self.assertEqual(answers.lines_of("There are " + template, {**SUMMARY, "zero": 0}), [])

    def test_a_line_for_each_entry_that_has_the_fields(self):
        each = {"each": "runs", "text": "{device}: {wire}"}
        self.assertEqual(answers.lines_of(each, SUMMARY), ["triada: 4", "torus: 5"])
        self.assertEqual(answers.lines_of({**each, "each": "runs[device=torus]"}, SUMMARY), ["torus: 5"])
        self.assertEqual(answers.lines_of({**each, "each": "nowhere"}, SUMMARY), [])
        many = {"runs": [{"device": place, "wire": place} for place in range(answers.MOST_LINES + 2)]}
        self.assertEqual(answers.lines_of(each, many)[answers.MOST_LINES:], ["and 2 more lines of this kind, in summary.json"])

    def test_numbers_have_the_unit_of_their_axis(self):
        manifest = {"report": {"numbers": {"share": "share:%", "loss": "epochs.-1.loss", "energy": "pj:pJ", "flag": "flag"}}}
        other = {"testbench": "other", "share": 0.5}
        with mock.patch.object(answers, "manifest_of", lambda name: manifest if name == "any" else {}):
            found = {name: (base, values) for name, base, values in answers.numbers_of([{**SUMMARY, "pj": 3.0}, other])}
        self.assertEqual(list(found), ["share [%]", "loss", "energy"])  # a flag is no number
        self.assertEqual([base for base, _ in found.values()], ["1", "1", "pJ"])
        self.assertEqual([values[0] for _, values in found.values()], [12.5, 0.5, 3.0])
        self.assertTrue(all(math.isnan(values[1]) for _, values in found.values()))  # of another testbench


if __name__ == "__main__":
    unittest.main()
