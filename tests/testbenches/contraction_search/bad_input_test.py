"""What contraction_search refuses: status 2, one line that says what was found, where, and what was expected."""
import copy
import json

from contraction_search_program import CHAIN, ContractionSearchTest
from testbench_refusals import RefusedOptions

SIZES = "--format ttm --rows 4x4 --cols 4x8 --ranks 2"


class BadOption(RefusedOptions, ContractionSearchTest):
    job = SIZES
    abbreviated = {"--obj macs": "--objective"}
    repeated = ("--top 3",)
    values = {
        "top": (("0", "-1", "1001", "many"), ("1", "1000")),
        "near-copies": (("-0.1", "1.1", "nan", "few"), ("0", "1")),
        "objective": (("flops", "MACS"), ("macs", "memory", "traffic", "latency", "energy", "edp"), SIZES,
                      ("macs, memory, traffic, latency, energy, edp",)),
        "dx": (("yes",), ("auto", "on", "off")),
        "search": (("greedy",), ("auto", "depth-first", "subsets")),
        "on-chip": (("-1", "4294967296"), ("0", "4294967295")),
        "time-limit": (("-1", "1000001", "soon"), ("0", "5")),
        "batch": (("0", "-1", "2147483648"), ("1", "96")),
        "rows": (("0x4", "4x", "x", "4,4", "-4x4", "5=4x4", "=4x4", "2147483648x1"), ("16=4x4",),
                 "--format ttm --cols 4x8 --ranks 2"),
        "cols": (("4x0", "33=4x8", "4xx8"), ("32=4x8",), "--format ttm --rows 4x4 --ranks 2"),
        "ranks": (("0", "1,0", "a", "2,", "2,3,4,5,6"), ("2", "1,2,1"), "--format ttm --rows 4x4 --cols 4x8"),
        "blocks": (("0", "-1", "1000001"), ("1", "1000000"), "--format bt --rows 4x4 --cols 4x8 --ranks 2"),
        "seed": (("-1", "18446744073709551616"), ("0", "18446744073709551615")),
        "phase": (("", "FP", "wg", "wg:", "wg:G3", "wg:X", "update"), ("fp", "bp", "wg:G1")),
        "layer": (("UCF-TTM", "ucf"), ("ucf-ttm", "ht-4096"), ""),
    }

    def test_a_factorisation_that_does_not_multiply_to_the_size(self):
        self.refuses("--format ttm --rows 4x4 --cols 33=4x8 --ranks 2", "--cols", "33=4x8", "multiply to 33", "not to 32")

    def test_factors_that_a_format_pairs(self):
        for form in ("ttm", "ht", "bt"):
            self.refuses(f"--format {form} --rows 4x4x2 --cols 4x8 --ranks 2", "3 factors of rows and 2 of columns", "expected")
        self.refuses("--format ht --rows 4 --cols 4 --ranks 2", "one pair of factors")

    def test_one_network(self):
        self.refuses("--top 3", "--layer", "--format", "--network", "expected one")
        self.refuses("--layer ucf-ttm --format ttm", "--layer", "--format", "expected one")
        self.save_network(CHAIN)
        for more in ("--layer ucf-ttm", "--format tt", "--batch 3", "--phase fp", "--order nm", "--dx on"):
            self.refuses(f"--network network.json {more}", "--network", more.split()[0], "expected")
        self.refuses("--layer ucf-ttm --ranks 3", "--ranks", "--layer", "expected it with --format")
        self.refuses("--format tt --rows 4 --ranks 3", "--cols", "expected both")
        self.refuses("--format tt --rows 4 --cols 4", "--ranks", "expected both")
        self.refuses("--format ttm --rows 4 --cols 4 --ranks 2", "--ranks", "a single core")

    def test_options_of_other_formats(self):
        self.refuses(f"{SIZES} --order nm", "--order", "--format ttm", "tt or tr")
        self.refuses(f"{SIZES} --blocks 2", "--blocks", "--format ttm", "bt")

    def test_formats_of_the_device(self):
        self.refuses(f"{SIZES} --operand f32", "--operand is 'f32'", "expected bf16")
        self.refuses(f"{SIZES} --psum bf16", "--psum is 'bf16'", "expected f32")

    def test_no_waveform(self):
        self.refuses(f"{SIZES} --vcd wave", "--vcd")

    def test_depth_first_without_end(self):
        self.refuses("--layer ucf-tr --search depth-first", "--search depth-first", "14 nodes", "at most 8")

    def test_networks_that_are_too_large(self):
        self.refuses(f"--format tt --rows {'x'.join('2' * 11)} --cols {'x'.join('2' * 11)} --ranks 2", "23 nodes",
                     "at most 20")
        self.refuses("--format ttm --rows 2147483647x2147483647 --cols 2147483647x2147483647 --ranks 2",
                     "2^64 MACs")
        self.refuses("--format ttm --rows 2147483647x2147483647x3 --cols 2x2x2 --ranks 2", "--rows", "2^63")
        self.save_network({"nodes": [["A", ["i", "j"]], ["B", ["j", "k"]]], "out": ["i", "k"],
                           "sizes": {"i": 2147483647, "j": 2147483647, "k": 2147483647}})
        self.refuses("--network network.json", "2^64 MACs", "expected")


