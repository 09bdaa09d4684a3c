"""Who goes first at a target of the router: every grant of a run is that of a model of the arbitration in this file."""
import collections
import fractions
import itertools

from soc_program import DEVICES, SocTest

INITIATORS = ("large_host", "small_host", "large.dma", "small.dma")
EQUAL = "--large 16x16x16 --small 16x16x16 --large-runs 2 --small-runs 2"
POLICIES = ("round-robin", "fixed-priority", "first-come", "priority --priority small.dma=2,large.dma=1,small_host=1",
            "weighted --share large.dma=13,small.dma=50", "weighted")

PERIOD = 1000  # ps

Request = collections.namedtuple("Request", "initiator arrival bytes address")


class Turns:
    """Round robin, as docs/router.md tells it."""

    def __init__(self):
        self.last = -1

    def choose(self, waiting):
        numbers = [request.initiator for request in waiting]
        self.last = min((number for number in numbers if number > self.last), default=min(numbers))
        return numbers.index(self.last)


class Priorities:
    def __init__(self, priorities):
        self.priorities = priorities
        self.turns = collections.defaultdict(Turns)

    def choose(self, waiting):
        highest = max(self.priorities[request.initiator] for request in waiting)
        equals = [request for request in waiting if self.priorities[request.initiator] == highest]
        return waiting.index(equals[self.turns[highest].choose(equals)])


class Shares:
    """Start-time fair queueing, in the words of its paper: tags in a virtual time that only grows."""

    def __init__(self, shares):
        self.shares = shares
        self.now = fractions.Fraction(0)
        self.finish = [self.now] * len(shares)

    def choose(self, waiting):
        starts = [max(self.now, self.finish[request.initiator]) for request in waiting]
        chosen = starts.index(min(starts))
        self.now = starts[chosen]
        served = waiting[chosen]
        self.finish[served.initiator] = self.now + fractions.Fraction(served.bytes) / self.shares[served.initiator]
        return chosen


class First:
    def __init__(self, key):
        self.key = key

    def choose(self, waiting):
        return min(range(len(waiting)), key=lambda i: self.key(waiting[i]))


def policy_of(words):
    """The model of `--arbitration words`."""
    name, *rest = words.split()
    given = {n: int(value) for n, value in (pair.split("=") for pair in (rest[1] if rest else "").split(",") if pair)}
    if name == "weighted":
        left = fractions.Fraction(100 - sum(given.values()), max(len(INITIATORS) - len(given), 1))
        return Shares([fractions.Fraction(given.get(n, left)) for n in INITIATORS])
    return {"round-robin": Turns, "priority": lambda: Priorities([given.get(n, 0) for n in INITIATORS]),
            "fixed-priority": lambda: First(lambda r: r.initiator),
            "first-come": lambda: First(lambda r: (r.arrival, r.initiator))}[name]()


