"""What two devices on one bus cost each other, and how it is told."""
import itertools

from soc_program import JOBS, SocTest

BUSY = "--large 16x16x16 --small 8x8x8 --small-runs 4"
FIELDS = ("transactions", "bytes", "contended", "contention_cycles")


class Counters(SocTest):
    def test_those_of_initiators_sum_to_those_of_targets(self):
        for line in (f"{BUSY} --memory {memory} --transport {transport} --quantum {quantum} --link {link}"
                     for memory, transport, quantum, link in itertools.product(("dram", "split"), ("lt", "at"),
                                                                               ("0", "1us"), (0, 8))):
            router = self.summary_of(line)["router"]
            for field in FIELDS:
                self.assertEqual(sum(port[field] for port in router["initiators"].values()),
                                 sum(port[field] for port in router["targets"].values()), f"{line} {field}")

    def test_ports_have_the_names_of_what_is_bound_there(self):
        router = self.summary_of(JOBS)["router"]
        self.assertEqual(list(router["initiators"]), ["large_host", "small_host", "large.dma", "small.dma"])
        self.assertEqual(list(router["targets"]), ["large.regs", "small.regs", "sram", "dram"])

    def test_only_the_memory_that_holds_data_is_visited(self):
        for memory, silent in (("dram", {"sram"}), ("sram", {"dram"}), ("split", set())):
            targets = self.summary_of(f"{JOBS} --memory {memory}")["router"]["targets"]
            self.assertEqual({name for name, port in targets.items() if port["transactions"] == 0}, silent)

    def test_a_device_reads_and_writes_what_its_jobs_have(self):
        """3 matrices, the tensor in and out, and the program, for each run."""
        for element, bytes_each in (("f64", 8), ("f32", 4), ("c128", 16)):
            router = self.summary_of(f"{JOBS} --format {element}")["router"]
            ports = router["initiators"]
            program = ports["large.dma"]["bytes"] - bytes_each * (25 + 16 + 9 + 2 * 60)
            self.assertEqual(ports["small.dma"]["bytes"], 2 * (bytes_each * (4 + 9 + 4 + 2 * 12) + program))
            # A host writes the program, reads the result, and the rest goes to registers.
            registers = ports["large_host"]["bytes"] - program - bytes_each * 60
            self.assertEqual(registers, router["targets"]["large.regs"]["bytes"])

    def test_number_of_bursts_follows_from_their_size(self):
        for burst in (16, 64, 4096):
            large = self.summary_of(f"{JOBS} --burst {burst}")["router"]["initiators"]["large.dma"]
            self.assertGreaterEqual(large["transactions"], large["bytes"] / burst)
        counts = [self.summary_of(f"{JOBS} --burst {2**n}")["router"]["initiators"]["large.dma"]["transactions"]
                  for n in range(2, 13)]
        self.assertEqual(counts, sorted(counts, reverse=True))

    def test_idle_device_has_no_traffic(self):
        router = self.summary_of("--large 5x4x3 --small 2x3x2 --small-runs 0")["router"]
        for port in (router["initiators"]["small_host"], router["initiators"]["small.dma"],
                     router["targets"]["small.regs"]):
            self.assertEqual(set(port.values()), {0})


    def test_waiting_in_the_sram_follows_from_its_ports_and_banks(self):
        jobs = "--large 16x16x16 --small 16x16x16 --small-runs 1 --memory sram --link 0"
        waits = {}
        for ports, banks in ((1, 1), (2, 1), (2, 256)):
            sram = self.summary_of(f"{jobs} --memory-ports {ports} --sram-banks {banks}")["sram"]
            waits[ports, banks] = sram["port_conflict_cycle"], sram["bank_conflict_cycle"]
        self.assertEqual(waits[1, 1][1], 0)
        self.assertGreater(waits[1, 1][0], waits[2, 256][0])
        self.assertGreater(waits[2, 1][1], 10 * waits[2, 256][1])

    def test_words_of_the_sram_are_those_moved(self):
        found = self.summary_of(f"{JOBS} --memory sram")  # everything is aligned to 8 bytes
        words = found["sram"]["read_access"] + found["sram"]["write_access"]
        self.assertEqual(8 * words, found["router"]["targets"]["sram"]["bytes"])


