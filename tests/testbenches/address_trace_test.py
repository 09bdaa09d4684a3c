"""--address-trace: files that DRAM simulators read, against the counts of the DRAM and of the bus."""
import collections
import os
import re
import resource

from address_trace_file import OpenRows, read_trace
from testbench_manifests import QUICK_JOBS, SIMULATED, TEST_JOBS
from testbench_program import BAD_INPUT, SOURCE, TestbenchTest, load_json

BURST = 32  # bytes, of the shipped DRAM

JOBS = {name: QUICK_JOBS[name] for name in SIMULATED}


def no_more_than_a_page():
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


class AddressTraceTest(TestbenchTest):
    program = "dxt"

    def trace(self, line, name="run.stl", reader=None, **keywords):
        more = f"--address-trace-format {reader}" if reader else ""
        self.succeeds(f"{line} --quiet --address-trace {name} {more}", **keywords)
        return read_trace(self.path(name), reader or "dramsys")

    def counted(self, folder, event):
        """By the DRAM while the device ran, over all programs."""
        return sum(int(value) for row in self.rows(f"{folder}/latency.csv") for name, value in row.items()
                   if name.endswith(f"memory.{event}"))


class Files(AddressTraceTest):
    def test_every_testbench_writes_one_that_simulators_read(self):
        for program, job in JOBS.items():
            with self.subTest(program=program):
                found = self.trace(f"{job} --seed 3", program=program)
                cycles = [access.cycle for access in found]
                self.assertEqual(cycles, sorted(cycles))
                self.assertEqual({access.write for access in found}, {False, True})
                self.assertEqual({access.address % BURST for access in found}, {0})
                self.assertLess(max(access.address for access in found), 1 << 32)  # of the DRAM

    def test_formats_tell_the_same(self):
        job = JOBS["dxt"]
        dramsys = self.trace(job)
        for reader in ("ramulator", "ramulator2"):
            self.assertEqual(self.trace(job, "run.trace", reader), [access._replace(cycle=None) for access in dramsys])
        self.assertEqual(self.read_bytes("run.stl").count(b"#"), 1)
        self.assertNotIn(b"#", self.read_bytes("run.trace"))

    def test_fidelities_write_the_same_bytes(self):
        for program, job in JOBS.items():
            with self.subTest(program=program):
                self.trace(job, "fast.stl", program=program)
                self.trace(f"{job} --fidelity detailed", "detailed.stl", program=program)
                self.assertEqual(self.read_bytes("fast.stl"), self.read_bytes("detailed.stl"))

    def test_nothing_else_of_a_run_changes(self):
        for program in ("dxt", "soc"):
            with self.subTest(program=program):
                told = []
                for more in ("", "--address-trace run.stl"):
                    self.succeeds(f"{JOBS[program]} --quiet --out files {more}", program=program)
                    files = {name: self.read_bytes(f"files/{name}") for name in os.listdir(self.path("files"))}
                    summary = load_json(self.path("files/summary.json"))
                    del files["summary.json"], summary["simulation"], summary["configuration"]
                    told.append((files, summary))
                self.assertEqual(*told)

    def test_a_repeated_run_is_asked_again(self):
        self.trace(f"{JOBS['dxt']} --seed 4 --out first")
        self.succeeds("--config first/summary.json --quiet --address-trace again.stl")
        self.assertEqual(self.read_bytes("again.stl"), self.read_bytes("run.stl"))
        os.remove(self.path("run.stl"))
        self.succeeds("--config first/summary.json --quiet")
        self.assertFalse(os.path.exists(self.path("run.stl")))

    def test_page_shows_what_is_written(self):
        with open(os.path.join(SOURCE, "docs/address_traces.md"), encoding="utf-8") as file:
            page = file.read()
        blocks = [re.sub(r"^    ", "", block, flags=re.M) for block in re.findall(r"(?:^    .*\n)+", page, re.M)]
        commands = [line.removeprefix("build/release/bin/dxt ") for block in blocks for line in block.splitlines()
                    if line.startswith("build/")]
        heads = [blocks[1], blocks[4], blocks[5]]
        self.assertEqual(len(commands), len(heads))
        for command, head in zip(commands, heads):
            self.succeeds(f"{command} --quiet")
            written = self.read_bytes(command.split("--address-trace ")[1].split()[0]).decode()
            self.assertEqual(written[:len(head)], head)
        self.succeeds(commands[0] + " --quiet")
        first, all_lines = re.search(r"(\d+) bursts of the program .* and ([\d,]+) more", page).groups()
        found = read_trace(self.path("run.stl"))
        self.assertEqual((sum(access.cycle == found[0].cycle for access in found), len(found)),
                         (int(first), int(first) + int(all_lines.replace(",", ""))))