def arbitrate(requests, policy, link):
    """(time, request, those that waited) of each grant, when `requests` have come to the link: times in ps."""
    queues = [collections.deque(sorted((r for r in requests if r.initiator == i), key=lambda r: r.arrival))
              for i in range(len(INITIATORS))]
    grants, free = [], 0
    while any(queues):
        now = max(free, min(queue[0].arrival for queue in queues if queue))
        waiting = [queue[0] for queue in queues if queue and queue[0].arrival <= now]
        chosen = waiting[policy.choose(waiting)]
        queues[chosen.initiator].popleft()
        grants.append((now, chosen, waiting))
        free = now + PERIOD * -(-chosen.bytes // link)
    return grants


class Grants(SocTest):
    def requests_of(self, base):
        """Of the initiators to a memory: when they have come to its link, a cycle after they began."""
        return [Request(initiator, int(row["begin_ps"]) + PERIOD, int(row["bytes"]), int(row["address"], 16) - base)
                for initiator, name in enumerate(INITIATORS)
                for row in self.rows("files/transactions.csv")
                if row["recorder"] == f"platform.from_{name.replace('.', '_')}" and int(row["address"], 16) >= base]

    def check_grants(self, memory, base, policy, line, link=32):
        found = self.summary(f"{line} --memory {memory} --arbitration {policy} --quantum 0 --no-check --link {link}")
        grants = arbitrate(self.requests_of(base), policy_of(policy), link)
        passed = sorted((int(row["begin_ps"]), int(row["address"], 16), int(row["bytes"]))
                        for row in self.rows("files/transactions.csv") if row["recorder"] == f"platform.to_{memory}")
        self.assertEqual([(now, chosen.address, chosen.bytes) for now, chosen, _ in grants], passed)
        return found, grants

    def test_are_those_of_the_model(self):
        for transport, policy in itertools.product(("lt", "at"), POLICIES):
            with self.subTest(transport=transport, policy=policy):
                _, grants = self.check_grants("sram", 0x1_0000_0000, policy, f"{EQUAL} --transport {transport}")
                self.assertGreater(sum(len(waiting) > 1 for *_, waiting in grants), 50)

    def test_are_those_of_the_model_at_the_dram(self):
        for policy, more in itertools.product(POLICIES[3:], ("--burst 256 --large-runs 3", "--burst 1024 --link 8")):
            line, link = (more + " --link 32").split(" --link ")[:2]
            jobs = "--large 12x12x12 --small 9x8x7 --small-runs 5"
            self.check_grants("dram", 0x10_0000_0000, policy, f"{jobs} {line}", int(link))

    def test_what_initiators_got_is_that_of_the_model(self):
        """In a configuration in which only the memory has more than one caller at a time."""
        for policy in POLICIES:
            found, grants = self.check_grants("sram", 0x1_0000_0000, policy, EQUAL)
            shares = found["configuration"]["share_percent"]
            for number, name in enumerate(INITIATORS):
                contested = [(chosen, waiting) for _, chosen, waiting in grants
                             if len(waiting) > 1 and number in (request.initiator for request in waiting)]
                told = found["router"]["shares"][name]
                self.assertEqual(told["contested_bytes"], sum(chosen.bytes for chosen, _ in contested))
                self.assertEqual(told["won_bytes"], sum(chosen.bytes for chosen, _ in contested
                                                        if chosen.initiator == number))
                if shares is None:
                    self.assertIsNone(told["due_bytes"])
                    continue
                due = sum(chosen.bytes * shares[name] / sum(shares[INITIATORS[r.initiator]] for r in waiting)
                          for chosen, waiting in contested)
                self.assertAlmostEqual(told["due_bytes"], due, delta=1e-9 * due)


class Ranks(SocTest):
    def found(self, policy, line=EQUAL):
        """But for what names the policy."""
        found = self.summary_of(f"{line} --arbitration {policy}")
        for part in ("configuration", "simulation"):
            del found[part]
        del found["energy_estimated"]
        for name, share in (found["router"]["shares"] or {}).items():
            found["router"]["shares"][name] = share["contested_bytes"], share["won_bytes"]
        return found

    def test_priorities_in_the_order_of_the_initiators_are_fixed_priority(self):
        for exact in ("--quantum 0", "--transport at"):
            line = f"{EQUAL} {exact}"
            self.assertEqual(self.found("fixed-priority", line), self.found(
                "priority --priority large_host=15,small_host=7,large.dma=1", line))

    def test_equal_priorities_are_round_robin(self):
        for exact in ("--quantum 0", "--transport at"):
            line = f"{EQUAL} {exact}"
            self.assertEqual(self.found("round-robin", line), self.found("priority --priority small.dma=0", line))

    def test_who_has_a_priority_is_as_fast_as_nearly_alone(self):
        line = "--large 24x24x24 --small 24x24x24 --small-runs 1 --memory sram --quantum 0"
        for first, last in (("large", "small"), ("small", "large")):
            devices = self.found(f"priority --priority {first}_host=1,{first}.dma=1", line)["devices"]
            self.assertLess(devices[first]["slowdown"], 1.05)
            self.assertGreater(devices[last]["slowdown"], 1.5)

    def test_shares_are_met_while_both_want_all_of_the_link(self):
        """Two equal jobs in the same phases: what they got is what was due, within a percent of it and a burst."""
        line = "--large 32x32x32 --small 32x32x32 --small-runs 1 --memory sram"
        for exact, (large, small) in itertools.product(("--quantum 0", "--transport at"),
                                                       ((60, 20), (20, 60), (30, 30))):
            shares = self.summary_of(f"{line} {exact} --arbitration weighted "
                                     f"--share large.dma={large},small.dma={small}")["router"]["shares"]
            self.assertGreater(min(shares[f"{device}.dma"]["contested_bytes"] for device in DEVICES), 200_000)
            for got in shares.values():
                self.assertAlmostEqual(got["won_bytes"], got["due_bytes"], delta=0.01 * got["contested_bytes"] + 4096)

    def test_a_burst_that_comes_after_the_link_is_free_has_no_rivals(self):
        line = ("--large 24x24x24 --small 24x24x24 --small-runs 1 --memory sram --transport at --burst 64 "
                "--arbitration weighted --share large.dma=60,small.dma=20 --outstanding")
        few, many = (self.summary_of(f"{line} {n}")["router"]["shares"]["large.dma"]["contested_bytes"] for n in (1, 4))
        self.assertLess(few, many / 1000)

    def test_more_of_a_share_is_less_of_a_slowdown(self):
        line = "--large 24x24x24 --small 24x24x24 --small-runs 1 --memory sram --quantum 0"
        slowdowns = [self.found(f"weighted --share small.dma={share},small_host={share}", line)["devices"]["small"][
            "slowdown"] for share in (5, 25, 45)]
        self.assertEqual(slowdowns, sorted(set(slowdowns), reverse=True))
