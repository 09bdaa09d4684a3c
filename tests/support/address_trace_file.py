"""Reads address traces by the rules of their simulators, and classifies accesses for an open-page DRAM."""
import collections
import re

Access = collections.namedtuple("Access", "cycle write address")  # cycle: None if the format has no cycles

# A line, what follows the number or word before; DRAMSys: `cycle: [(length)] command address [data]`.
LINES = {
    "dramsys": re.compile(r"(?P<cycle>[0-9]+): (?P<command>read|write) 0x(?P<address>[0-9a-f]+)"),
    "ramulator": re.compile(r"0x(?P<address>[0-9a-f]+) (?P<command>R|W)"),
    "ramulator2": re.compile(r"(?P<command>LD|ST) 0x(?P<address>[0-9a-f]+)"),
}


def read_trace(path, reader="dramsys"):
    """The accesses. Raises ValueError for a line that the simulator would refuse."""
    found = []
    with open(path, encoding="ascii") as file:
        for line in file:
            if not line.endswith("\n"):
                raise ValueError("the last line has no end")
            if reader == "dramsys" and line.startswith("#"):
                continue
            match = LINES[reader].fullmatch(line[:-1])
            if match is None:
                raise ValueError(f"no line of {reader}: {line!r}")
            parts = match.groupdict()
            found.append(Access(int(parts["cycle"]) if "cycle" in parts else None,
                                parts["command"] in ("write", "W", "ST"), int(parts["address"], 16)))
    return found


def place(address):
    """Channel, bank and row in the shipped DRAM, as docs/dram.md says: bits 5 and 8 to 12 are the column, 6 and 7 the
    channel, 13 to 15 the bank, 16 to 31 the row; the channel is XOR all higher bits in groups of two."""
    channel, above = address >> 6 & 3, address >> 8
    while above:
        channel ^= above & 3
        above >>= 2
    return channel, address >> 13 & 7, address >> 16


class OpenRows:
    """Banks with an open-page policy, without refreshes, served in the order of calls."""

    def __init__(self):
        self.rows = {}

    def find(self, address):
        """"row_hit", "row_miss" or "row_conflict"; the row is open afterwards."""
        channel, bank, row = place(address)
        before = self.rows.get((channel, bank))
        self.rows[channel, bank] = row
        return "row_miss" if before is None else "row_hit" if before == row else "row_conflict"
