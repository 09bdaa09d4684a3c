"""The files of --out: their rows sum to summary.json."""
import math
import os
import re

from soc_program import DEVICES, JOBS, SHAPES, SocTest
from testbench_summary import ChecksOfEachRun

RUNS = (JOBS, f"{SHAPES} --large-runs 3 --memory split --transport at --quantum 0",
        f"{SHAPES} --small-runs 0 --memory sram --zeros 0.5", f"{SHAPES} --large-runs 0",
        f"{JOBS} --format c64 --large-transform dft --technology 7nm --clock 0.7 --allow-overclock --burst 16",
        f"{JOBS} --fidelity detailed --checkers --quantum 1ms")
RECORDERS = {"from_large_host": ("initiators", "large_host"), "from_small_host": ("initiators", "small_host"),
             "from_large_dma": ("initiators", "large.dma"), "from_small_dma": ("initiators", "small.dma"),
             "to_large_regs": ("targets", "large.regs"), "to_small_regs": ("targets", "small.regs"),
             "to_sram": ("targets", "sram"), "to_dram": ("targets", "dram")}


class Tables(ChecksOfEachRun, SocTest):
    runs = RUNS

    def own_rows(self, name):
        """device, run -> rows"""
        found = {}
        for row in self.rows("files/" + name):
            found.setdefault((row["device"], int(row["run"])), []).append(row)
        return found

    def test_eight_files_and_nothing_else(self):
        self.summary(JOBS)
        self.assertEqual(sorted(os.listdir(self.path("files"))),
                         ["energy.csv", "events.csv", "latency.csv", "summary.json", "trace.json", "traffic.csv",
                          "transactions.csv", "transactions.txlog"])

    def test_the_log_of_scv_has_the_same_transactions(self):
        """Read here, by the lines of the format."""
        for transport in ("lt", "at"):
            self.summary(f"{JOBS} --transport {transport}")
            with open(self.path("files/transactions.txlog"), encoding="utf-8") as file:
                text = file.read()
            streams = dict(re.findall(r'^scv_tr_stream \(ID (\d+), name "([^"]*)", kind "\[TLM\]"\)$', text, re.M))
            generators = {number: (name, streams[stream]) for number, name, stream in
                          re.findall(r'^scv_tr_generator \(ID (\d+), name "(\w+)", scv_tr_stream (\d+),\n\)$', text, re.M)}
            found = {number: {"command": generators[of][0], "recorder": generators[of][1], "begin_ps": ps}
                     for number, of, ps in re.findall(r"^tx_begin (\d+) (\d+) (\d+) ps$", text, re.M)}
            for number, of, ps in re.findall(r"^tx_end (\d+) (\d+) (\d+) ps$", text, re.M):
                self.assertEqual(generators[of], (found[number]["command"], found[number]["recorder"]))
                found[number]["end_ps"] = ps
            for number, name, value in re.findall(r'^tx_record_attribute (\d+) "(\w+)" [A-Z]+ = "?([^"\n]*)"?$', text, re.M):
                found[number][name] = value
            self.assertEqual(len(set(streams) | set(generators)), len(streams) + len(generators))
            rows = list(self.rows("files/transactions.csv"))
            self.assertEqual(len(found), len(rows))
            for row, (number, one) in zip(rows, found.items()):
                for field in ("command", "recorder", "begin_ps", "end_ps", "initiator", "transport", "bytes", "status"):
                    self.assertEqual(one[field], row[field], (number, field))
                self.assertEqual(int(one["address"]), int(row["address"], 16))
                self.assertEqual(one.get("end_request", " ps"), f"{row['end_request_ps']} ps")
                self.assertEqual(one.get("begin_response", " ps"), f"{row['begin_response_ps']} ps")

    def check_every_run_is_there(self, found):
        expected = [(device, run) for device in DEVICES for run in range(found["devices"][device]["runs"])]
        self.assertEqual(list(self.own_rows("latency.csv")), expected)
        self.assertEqual(list(self.own_rows("energy.csv")), expected)

    def check_jobs_are_named(self, found):
        for (device, _), rows in self.own_rows("latency.csv").items():
            job = found["devices"][device]
            self.assertEqual({row["job"] for row in rows},
                             {f"{job['transform']}, {' x '.join(map(str, job['shape']))}"})

    def check_cycles_sum_to_those_of_each_run(self, found):
        for (device, run), rows in self.own_rows("latency.csv").items():
            self.assertEqual(sum(int(row["cycles"]) for row in rows), found["devices"][device]["run_cycles"][run])

    def check_rows_follow_each_other_without_a_gap(self, _found):
        for rows in self.own_rows("latency.csv").values():
            now = 0
            for row in rows:
                self.assertEqual(int(row["start_cycle"]), now)
                now += int(row["cycles"])

    def check_causes_and_counts_sum(self, found):
        for device in DEVICES:
            rows = [row for row in self.rows("files/latency.csv") if row["device"] == device]
            for cause, cycles in found["devices"][device]["cycles_by_cause"].items():
                self.assertEqual(sum(int(row["cycles"]) for row in rows if row["cause"] == cause), cycles)
            for event, count in found["devices"][device]["events"].items():
                self.assertEqual(sum(int(row[event]) for row in rows), count)

    def check_bytes_of_the_dma_are_those_at_the_router(self, found):
        for device in DEVICES:
            rows = [row for row in self.rows("files/latency.csv") if row["device"] == device]
            for field, columns in (("bytes", ("read_byte", "write_byte")),
                                   ("transactions", ("read_transaction", "write_transaction"))):
                self.assertEqual(sum(int(row["dma_engine." + column]) for row in rows for column in columns),
                                 found["router"]["initiators"][f"{device}.dma"][field])

    def check_energies_sum_to_those_of_the_devices(self, found):
        """But for leakage: the table's is that of the runs, the summary's that of the whole time."""
        for device in DEVICES:
            rows = [row for row in self.rows("files/energy.csv") if row["device"] == device]
            for part in ("actuators", "lines", "registers", "mac"):
                expected = found["energy_pJ"][f"{device}.{part}"]
                self.assertAlmostEqual(math.fsum(float(row[part + "_pJ"]) for row in rows), expected,
                                       delta=1e-12 * expected)
            busy = found["devices"][device]["cycles"] / found["cycles"]
            expected = found["energy_pJ"][f"{device}.leakage"] * busy
            self.assertAlmostEqual(math.fsum(float(row["leakage_pJ"]) for row in rows), expected,
                                   delta=1e-9 * expected)
        for row in self.rows("files/energy.csv"):
            parts = math.fsum(float(v) for k, v in row.items() if k.endswith("_pJ") and k != "total_pJ")
            self.assertAlmostEqual(parts, float(row["total_pJ"]), delta=1e-12 * parts)

    def check_both_tables_have_the_same_rows(self, _found):
        key = ("device", "run", "command", "cause", "phase", "id", "start_cycle", "cycles")
        self.assertEqual(*([[row[k] for k in key] for row in self.rows(f"files/{name}.csv")]
                           for name in ("latency", "energy")))


