"""How far initiators may run ahead: what that changes and what it does not, as docs/soc.md says."""
import itertools
import json

from soc_program import QUANTA, SHAPES, SocTest, load_json

# Of one length and of different ones, with long and short bursts, one that fills the link and ones that mostly compute.
JOBS = ("--large 8x7x6 --small 3x4x5 --small-runs 2",
        "--large 16x4x8 --small 5x7x1 --small-runs 4 --format f32 --burst 512",
        "--large 12x4x3 --small 1x8x1 --large-runs 2 --small-runs 3 --burst 16 --outstanding 1",
        "--large 8x8x8 --small 8x8x8 --small-runs 1 --outstanding 16 --burst 64")
ALONE = ("--large 8x7x6 --small 3x4x5 --large-runs 0 --small-runs 3", "--large 8x7x6 --small 3x4x5 --small-runs 0")
PLATFORMS = tuple(f"--memory {memory} --link {link}" for memory, link in
                  itertools.product(("dram", "sram"), (0, 4, 32)))
BURSTS = ("--burst 16 --outstanding 1", "--burst 64 --outstanding 16 --clock 0.7 --allow-overclock")


class WithoutCompany(SocTest):
    """Nobody sees who runs ahead: all but the places where bursts wait is the same for every quantum."""

    def same_summary(self, line, quanta=(*QUANTA, "7ns")):
        """The cycles, of what is the same in all of the summary."""
        found = set()
        for quantum in quanta:
            summary = self.summary_of(f"{line} --quantum {quantum}")
            del summary["simulation"], summary["configuration"], summary["router"]["shares"]
            del summary["bound_by"]  # what would be saved follows the times of the bursts
            del summary["warnings"]  # also of options that have no effect with a quantum
            for port in (*summary["router"]["initiators"].values(), *summary["router"]["targets"].values()):
                del port["contended"], port["contention_cycles"]  # without a quantum a DMA waits before it issues
            found.add(json.dumps(summary))
        self.assertEqual(len(found), 1, line)
        return json.loads(found.pop())["cycles"]

    def test_one_device_alone(self):
        for job, platform, bursts in itertools.product(ALONE, PLATFORMS[1:4], BURSTS):
            self.same_summary(f"{job} {platform} {bursts}")

    def test_one_device_alone_takes_the_same_time_in_both_transports(self):
        for job, platform, bursts in itertools.product(ALONE, PLATFORMS, BURSTS):
            line = f"{job} {platform} {bursts}"
            self.assertEqual(self.cycles(f"{line} --transport lt"), self.cycles(f"{line} --transport at"), line)

    def test_each_device_with_its_own_memory(self):
        for job, transport in itertools.product(JOBS, ("lt", "at")):
            self.same_summary(f"{job} --memory split --transport {transport}")

    def test_in_a_memory_of_its_own_a_device_is_as_fast_as_alone(self):
        shapes = "--large 8x7x6 --small 3x4x5 --memory split"
        both = self.summary_of(shapes)["devices"]
        alone = self.summary_of(f"{shapes} --small-runs 0")["devices"]["large"]
        baseline = {"alone_cycles": alone["end_cycles"], "slowdown": 1}
        self.assertEqual({**alone, **baseline}, both["large"])
        alone = self.summary_of(f"{shapes} --large-runs 0")["devices"]["small"]
        baseline = {"alone_cycles": alone["end_cycles"], "slowdown": 1}
        self.assertEqual({**alone, **baseline}, both["small"])