class Counts(AddressTraceTest):
    def device_part(self, found):
        """Between the program, which the host writes, and the result, which it reads: from the first read to the last
        write."""
        writes = [access.write for access in found]
        return writes.index(False), len(writes) - writes[::-1].index(True)

    def dram_without_refreshes(self):
        with open(os.path.join(SOURCE, "models/costs/dram/memories/lpddr4-3200.yaml"), encoding="utf-8") as file:
            text, times = re.subn(r"(?m)^( +refresh: )all_bank$", r"\1off", file.read())
        self.assertEqual(times, 1)
        return self.save_text("own.yaml", text)

    def test_rows_of_a_device_are_those_that_the_dram_counted(self):
        own = self.dram_without_refreshes()
        for line in ("--shape 40x30x50", "--shape 8x64x33 --order 213 --burst 128",
                     "--shape 16x16x16 --dma-width 32 --clock 0.7 --allow-overclock", "--shape 9x31x7 --mesh 4x8x3 --format f32",
                     "--shape 12x13x14 --batch 3 --double-buffer"):
            with self.subTest(line=line):
                found = self.trace(f"{line} --dram {own} --out files --no-check")
                first, end = self.device_part(found)
                rows, counts = OpenRows(), collections.Counter()
                for at, access in enumerate(found):
                    what = rows.find(access.address)
                    if first <= at < end:
                        counts[what] += 1
                        counts["write_burst" if access.write else "read_burst"] += 1
                self.assertGreater(counts["row_hit"], 0)
                for event in ("read_burst", "write_burst", "row_hit", "row_miss", "row_conflict"):
                    self.assertEqual(counts[event], self.counted("files", event), event)
                self.assertEqual(counts["row_miss"] + counts["row_conflict"], self.counted("files", "activate"))

    def test_rows_of_two_devices_are_those_that_the_dram_counted(self):
        own = self.dram_without_refreshes()
        for line in ("--quantum 0", "--transport at --quantum 0",
                     "--transport at --quantum 0 --arbitration fixed-priority --burst 64",
                     "--large 20x9x31 --small 7x8x9 --small-runs 3 --transport at --quantum 0"):
            with self.subTest(line=line):
                job = "" if "--large" in line else JOBS["soc"]
                found = self.trace(f"{job} {line} --dram {own} --out files", program="soc")
                counted = load_json(self.path("files/summary.json"))["dram"]
                rows = OpenRows()
                counts = collections.Counter(rows.find(access.address) for access in found)
                counts.update("write_burst" if access.write else "read_burst" for access in found)
                self.assertEqual({event: counted[event] for event in counts}, dict(counts))
                self.assertEqual(counts["row_hit"] + counts["row_miss"] + counts["row_conflict"], len(found))

    def test_data_of_the_host_are_program_and_result(self):
        found = self.trace("--shape 16x16x16 --out files")
        first, end = self.device_part(found)
        self.assertEqual(len(found) - end, 16 ** 3 * 8 // BURST)  # the result, read back
        self.assertEqual([access.address for access in found[:first]], [BURST * i for i in range(first)])  # the program
        read_back = {access.address for access in found[end:]}
        self.assertEqual({access.address for access in found[first:end] if access.write}, read_back)

    def test_bytes_on_the_bus_of_soc_are_those_of_the_router(self):
        for line in ("--memory dram", "--memory sram", "--memory split", "--memory split --transport at --quantum 0",
                     "--memory dram --quantum 10us --link 8", "--memory split --transport at --checkers"):
            with self.subTest(line=line):
                # Bursts of 8 bytes: only the words of programs may fill a part of one.
                trace = "--address-trace run.stl --address-trace-burst 8"
                self.succeeds(f"{JOBS['soc']} {line} --quiet --out files {trace}", program="soc")
                names = {"--memory sram": {"sram": "run.stl"}, "--memory dram": {"dram": "run.stl"}}.get(
                    " ".join(line.split()[:2]), {"dram": "run.stl", "sram": "run.sram.stl"})
                targets = load_json(self.path("files/summary.json"))["router"]["targets"]
                self.assertEqual({name for name in ("sram", "dram") if targets[name]["bytes"]}, set(names))
                for memory, name in names.items():
                    self.assertEqual(self.accesses_of_soc(memory), read_trace(self.path(name)))
                    self.assertEqual(8 * len(read_trace(self.path(name))) // 16, targets[memory]["bytes"] // 16)
                    os.remove(self.path(name))
                self.assertFalse([name for name in os.listdir(self.directory) if name.endswith(".stl")])

    def accesses_of_soc(self, memory):
        """Those of transactions.csv, cut and sorted here."""
        period, found = {"dram": 625, "sram": 1000}[memory], []
        for number, row in enumerate(self.rows("files/transactions.csv")):
            if row["recorder"] == f"platform.to_{memory}":
                begin, address, count = int(row["begin_ps"]), int(row["address"], 16), int(row["bytes"])
                for burst in range(address // 8 * 8, address + count, 8):
                    found.append((begin, number, -(-begin // period), row["command"] == "write", burst))
        return [access[2:] for access in sorted(found)]

    def test_clock_and_burst_are_those_of_the_memory(self):
        job = JOBS["dxt"]
        for line, head, burst in (
                ("--memory sram", "(SRAM), bursts of 64 bytes, cycles of 1000 ps: clkMhz 1000", 64),
                ("--memory sram --clock 0.7 --allow-overclock", "(SRAM), bursts of 64 bytes, cycles of 1429 ps: clkMhz 700", 64),
                ("--clock 0.7 --allow-overclock", "(DRAM lpddr4-3200), bursts of 32 bytes, cycles of 625 ps: clkMhz 1600", 32),
                ("--address-trace-burst 4096",
                 "(DRAM lpddr4-3200), bursts of 4096 bytes, cycles of 625 ps: clkMhz 1600", 4096)):
            with self.subTest(line=line):
                found = self.trace(f"{job} {line}")
                self.assertEqual(self.read_bytes("run.stl").decode().splitlines()[0], f"# platform {head}")
                self.assertEqual({access.address % burst for access in found}, {0})
        fine = {access.address for access in self.trace(f"{job} --address-trace-burst 8")}
        self.assertEqual({address // 4096 * 4096 for address in fine},
                         {access.address for access in self.trace(f"{job} --address-trace-burst 4096")})

    def test_several_programs_go_on_in_one_file(self):
        found = self.trace("--shape 10x9x8 --ranks 4x3x2 --out files", program="tucker")
        programs = len({(row["device"], row["run"]) for row in self.rows("files/latency.csv")})
        self.assertGreater(programs, 1)
        starts = [at for at, access in enumerate(found) if access == (access.cycle, True, 0)]
        self.assertEqual(len(starts), programs)  # each is written to the same place
        self.assertGreaterEqual(len(found), self.counted("files", "read_burst") + self.counted("files", "write_burst"))

    def test_four_devices_have_a_file_each(self):
        self.trace("--shape 4x5x6 --devices torus,mmv,triada,fetta", program="compare_devices")
        names = ("run.stl", "run.fetta.stl", "run.mmv.stl", "run.triada.stl")
        self.assertEqual({name for name in os.listdir(self.directory) if name.endswith(".stl")}, set(names))
        for name in names:
            of = "torus" if name == "run.stl" else name.split(".")[1]
            self.assertTrue(self.read_bytes(name).startswith(f"# {of} (DRAM".encode()), name)
            self.assertTrue(any(access.write for access in read_trace(self.path(name))), name)

    def test_two_devices_have_a_file_each(self):
        self.trace("--shape 6x6x6 --compare triada --out files", program="orbital")
        self.assertEqual(sorted(name for name in os.listdir(self.directory) if name.endswith(".stl")),
                         ["run.stl", "run.triada.stl"])
        for name in ("run.stl", "run.triada.stl"):
            found = read_trace(self.path(name))
            first, end = self.device_part(found)
            written = sum(access.write for access in found[first:end])
            self.assertEqual(written, 6 ** 3 * 8 // BURST, name)  # the result, once
        self.assertIn(b"# triada (DRAM", self.read_bytes("run.triada.stl"))


class Refused(AddressTraceTest):
    def test_names_and_formats(self):
        for line, words in (
                ("--address-trace run.trace", ("--address-trace is 'run.trace'", ".stl", "--address-trace-format")),
                ("--address-trace run", ("--address-trace is 'run'", ".stl")),
                ("--address-trace ''", ("--address-trace", "expected")),
                ("--address-trace run.trace --address-trace-format dramsys", ("run.trace", ".stl", "DRAMSys")),
                ("--address-trace run.stl --address-trace-format ramulator", ("run.stl", "ramulator")),
                ("--address-trace run.stl --address-trace-format ramulator2", ("run.stl", "ramulator2")),
                ("--address-trace run.stl --address-trace-format stl",
                 ("--address-trace-format is 'stl'", "one of dramsys, ")),
                ("--address-trace-format ramulator", ("--address-trace-format", "without --address-trace", "both")),
                ("--address-trace-burst 64", ("--address-trace-burst", "without --address-trace", "both")),
                *((f"--address-trace run.stl --address-trace-burst {burst}",
                   ("--address-trace-burst", burst, "8 to 4096"))
                  for burst in ("0", "4", "24", "8192", "x")),
                ("--address-trace no/run.stl", ("--address-trace: no/run.stl", "cannot be written")),
                ("--address-trace run.stl --output run.stl", ("--address-trace", "--output", "run.stl")),
                ("--address-trace run.stl --vcd ./run.stl", ("--address-trace", "--vcd", "run.stl")),
                ("--out files --address-trace files/latency.csv --address-trace-format ramulator",
                 ("--address-trace", "--out", "files/latency.csv"))):
            self.fails_with(BAD_INPUT, f"{JOBS['dxt']} {line}", *words)

    def test_a_second_file_that_is_another_one(self):
        self.program = "soc"
        self.fails_with(BAD_INPUT, f"{JOBS['soc']} --memory split --address-trace r.stl --vcd r.sram.stl",
                        "--address-trace", "--vcd", "r.sram.stl")

    def test_where_nothing_is_simulated_or_too_much(self):
        refused = [(program, job, what) for program, jobs in TEST_JOBS.items()
                   for job, what in jobs.get("without_trace", {}).items()]
        self.assertLess({name for name in TEST_JOBS if name not in SIMULATED}, {program for program, _, _ in refused})
        for program, job, what in refused:
            with self.subTest(program=program):
                self.program = program
                self.fails_with(BAD_INPUT, f"{job} --address-trace run.stl", "--address-trace", what, "expected")

    def test_a_disk_that_is_full(self):
        self.save_text("run.stl", "older")
        self.fails_with(BAD_INPUT, "--shape 16x16x16 --quiet --address-trace run.stl", "run.stl", "cannot be written",
                        preexec_fn=no_more_than_a_page)