class Traffic(ChecksOfEachRun, SocTest):
    runs = RUNS

    def check_totals_are_the_counters_of_the_router(self, found):
        rows = {row["recorder"].removeprefix("platform."): row for row in self.rows("files/traffic.csv")}
        self.assertEqual(set(rows), set(RECORDERS))
        for name, (side, port) in RECORDERS.items():
            counted, row = found["router"][side][port], rows[name]
            self.assertEqual(int(row["transactions"]), counted["transactions"], name)
            self.assertEqual(int(row["bytes_read"]) + int(row["bytes_written"]), counted["bytes"], name)
            self.assertEqual(int(row["reads"]) + int(row["writes"]), counted["transactions"], name)
            self.assertEqual((row["errors"], row["dropped"], row["dmi_grants"]), ("0", "0", "0"), name)

    def check_transactions_sum_to_the_totals(self, _found):
        transactions = self.rows("files/transactions.csv")
        for row in self.rows("files/traffic.csv"):
            own = [t for t in transactions if t["recorder"] == row["recorder"]]
            self.assertEqual(len(own), int(row["transactions"]))
            for command, column in (("read", "bytes_read"), ("write", "bytes_written")):
                self.assertEqual(sum(int(t["bytes"]) for t in own if t["command"] == command), int(row[column]))
            latencies = [int(t["end_ps"]) - int(t["begin_ps"]) for t in own]
            self.assertEqual(max(latencies, default=0), int(row["latency_max_ps"]))
            self.assertEqual({t["initiator"] for t in own} - {row["initiator"]}, set())

    def test_transactions_are_where_the_data_lies(self):
        for memory, low in (("dram", 0x10_0000_0000), ("sram", 0x1_0000_0000)):
            self.summary(f"{JOBS} --memory {memory}")
            for row in self.rows("files/transactions.csv"):
                self.assertEqual(row["status"], "ok")
                address = int(row["address"], 16)
                if row["recorder"].endswith("_dma"):
                    self.assertTrue(low <= address < low + (1 << 20), row)
                elif row["recorder"].endswith("_host") and not low <= address < low + (1 << 20):
                    base = 0x4000_0000 + (0x1000 if "small" in row["recorder"] else 0)
                    self.assertTrue(base <= address < base + 0x1000, row)
                elif row["recorder"].startswith("platform.to_"):
                    self.assertLess(address, 1 << 20)

    def test_transport_is_told(self):
        for transport, word in (("lt", "blocking"), ("at", "phases")):
            self.summary(f"{JOBS} --transport {transport}")
            for row in self.rows("files/transactions.csv"):
                of_dma = row["recorder"].endswith("_dma")
                if of_dma or row["recorder"].endswith("_host"):
                    self.assertEqual(row["transport"], word if of_dma else "blocking", row)

    def test_no_burst_is_longer_than_asked(self):
        for burst in (16, 512, 4096):
            self.summary(f"--large 8x8x8 --small-runs 0 --burst {burst}")  # 4096 bytes of results
            sizes = [int(row["bytes"]) for row in self.rows("files/transactions.csv")
                     if row["recorder"].endswith("_dma")]
            self.assertEqual(max(sizes), burst)