class BadNetwork(ContractionSearchTest):
    def refuses_after(self, change, *words):
        network = copy.deepcopy(CHAIN)
        change(network)
        self.save_network(network)
        self.refuses("--network network.json", "--network", "network.json", "found", "expected", *words)

    def test_keys(self):
        self.refuses_after(lambda n: n.update(name="chain"), "key 'name'", "nodes, out and sizes alone")
        for key in CHAIN:
            self.refuses_after(lambda n, k=key: n.pop(k), f"no key '{key}'")
        text = json.dumps(CHAIN)
        self.save_network(text.replace('"out"', '"out": ["i", "l"], "out"'))
        self.refuses("--network network.json", "'out' twice", "expected")
        self.save_network(text.replace('"sizes": {', '"sizes": {"j": 3, '))
        self.refuses("--network network.json", "'j' twice", "expected")

    def test_text_that_is_no_network(self):
        for text in ("", "[]", "3", "{", '{"nodes": 1, "out": [], "sizes": {}}', "[" * 100000,
                     '{"nodes": [["A"]], "out": [], "sizes": {}}', '{"nodes": [[1, ["i"]]], "out": [], "sizes": {"i": 1}}',
                     '{"nodes": [["A", "i"]], "out": ["i"], "sizes": {"i": 1}}', '{"nodes": [], "out": [], "sizes": {}}',
                     '{"nodes": [["A", [1]]], "out": [], "sizes": {}}', '{"nodes": [["A", ["i"]]], "out": "i", "sizes": {"i": 1}}',
                     '{"nodes": [["A", ["i"]]], "out": ["i"], "sizes": [1]}', "nodes: []", "\x00"):
            self.save_network(text)
            self.refuses("--network network.json", "network.json", "found", "expected")

    def test_hostile_text(self):
        text = json.dumps(CHAIN)
        for hostile in ("\ufeff" + text[:-1], text + "}", text + "\0", text.replace("30", "NaN"), text.replace("30", "0x1e"),
                        text.replace("30", "-0.0"), text.replace('"k"', '"k', 1), text.replace("[", 9 * "[", 1),
                        '{"nodes":' * 50000, json.dumps({**CHAIN, "nodes": CHAIN["nodes"] * 7}),
                        json.dumps({**CHAIN, "nodes": [["A", [i]] for i in "ij" * 32]})):
            self.save_network(hostile)
            self.refuses("--network network.json", "network.json", "found", "expected")
        for hostile in (b"\xff\xfe{}", text.encode().replace(b"nodes", b"nod\xffs"), text.encode("utf-16")):
            self.save_bytes("network.json", hostile)
            self.refuses("--network network.json", "network.json", "found", "expected")

    def test_long_names_are_cut_in_messages(self):
        self.refuses_after(lambda n: n["nodes"][0][1].append(20000 * "q"), "qqqq")
        self.save_network({"nodes": [["A" * 30000, ["i"]], ["A" * 30000, ["i"]]], "out": [], "sizes": {"i": 2}})
        self.assertLess(len(self.refuses("--network network.json", "two nodes").err), 600)

    def test_more_nodes_and_indices_than_a_search_takes(self):
        self.save_network({"nodes": [[f"N{n}", ["i"]] for n in range(21)], "out": [], "sizes": {"i": 2}})
        self.refuses("--network network.json", "21 nodes", "at most 20")
        many = [f"i{n}" for n in range(65)]
        self.save_network({"nodes": [["A", many], ["B", many]], "out": [], "sizes": dict.fromkeys(many, 1)})
        self.refuses("--network network.json", "65 indices", "at most 64")

    def test_indices(self):
        self.refuses_after(lambda n: n["nodes"][0][1].append("q"), "'q'", "without a size")
        self.refuses_after(lambda n: n["sizes"].update(q=3), "'q'", "which no node has")
        self.refuses_after(lambda n: n["out"].append("q"), "'q'", "which no node has")
        self.refuses_after(lambda n: n["nodes"][0][1].append("i"), "'i' twice in 'A'")
        self.refuses_after(lambda n: n["out"].pop(), "'l' in 'C' only")
        self.refuses_after(lambda n: n["nodes"][1].__setitem__(0, "A"), "two nodes 'A'")
        self.refuses_after(lambda n: n["nodes"][1].__setitem__(0, ""), "without a name")

    def test_sizes(self):
        for size in (0, -1, 1.5, "4", None, 2147483648, 1e30, [4]):
            self.refuses_after(lambda n, s=size: n["sizes"].update(j=s), "'j'", "2147483647")
        for size in ("1e400", "-1e400", "1" + 400 * "0"):
            self.save_network(json.dumps(CHAIN).replace("30", size))
            self.refuses("--network network.json", "network.json", "beyond double precision", "2147483647")

    def test_files_that_cannot_be_read(self):
        for name, reason in (("missing", "(No such file or directory)"), (".", "(Is a directory)"), ("/dev/zero", "longer")):
            self.refuses(f"--network {name}", "--network", name, reason, "expected")
        self.save_network(CHAIN)
        self.fails_with(2, "--network network.json --json network.json", "--json", "--network")
        self.fails_with(2, "--network network.json --json no/folder.json", "--json")
