"""Bank conflicts of a device's memories: one mark per bank, from banks.csv."""
from tensorloom.palette import GREY, colour_at
from tensorloom.report.markup import colour_class, escape, figure, name_text, short

HEIGHT = 100    # of a lane
LEAST = 4       # least height of a mark, so that a bank without conflicts is visible
GAP = 0.1       # of a bank's width
CONFLICTS = colour_at(9)


def lane(name, banks, most):
    """banks: (number, accesses, conflict cycles)."""
    marks = ""
    for number, accesses, cycles in banks:
        height = max(HEIGHT * cycles / most, LEAST) if most else LEAST
        told = f"bank {number:.0f}: {accesses:,.0f} accesses, {cycles:,.0f} stall cycles"
        marks += (f'<rect class="m {colour_class(CONFLICTS if cycles else GREY)}" x="{short(number + GAP / 2)}" '
                  f'width="{short(1 - GAP)}" y="{short(HEIGHT - height)}" height="{short(height)}"><title>{told}</title></rect>')
    return (f'<div class=lane><span class=name>{name_text(name)}</span><svg class=banks viewBox="0 0 {len(banks)} {HEIGHT}" '
            f'preserveAspectRatio="none" role=img aria-label="{escape(name)}">{marks}</svg></div>')


def banks_chart(table):
    """"" for a run whose device has no banked memory, or that wrote no banks.csv."""
    if table is None or not table.rows:
        return ""
    memory = table.texts("memory")
    number, accesses, cycles = (table.numbers(name) for name in ("bank", "accesses", "conflict_cycles"))
    body = ""
    for name in dict.fromkeys(memory):
        banks = [(number[row], accesses[row], cycles[row]) for row in range(table.rows) if memory[row] == name]
        total, most = sum(bank[2] for bank in banks), max(bank[2] for bank in banks)
        worst = max(banks, key=lambda bank: bank[2])
        told = f"{total:,.0f} stall cycles, most at bank {worst[0]:.0f}: {most:,.0f}" if total else "no stalls"
        body += lane(f"{name.replace('_', ' ')}, {len(banks)} banks", banks, most) + f"<p class=note>{escape(told)}</p>"
    return figure("chart banks", "Bank conflicts by bank", body,
                  "Stall cycles of each bank, from the first bank on the left to the last; the bank with the most stalls fills the "
                  "height of its lane. A stall of several equally loaded banks is attributed to each of them in turn.",
                  "banks.csv", table.rows)
