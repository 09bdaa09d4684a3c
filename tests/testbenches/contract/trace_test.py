"""trace.json of contract: with overlap, power and utilisation belong to the time in which the units worked."""
from contract_program import ContractTest, load_json

JOBS = ("--sizes i=70,j=90,k=50 --bank-bytes 4096", "--einsum 'bik,kj->bij' --sizes b=3,i=20,k=37,j=18 --layout conflicted",
        "--layout offchip --einsum 'ij,jk->ki' --sizes i=20,j=24,k=12", "--sizes i=70,j=90,k=50 --no-overlap")


def integral(events, name):
    """Of a counter over time, in ns."""
    points = [(event["ts"] * 1e3, *event["args"].values()) for event in events if event["ph"] == "C" and event["name"] == name]
    times = [point[0] for point in points]
    assert times == sorted(times)
    return sum(value * (end - begin) for (begin, value), end in zip(points, times[1:]))


class Trace(ContractTest):
    def traced(self, line):
        return self.summary(line), load_json(self.path("files/trace.json"))["traceEvents"]

    def test_power_over_time_is_the_energy(self):
        for line in JOBS:
            with self.subTest(line=line):
                found, events = self.traced(line)
                self.assertAlmostEqual(integral(events, "power") / found["energy_pJ"]["total"], 1, places=9)

    def test_no_more_than_all_pes_work_and_they_do_the_multiply_adds(self):
        for line in JOBS:
            with self.subTest(line=line):
                found, events = self.traced(line)
                shares = [event["args"]["of PEs"] for event in events if event["ph"] == "C" and event["name"] == "utilisation"]
                self.assertGreater(max(shares), 0.1)
                self.assertLessEqual(max(shares), 1 + 1e-12)
                self.assertGreaterEqual(min(shares), 0)
                self.assertAlmostEqual(integral(events, "utilisation") * 256 / found["macs"], 1, places=9)
