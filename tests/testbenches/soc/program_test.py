"""soc as a program: what it prints, where it writes, how it ends."""
import os
import re

from soc_program import JOBS, SHAPES, SocTest, load_json
from testbench_words import TestbenchWords


class Words(TestbenchWords, SocTest):
    job = JOBS
    long_job = f"{SHAPES} --small-runs 100 --checkers"
    helped = ("--large", "--small-output", "--quantum", "--memory-ports", "--checkers")
    nonsense = "--large nonsense"

    def test_no_check(self):
        self.assertIn("not done (--no-check)", self.succeeds(f"{JOBS} --no-check").out)
        self.assertNotIn("  error ", self.succeeds(f"{JOBS} --no-check").out)
        self.assertRegex(self.succeeds(JOBS).out, r"\n  check +passed\n")


class Table(SocTest):
    def both(self, line):
        out = self.succeeds(f"{line} --out files").out
        return out, load_json(self.path("files/summary.json"))

    def test_headline_and_jobs(self):
        out, _ = self.both("--large 5x4x3 --small 2x4x8 --small-runs 1 --memory split --transport at --quantum 1500ps "
                           "--arbitration first-come --fidelity detailed --large-transform dct,dst,dht "
                           "--small-transform dwht --format f32")
        self.assertEqual(out.split("\n")[0], "soc: two TriADA devices, data in split, at, quantum 1.5 ns, first-come, "
                                             "detailed")
        self.assertRegex(out, r"\n  large device +5 x 4 x 3, dct,dst,dht, f32, 1 run\n")
        self.assertRegex(out, r"\n  small device +2 x 4 x 8, dwht,dwht,dwht, f32, 1 run\n")
        self.assertRegex(self.succeeds(f"{SHAPES} --small-runs 0").out, r"\n  small device +[^\n]*, 0 runs\n  cycles ")

    def test_an_arbitration_without_effect_is_not_in_the_headline_and_warned_of(self):
        for line, has_effect in (("", False), ("--quantum 1ns --arbitration fixed-priority", False),
                                 ("--quantum 0 --arbitration fixed-priority", True),
                                 ("--arbitration priority --priority large.dma=1", False),
                                 ("--arbitration weighted --share large.dma=60", False),
                                 ("--transport at --arbitration weighted --share large.dma=60", True),
                                 ("--transport at --arbitration first-come", True)):
            out, found = self.both(f"{JOBS} {line}")
            policy = found["configuration"]["arbitration"]
            self.assertIs(found["configuration"]["arbitration_has_effect"], has_effect, line)
            self.assertEqual(f", {policy}, fast" in out.split("\n")[0], has_effect, line)
            self.assertEqual(", calls in order of arrival, fast" in out.split("\n")[0], not has_effect, line)
            self.assertEqual(f"warning               --arbitration {policy} has no effect" in out, not has_effect, line)

    def test_shares(self):
        line = "--large 16x16x16 --small 12x12x12 --memory sram --quantum 0 --arbitration"
        for arbitration in ("round-robin", "priority --priority large.dma=3,small_host=2",
                            "weighted --share small.dma=70", "weighted --share small.dma=71,large_host=4"):
            out, found = self.both(f"{line} {arbitration}")
            given = found["configuration"]
            for name, got in found["router"]["shares"].items():
                expected = ""
                if given["priorities"]:
                    expected = f"priority {given['priorities'][name]}, "
                if given["share_percent"]:
                    expected = f"{given['share_percent'][name]:.4g} % asked for, "
                contested = got["contested_bytes"]
                self.assertGreater(contested, 0)
                expected += f"{100 * got['won_bytes'] / contested:.4g} % of {contested:,} contested bytes"
                if given["share_percent"]:
                    expected += f", {100 * got['due_bytes'] / contested:.4g} % due"
                self.assertRegex(out, rf"\n  from {name} [^\n]*\n    share +{expected}\n")

    def test_shares_of_who_had_no_rival(self):
        out, _ = self.both("--large 5x4x3 --small-runs 0 --transport at --arbitration weighted --share large_host=22")
        self.assertRegex(out, r"\n  from large_host [^\n]*\n    share +22 % asked for, no contested bytes\n")
        self.assertRegex(out, r"\n  from small.dma [^\n]*\n  to ")  # idle
        self.assertNotRegex(self.succeeds(JOBS).out, r"\n    share ")  # as they come

    def test_shares_of_links_without_a_limit_are_warned_of(self):
        for line, warned in (("--arbitration weighted --link 0", True), ("--arbitration weighted --link 1", False),
                             ("--arbitration round-robin --link 0", False)):
            out, _ = self.both(f"{JOBS} --quantum 0 {line}")
            self.assertEqual("  warning               --link 0 sets no bandwidth limit" in out, warned)

    def test_slowdown_is_that_against_each_device_alone(self):
        line = "--large 12x10x8 --small 6x5x4 --large-runs 2 --small-runs 3 --quantum 0"
        out, found = self.both(line)
        ends = []
        for device, other in (("large", "small"), ("small", "large")):
            told = found["devices"][device]
            _, alone = self.both(re.sub(rf"--{other}-runs \d", f"--{other}-runs 0", line))
            self.assertEqual(told["alone_cycles"], alone["cycles"])
            self.assertEqual(alone["devices"][device]["end_cycles"], alone["cycles"])
            self.assertEqual((alone["devices"][device]["slowdown"], alone["devices"][other]["end_cycles"]), (None, 0))
            self.assertEqual(told["slowdown"], told["end_cycles"] / alone["cycles"])
            self.assertGreater(told["slowdown"], 1)
            self.assertRegex(out, rf"slowdown +\S+, done after {told['end_cycles']:,} cycles, alone after "
                                  rf"{alone['cycles']:,}\n")
            ends.append(told["end_cycles"])
        self.assertEqual(max(ends), found["cycles"])

    def test_cycles(self):
        out, found = self.both(f"{SHAPES} --small-runs 9")
        causes = ", ".join(f"{cause} {cycles:,}" for cause, cycles in found["cycles_by_cause"].items())
        self.assertRegex(out, rf"\n  cycles +{found['cycles']:,} \({causes}\)\n")
        for device, count in (("large", 1), ("small", 9)):
            runs = found["devices"][device]["run_cycles"]
            self.assertEqual(len(runs), count)
            expected = f"{min(runs):,}" + (f" to {max(runs):,}" if min(runs) < max(runs) else "")
            self.assertRegex(out, rf"\n  {device} device [^\n]*\n    cycles of a run +{expected}\n")

    def test_multiply_adds(self):
        out, found = self.both(f"{JOBS} --zeros 0.5")
        for device in found["devices"].values():
            self.assertRegex(out, rf"\n    MACs done +{device['macs']:,} \({device['macs_skipped']:,} skipped\)\n")

    def test_traffic(self):
        for memory, silent in (("dram", "sram"), ("sram", "dram")):
            out, found = self.both(f"--large 16x16x16 --small 8x8x8 --memory {memory}")
            for way, side in (("from", "initiators"), ("to", "targets")):
                for name, port in found["router"][side].items():
                    line = (rf"\n  {way} {name} +{port['transactions']:,} transactions, {port['bytes']:,} bytes, "
                            rf"{port['contended']:,} waited {port['contention_cycles']:,} cycles\n")
                    if name == silent:
                        self.assertNotRegex(out, rf"\n  {way} {name} ")
                    else:
                        self.assertRegex(out, line)

    def test_bandwidth_of_the_dram(self):
        out, found = self.both("--large 16x16x16")
        rate = found["router"]["targets"]["dram"]["bytes"] / found["simulated_time_ns"]
        self.assertRegex(out, rf"\n  DRAM +{rate:.4g} GB/s of 25.6 GB/s ")
        self.assertNotRegex(self.succeeds(f"{JOBS} --memory sram").out, r"\n  DRAM ")

    def test_waiting_in_the_sram(self):
        out, found = self.both("--large 16x16x16 --small 16x16x16 --memory sram --link 0")
        self.assertRegex(out, rf"\n  SRAM +{found['sram']['port_conflict_cycle']:,} cycles of waiting for ports, "
                              rf"{found['sram']['bank_conflict_cycle']:,} for banks\n")
        self.assertNotRegex(self.succeeds(JOBS).out, r"\n  SRAM ")

    def test_energy(self):
        out, found = self.both(JOBS)
        prefixes = {"p": 1, "n": 1e3, "u": 1e6, "m": 1e9}
        for name, pj in found["energy_pJ"].items():
            label = "  energy" if name == "total" else "    " + name
            value, prefix, estimate = re.search(rf"\n{re.escape(label)} +(\S+) (.)J( \(estimate\))?(?:, within .*)?\n", out).groups()
            self.assertAlmostEqual(float(value) * prefixes[prefix], pj, delta=1e-3 * pj)
            self.assertEqual(estimate is not None, name in found["energy_estimated"], name)


