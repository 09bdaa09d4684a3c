"""What docs/integration.md names is there."""
import os
import re
import unittest

import integration_page
from consumer import PREFIX, SOURCE


def struct_bodies():
    """name -> what stands between its braces, of every struct in an installed header"""
    found = {}
    for directory, _, names in os.walk(os.path.join(PREFIX, "include")):
        for name in names:
            with open(os.path.join(directory, name), encoding="utf-8") as file:
                found.update(re.findall(r"^struct (\w+)[^;{]*\{\n(.*?)^\};", file.read(), re.M | re.S))
    return found


class Page(unittest.TestCase):
    def test_options_exist(self):
        structs = struct_bodies()
        named = set(re.findall(r"`(\w+)\.(\w+)", integration_page.section("On common virtual platforms")))
        self.assertLessEqual({"target_tolerance", "dma_options", "dma_config", "host_config"}, {owner for owner, _ in named})
        for owner, member in sorted(named):
            self.assertRegex(structs.get(owner, ""), rf"\b{member}\b( =|;)", f"{owner}.{member}")

    def test_links_lead_somewhere(self):
        prose = re.sub(r"^```.*?^```$", "", integration_page.text(), flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)#]+)\)", prose):
            self.assertTrue(os.path.exists(os.path.join(SOURCE, "docs", target)), target)