class Link(SocTest):
    def test_without_a_limit_blocking_calls_do_not_wait(self):
        for memory, quantum in itertools.product(("dram", "sram"), ("0", "1us", "1ms")):
            ports = self.summary_of(f"{BUSY} --memory {memory} --link 0 --quantum {quantum}")["router"]["initiators"]
            self.assertEqual({port[field] for port in ports.values() for field in FIELDS[2:]}, {0})

    def test_slower_links_make_runs_longer(self):
        for memory, transport in itertools.product(("dram", "sram"), ("lt", "at")):
            cycles = [self.cycles(f"{BUSY} --memory {memory} --transport {transport} --quantum 0 --link {link}")
                      for link in (64, 16, 4, 1)]
            self.assertEqual(cycles, sorted(set(cycles)))

    def test_a_link_of_one_byte_takes_a_cycle_per_byte(self):
        """But for the last burst, which nothing waits for."""
        for memory in ("dram", "sram"):
            found = self.summary_of(f"{BUSY} --memory {memory} --link 1 --quantum 0")
            self.assertGreaterEqual(found["cycles"], found["router"]["targets"][memory]["bytes"] - 4096)

    def test_waiting_is_longer_on_slower_links(self):
        waits = [sum(port["contention_cycles"] for port in
                     self.summary_of(f"{BUSY} --quantum 0 --link {link}")["router"]["initiators"].values())
                 for link in (32, 8, 2)]
        self.assertEqual(waits, sorted(set(waits)))


class Company(SocTest):
    def run_cycles(self, line, device):
        return self.summary_of(line)["devices"][device]["run_cycles"]

    def test_jobs_take_longer_in_company(self):
        """Both start at once; of several runs together, because a refresh of the DRAM can fall on any of them."""
        for memory, transport in itertools.product(("dram", "sram"), ("lt", "at")):
            shapes = f"--large 12x12x12 --small 8x8x8 --memory {memory} --transport {transport} --quantum 0"
            both = self.summary_of(f"{shapes} --large-runs 4")["devices"]
            for runs, device in (("--large-runs 4 --small-runs 0", "large"), ("--large-runs 0", "small")):
                alone = self.summary_of(f"{shapes} {runs}")["devices"]
                self.assertGreater(both[device]["cycles"], 1.02 * alone[device]["cycles"], f"{shapes} {device}")

    def test_fixed_priority_favours_the_large_device(self):
        for memory, transport in itertools.product(("dram", "sram"), ("lt", "at")):
            line = f"--large 24x24x24 --small 12x12x12 --memory {memory} --transport {transport} --quantum 0 --link 8"
            fair, fixed = (self.summary_of(f"{line} --arbitration {policy}")
                           for policy in ("round-robin", "fixed-priority"))
            self.assertLess(fixed["devices"]["large"]["cycles"], fair["devices"]["large"]["cycles"])
            waits = {name: port["contention_cycles"] / port["bytes"]
                     for name, port in fixed["router"]["initiators"].items()}
            self.assertLess(2 * waits["large.dma"], waits["small.dma"])

    def test_ports_and_banks_let_both_into_the_sram(self):
        line = "--large 16x16x16 --small 16x16x16 --small-runs 1 --memory sram --link 0"
        for transport, quantum in itertools.product(("lt", "at"), ("0", "1us")):
            def cycles(ports, banks):
                return self.cycles(f"{line} --transport {transport} --quantum {quantum} --memory-ports {ports} "
                                   f"--sram-banks {banks}")
            self.assertLess(1.5 * cycles(2, 64), cycles(2, 1))
            self.assertLess(1.5 * cycles(2, 64), cycles(1, 64))
            self.assertEqual(cycles(1, 1), cycles(1, 64))  # what a single port brings is in order anyway

    def test_more_outstanding_bursts_hide_latency(self):
        cycles = [self.cycles(f"--large 16x16x16 --small-runs 0 --burst 64 --outstanding {n}") for n in (1, 4, 16)]
        self.assertEqual(cycles, sorted(set(cycles), reverse=True))
