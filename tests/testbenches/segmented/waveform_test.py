"""--vcd and --watch: what a waveform shows, and that showing it changes nothing."""
import re

from segmented_program import SegmentedTest

LINE = "--length 40 --s 4 --fidelity detailed --quiet"


class Waveform(SegmentedTest):
    def changes(self, scope, variable):
        """Values of a variable of a scope, in time."""
        text = self.read_bytes("wave").decode()
        declared = text.split(f"$scope module {scope} $end")[1].split("$upscope")[0]
        code = re.search(rf"\$var \w+ +\d+ +(\S+) +{variable} ", declared)[1]
        return re.findall(rf"^(?:[br](\S+) |([01])){re.escape(code)}$", text, re.M)

    def test_watched_elements_and_no_others(self):
        self.succeeds(f"{LINE} --vcd wave --watch 0,0 --watch 3,2")
        text = self.read_bytes("wave").decode()
        self.assertEqual(re.findall(r"pe_\d+_\d+", text), ["pe_0_0", "pe_3_2"])
        for element in ("pe_0_0", "pe_3_2"):
            for variable in ("valid", "a_out", "c_out", "weight"):
                self.assertGreater(len(self.changes(element, variable)), 1, (element, variable))

    def test_without_watched_elements(self):
        self.succeeds(f"{LINE} --vcd wave")
        self.assertNotIn(b"pe_", self.read_bytes("wave"))

    def test_watching_changes_nothing(self):
        plain = self.summary(LINE.replace("--quiet", ""))
        watched = self.summary(f"{LINE.replace('--quiet', '')} --vcd wave --watch 1,1")
        for key in ("cycles", "cycles_by_cause", "events", "energy_pJ", "result"):
            self.assertEqual(plain[key], watched[key], key)

    def test_refusals(self):
        self.fails_with(2, "--length 4 --watch 0,0", "--watch", "--vcd", "expected")
        self.refuses("--length 4 --watch 0,0", "--watch", "--fidelity fast", "expected --fidelity detailed")
        for position in ("4,0", "0,4", "-1,0", "0", "0,0,0", "a,b"):
            self.refuses(f"--length 4 --s 4 --fidelity detailed --watch={position}", "--watch", position, "inside 4x4")
        self.fails_with(2, "--compare --length 4 --watch 0,0", "--watch", "--compare", "single run")