class Waveform(SocTest):
    def test_both_devices(self):
        """With a quantum, a host that runs ahead clears its interrupt at the time at which it rose."""
        self.succeeds(f"{JOBS} --quiet --quantum 0 --vcd wave")
        text = self.read_bytes("wave").decode()
        scopes, signals = [], {}
        for word in re.findall(r"^\$(scope module (\S+)|upscope|var +\S+ +\d+ +(\S+) +(\S+))", text, re.M):
            if word[1]:
                scopes.append(word[1])
            elif word[0] == "upscope":
                scopes.pop()
            else:
                signals[".".join((*scopes, word[3]))] = word[2]
        for device, runs in (("large", 1), ("small", 2)):
            for signal in ("busy", "irq"):
                name = signals[f"SystemC.platform.{device}.{signal}"]
                self.assertEqual(len(re.findall(rf"^1{re.escape(name)}$", text, re.M)), runs, f"{device} {signal}")

    def test_it_changes_nothing(self):
        for options in ("", "--transport at --quantum 0"):
            plain = self.summary(f"{JOBS} {options}")
            traced = self.summary(f"{JOBS} {options} --vcd wave")
            for summary in (plain, traced):
                del summary["simulation"], summary["configuration"]
            self.assertEqual(plain, traced)


class ConfigurationFile(SocTest):
    def test_every_kind_of_option(self):
        self.save_text("job.yaml", "large: 5x4x3\nsmall: 2x3x2\nsmall-runs: 3\nmemory: split\nquantum: 10ns\n"
                                   "checkers: true\ntransport: at\nlink: 16\nquiet: true\n"
                                   "large-output: l.npy\nout: files\nvcd: wave\n")
        self.assertEqual(self.succeeds("--config job.yaml").out, "")
        found = load_json(self.path("files/summary.json"))
        self.assertEqual((found["configuration"]["quantum_ps"], found["configuration"]["checkers"],
                          found["configuration"]["memory"], found["devices"]["small"]["runs"]),
                         (10000, True, "split", 3))
        self.assertEqual(self.load("l.npy").shape, (5, 4, 3))

    def test_the_command_line_wins(self):
        self.save_text("job.yaml", "large: 5x4x3\nsmall: 2x3x2\nseed: 5\nmemory: sram\ncheckers: true\n")
        found = self.summary("--config job.yaml --seed 6 --memory dram --checkers=false")["configuration"]
        self.assertEqual((found["seed"], found["memory"], found["checkers"]), (6, "lpddr4-3200", False))