class Together(SocTest):
    def lines(self, more=""):
        for job, platform in itertools.product(JOBS, PLATFORMS):
            yield f"{job} {platform} {more}"

    def test_time_stays_within_its_bound(self):
        for transport, bound in (("lt", 1 / 2), ("at", 1 / 4)):
            for line in self.lines(f"--transport {transport}"):
                exact, *others = (self.cycles(f"{line} --quantum {quantum}") for quantum in QUANTA)
                for cycles in others:
                    self.assertLessEqual(abs(cycles - exact), exact * bound, line)

    def test_time_lies_between_one_job_alone_and_both_one_after_the_other(self):
        for line in (line for line in self.lines() if "--link 0" not in line):
            job, rest = line.split(" --memory")
            words = job.split()
            alone = []
            for idle in ("--large-runs", "--small-runs"):
                own = list(words)
                if idle in own:
                    own[own.index(idle) + 1] = "0"
                else:
                    own += [idle, "0"]
                alone.append(self.cycles(f"{' '.join(own)} --memory{rest}"))
            for quantum in QUANTA:
                cycles = self.cycles(f"{line} --quantum {quantum}")
                self.assertGreaterEqual(cycles, 0.9 * max(alone), line)
                self.assertLessEqual(cycles, 1.25 * sum(alone), line)

    def test_without_a_quantum_both_transports_take_the_same_time(self):
        # More bursts in flight can fill the DRAM's queue.
        jobs = [job if "--outstanding 1 " in job + " " else job.replace(" --outstanding 16", "") + " --outstanding 4"
                for job in JOBS]
        cases = [(job, platform, policy) for job, platform, policy in itertools.product(
            jobs, PLATFORMS, ("round-robin", "fixed-priority", "first-come", "weighted --share small.dma=60"))
            if "--link 0" not in platform and (policy != "first-come" or "--outstanding 1 " in job + " ")
            and ("weighted" not in policy or "--memory sram" in platform)]
        self.assertEqual(len(cases), 4 * 4 * 2 + 4 + 4 * 2)
        for job, platform, policy in cases:
            line = f"{job} {platform} --arbitration {policy} --quantum 0"
            lt, at = (self.summary_of(f"{line} --transport {transport}") for transport in ("lt", "at"))
            self.assertEqual(lt["devices"], at["devices"], line)
            self.assertEqual(lt["cycles"], at["cycles"], line)

    def test_with_a_quantum_blocking_calls_are_not_arbitrated(self):
        """As they come: the policy has nothing to say."""
        for job in JOBS:
            found = {self.cycles(f"{job} --quantum 1us --arbitration {policy}")
                     for policy in ("round-robin", "fixed-priority", "first-come",
                                    "priority --priority small_host=1,small.dma=1", "weighted --share small.dma=90")}
            self.assertEqual(len(found), 1, job)

    def test_longer_than_a_burst_of_the_dma_is_warned_of(self):
        # 1,024 bytes at 16 bytes per cycle of 2 ns: 128 ns.
        platform = "--memory sram --burst 1024 --dma-width 128 --clock 0.5 --allow-overclock"
        for line, burst in ((f"{platform} --quantum 129ns", "128 ns"), (f"{platform} --quantum 128ns", None),
                            (f"{platform} --quantum 129ns --transport at", "128 ns"),
                            (f"{platform} --quantum 0", None), (f"{platform} --quantum 1us --small-runs 0", None),
                            ("--memory split --quantum 1us", None)):
            with self.subTest(line=line):
                out = self.succeeds(f"{SHAPES} {line} --out files").out
                printed = [text.removeprefix("  warning").strip() for text in out.split("\n")
                           if text.startswith("  warning")]
                self.assertCountEqual(load_json(self.path("files/summary.json"))["warnings"], printed)
                about = [text for text in printed if text.startswith("--quantum")]
                self.assertEqual(about, [f"--quantum 129 ns is longer than a burst of the DMA, {burst}: the cycles of "
                                         "each device depend on it"] if burst else [])

    def test_bursts_are_late_with_a_quantum_only(self):
        jobs = "--large 16x16x16 --small 8x8x8 --small-runs 4"
        self.assertEqual(self.summary_of(f"{jobs} --quantum 0")["dram"]["late_burst"], 0)
        self.assertGreater(self.summary_of(f"{jobs} --quantum 1ms")["dram"]["late_burst"], 0)