class Trace(ChecksOfEachRun, SocTest):
    runs = RUNS

    @staticmethod
    def names(events, kind):
        return {(event["pid"], event["tid"] if kind == "thread" else 0): event["args"]["name"]
                for event in events if event["ph"] == "M" and event["name"] == kind + "_name"}

    def check_processes_and_tracks(self, found):
        events = self.trace_events()
        processes = self.names(events, "process")
        expected = [f"platform.{device}" for device in DEVICES if found["devices"][device]["runs"] > 0] + ["bus"]
        self.assertEqual(list(processes.values()), expected)
        bus = {name.split(",")[0] for (pid, _), name in self.names(events, "thread").items()
               if processes[pid, 0] == "bus"}
        self.assertEqual(bus, {"platform." + name for name in RECORDERS})

    def check_every_event_is_of_a_known_kind_and_track(self, _found):
        events = self.trace_events()
        tracks = self.names(events, "thread")
        named = [(pid, name) for (pid, _), name in tracks.items()]
        self.assertEqual(len(set(named)), len(named))
        for event in events:
            self.assertIn(event["ph"], "MBEC")
            if event["ph"] != "M":
                self.assertGreaterEqual(event["ts"], 0)
            if event["ph"] in "BE":
                self.assertIn((event["pid"], event["tid"]), tracks)

    def check_slices_nest_and_time_goes_on(self, _found):
        events = self.trace_events()
        last, depth = {}, {}
        for event in events:
            if event["ph"] not in "BE":
                continue
            track = event["pid"], event["tid"]
            self.assertGreaterEqual(event["ts"], last.get(track, 0))
            last[track] = event["ts"]
            depth[track] = depth.get(track, 0) + (1 if event["ph"] == "B" else -1)
            self.assertGreaterEqual(depth[track], 0)
        self.assertEqual(set(depth.values()), {0})

    def check_a_job_for_every_run_with_its_cycles(self, found):
        events = self.trace_events()
        processes = self.names(events, "process")
        for device in DEVICES:
            jobs = [event["args"]["cycles"] for event in events if event["ph"] == "B" and event["name"].startswith("job")
                    and processes[event["pid"], 0] == f"platform.{device}"]
            self.assertEqual(jobs, found["devices"][device]["run_cycles"])

    def check_jobs_of_a_device_do_not_overlap_and_lie_in_the_run(self, found):
        events = self.trace_events()
        for pid in {event["pid"] for event in events if event.get("name", "").startswith("job")}:
            begins = [event["ts"] for event in events if event["ph"] == "B" and event["pid"] == pid
                      and event["name"].startswith("job")]
            self.assertEqual(begins, sorted(set(begins)))
            ends = max(event["ts"] for event in events if event["ph"] == "E" and event["pid"] == pid)
            self.assertLessEqual(ends, found["simulated_time_ns"] / 1000 + 1e-6)