class Places(SocTest):
    def test_paths(self):
        os.makedirs(self.path("a b"))
        self.succeeds(f"{JOBS} --quiet --large-output 'a b/l=1.npy' --small-output {self.path('s.npy')} "
                      "--out 'a b/c/d' --vcd 'a b/w w'")
        self.assertEqual(self.load("a b/l=1.npy").shape, (5, 4, 3))
        self.assertEqual(self.load("s.npy").shape, (2, 3, 2))
        self.assertEqual(load_json(self.path("a b/c/d/summary.json"))["testbench"], "soc")
        self.assertGreater(len(self.read_bytes("a b/w w")), 1000)

    def test_outputs_in_the_out_directory(self):
        self.succeeds(f"{JOBS} --quiet --large-output files/l.npy --small-output files/s.npy --out files "
                      "--vcd files/wave")
        self.assertEqual(sorted(os.listdir(self.path("files"))),
                         ["energy.csv", "events.csv", "l.npy", "latency.csv", "s.npy", "summary.json", "trace.json",
                          "traffic.csv", "transactions.csv", "transactions.txlog", "wave"])

    def test_older_files_are_replaced_and_others_stay(self):
        os.mkdir(self.path("files"))
        for name in ("files/notes", "files/summary.json", "l.npy"):
            self.save_text(name, "older")
        self.succeeds(f"{JOBS} --quiet --out files --large-output l.npy")
        self.assertEqual(self.read_bytes("files/notes"), b"older")
        self.assertEqual(load_json(self.path("files/summary.json"))["testbench"], "soc")
        self.assertEqual(self.load("l.npy").shape, (5, 4, 3))
