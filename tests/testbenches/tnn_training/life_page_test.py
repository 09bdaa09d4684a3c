"""docs/life-of-a-training-step.md: the commands of a step and their cycles are those of a run."""
import os
import re

from testbench_program import load_json
from tnn_training_program import SOURCE, TnnTrainingTest


def commands_of(trace):
    """Number of a command -> its instruction and its cycles at 1 GHz, of the only device of a trace."""
    found, begun = {}, {}
    for event in trace["traceEvents"]:
        track = begun.setdefault((event["pid"], event.get("tid")), [])
        if event["ph"] == "B":
            track.append((event["name"], event["ts"]))
        elif event["ph"] == "E":
            name, start = track.pop()
            if command := re.match(r"command (\d+): (\w+)$", name):
                instruction, cycles = found.get(int(command[1]), (command[2], 0))
                found[int(command[1])] = instruction, cycles + round(1000 * (event["ts"] - start))
    return found


class LifePage(TnnTrainingTest):
    def test_commands_of_a_step(self):
        with open(os.path.join(SOURCE, "docs/life-of-a-training-step.md"), encoding="utf-8") as file:
            page = file.read()
        self.save_text("small.yaml", re.search(r"```yaml\n(.*?)```", page, re.S)[1])
        self.succeeds(re.search(r"^    tnn_training (.*)$", page, re.M)[1])
        found = commands_of(load_json(self.path("run/trace.json")))
        rows = [(first, last or first, *cells) for first, last, *cells in
                re.findall(r"^\| (\d+)(?: to (\d+))? \| (.*?) \| .* \| ([\d,]+) \|$", page, re.M)]
        shown = [number for first, last, *_ in rows for number in range(int(first), int(last) + 1)]
        self.assertEqual(shown, sorted(found))
        for first, last, instructions, cycles in rows:
            commands = [found[number] for number in range(int(first), int(last) + 1)]
            self.assertEqual(", ".join(instruction for instruction, _ in commands), instructions, first)
            self.assertEqual(f"{sum(of_command for _, of_command in commands):,}", cycles, first)
        total = sum(cycles for _, cycles in found.values())
        self.assertIn(f"It takes {total:,} cycles, from command {shown[0]} to command {shown[-1]}; commands 0 to "
                      f"{shown[0] - 1} are before the loop.", " ".join(page.split()))
