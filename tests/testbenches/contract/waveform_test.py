"""--vcd and --watch: what a waveform shows, and that showing it changes nothing."""
import re

from contract_program import ContractTest

LINE = "--sizes i=20,j=12,k=24 --fidelity detailed"


class Waveform(ContractTest):
    def scopes_and_variables(self):
        text = self.read_bytes("wave").decode()
        return re.findall(r"\$var \w+ +\d+ +\S+ +(\S+) ", text), re.findall(r"\$scope module (\S+) \$end", text)

    def names(self):
        variables, scopes = self.scopes_and_variables()
        return " ".join(variables + scopes)

    def test_shows_the_array_by_default(self):
        self.succeeds(f"{LINE} --quiet --vcd wave")
        names = self.names()
        for name in ("busy", "step", "load", "drain", "stall", "write", "tile"):
            self.assertRegex(names, rf"\b{name}\b")
        self.assertNotIn("level_0", names)

    def test_shows_of_a_fast_unit_when_it_is_busy(self):
        self.succeeds(f"{LINE.replace('detailed', 'fast')} --quiet --vcd wave")
        variables, scopes = self.scopes_and_variables()
        self.assertIn("tensor_contraction_unit", " ".join(scopes + variables))
        self.assertIn("busy", variables)
        for name in ("step", "load", "drain", "stall", "write", "tile"):
            self.assertNotIn(name, variables)

    def test_shows_engines_networks_and_processing_elements_on_request(self):
        self.succeeds(f"{LINE} --quiet --vcd wave --watch engine=3 --watch engine=5")
        small = self.names()
        self.assertNotIn("level_0", small)
        self.succeeds(f"{LINE} --quiet --vcd wave --watch networks")
        self.assertIn("level_0", self.names())
        self.succeeds(f"{LINE} --quiet --vcd wave --watch engine=3 --watch engine=5 --watch pes")
        self.assertGreater(len(self.names()), len(small))

    def test_watching_changes_nothing(self):
        plain = self.summary(LINE)
        watched = self.summary(f"{LINE} --vcd wave --watch networks --watch engine=0 --watch pes")
        for key in ("cycles", "cycles_by_cause", "events", "energy_pJ", "check"):
            self.assertEqual(plain[key], watched[key], key)
