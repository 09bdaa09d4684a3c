#!/usr/bin/python3
"""What a transform costs that ranks share: `dxt --ranks` with 1 and 2 ranks, in turns.

Usage: ranks_speed.py BIN [ROUNDS] [-- OPTIONS...]   BIN: folder of dxt and dxt_ranks. ROUNDS: in which both take turns
                                                      (default: 7). OPTIONS: of dxt (default: three sizes in float64).

Prints the CPU seconds of the largest rank, stages and exchange, without and with its slab of X, as medians; their
ratios as medians over the rounds; the rate at which a rank sends in an exchange, and the largest resident set.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile

CASES = [["--shape", f"{n}x{n}x{n}"] for n in (256, 384, 512)]
RANKS = 1, 2


def measured(program, options, ranks):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        subprocess.run([program, *options, "--no-check", "--quiet", "--ranks", str(ranks), "--out", out], check=True)
        with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
            found = json.load(file)
    shared = found["ranks"]
    exchanged = sum(e["bytes"] for e in shared["exchanges"]), sum(e["wall_s"] for e in shared["exchanges"])
    return {"cpu": shared["cpu_s"], "all": shared["cpu_s"] + shared["load_cpu_s"], "exchange": shared["exchange_cpu_s"],
            "rate": exchanged[0] / ranks / exchanged[1] if exchanged[1] else 0, "wall": found["simulation"]["wall_s"],
            "rss": shared["peak_rss_bytes"], "macs": found["macs"]}


def main():
    arguments = sys.argv[1:]
    cases = CASES
    if "--" in arguments:
        cases = [arguments[arguments.index("--") + 1:]]
        arguments = arguments[:arguments.index("--")]
    program, rounds = os.path.join(arguments[0], "dxt"), int(arguments[1]) if len(arguments) > 1 else 7
    for options in cases:
        runs = [[measured(program, options, ranks) for ranks in RANKS] for _ in range(rounds)]
        one, two = ({name: statistics.median(r[i][name] for r in runs) for name in runs[0][i]} for i in range(2))
        ratios = {name: [r[1][name] / r[0][name] for r in runs] for name in ("cpu", "all")}
        print(" ".join(options))
        for ranks, found in zip(RANKS, (one, two)):
            print(f"  {ranks} ranks: {found['cpu']:.3f} s CPU, of it {found['exchange']:.3f} s exchange; with the slab of X "
                  f"{found['all']:.3f} s; {found['wall']:.3f} s wall; {found['rss'] / 2**20:.0f} MiB")
        for name, what in (("cpu", "stages and exchange"), ("all", "with the slab of X")):
            print(f"  ratio {statistics.median(ratios[name]):.3f} ({min(ratios[name]):.3f} to {max(ratios[name]):.3f}): {what}")
        print(f"  a rank sends {two['rate'] / 1e9:.2f} GB/s (best {max(r[1]['rate'] for r in runs) / 1e9:.2f}); one rank does "
              f"{one['macs'] / one['cpu'] / 1e9:.1f} x 10^9 multiply-adds per CPU second", flush=True)


if __name__ == "__main__":
    main()
