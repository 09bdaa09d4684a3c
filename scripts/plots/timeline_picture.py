"""Latency and power over time: the whole job, and its time-steps close up."""
from matplotlib.patches import Patch

from picture import JOB_COLOURS, plain_numbers, save_picture

CAUSE_COLOURS = {
    "fetch": "#7a6a53",
    "matrices": "#cc79a7",
    "load": "#56b4e9",
    "compute": "#d55e00",
    "unload": "#009e73",
}
UNKNOWN_CAUSE_COLOUR = "#999999"
PAUSE = 0.04  # of the forward run's time, between forward and inverse: they are two programs


def spans_of(run):
    """(cause, start_ns, duration_ns) of records in a row with the same cause."""
    spans = []
    for record in run.records:
        if spans and spans[-1][0] == record.cause:
            cause, start, _ = spans[-1]
            spans[-1] = (cause, start, record.start_ns + record.duration_ns - start)
        else:
            spans.append((record.cause, record.start_ns, record.duration_ns))
    return spans


def power_curve(records, energy_of):
    """Edges in ns and levels in mW (= pJ/ns) for a step line; the records follow each other."""
    edges = [record.start_ns for record in records] + [records[-1].start_ns + records[-1].duration_ns]
    levels = [energy_of(record) / record.duration_ns if record.duration_ns else 0 for record in records]
    return edges, levels


def start_of_inverse_ns(job):
    return job.forward.summary["simulated_time_ns"] * (1 + PAUSE)


def draw_causes(axes, jobs):
    """What the device does, on a bar per job."""
    used = []
    for y, job in enumerate(jobs):
        for direction, offset in (("forward", 0), ("inverse", start_of_inverse_ns(job))):
            run = job.runs()[direction]
            for cause, start, duration in spans_of(run):
                colour = CAUSE_COLOURS.get(cause, UNKNOWN_CAUSE_COLOUR)
                axes.barh(y, duration / 1000, 0.6, left=(offset + start) / 1000, color=colour)
                if cause not in used:
                    used.append(cause)
            axes.annotate(f"{direction}: {run.summary['cycles']:,} cycles, of them compute "
                          f"{run.summary['cycles_by_cause'].get('compute', 0):,}",
                          (offset / 1000, y - 0.34), (2, 0), textcoords="offset points", va="bottom", fontsize=7.5)
    axes.set_yticks(range(len(jobs)), [job.label for job in jobs])
    axes.set_ylim(len(jobs) - 0.5, -0.75)
    axes.tick_params(axis="y", length=0)
    axes.set_title("What the device does")
    axes.legend([Patch(color=CAUSE_COLOURS.get(cause, UNKNOWN_CAUSE_COLOUR)) for cause in used], used,
                loc="center left", bbox_to_anchor=(1.0, 0.5))


def draw_whole_power(axes, jobs):
    """Power over the whole job, on a logarithmic axis; the dynamic part apart from the total."""
    for job, width in zip(jobs, (2.6, 1.2)):
        for direction, offset in (("forward", 0), ("inverse", start_of_inverse_ns(job))):
            records = job.runs()[direction].records
            first = direction == "forward"
            for energy_of, style, label in (
                    (lambda record: sum(record.energy_pj.values()), "-", f"{job.label}, with leakage"),
                    (lambda record: record.dynamic_pj(), (0, (3, 1)), f"{job.label}, without leakage")):
                edges, levels = power_curve(records, energy_of)
                axes.stairs([level / 1000 for level in levels], [(offset + edge) / 1000 for edge in edges], baseline=None,
                            color=JOB_COLOURS[job.label], linestyle=style, linewidth=width, label=label if first else None)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(plain_numbers())
    axes.grid(True)
    axes.set_ylabel("power [W], logarithmic")
    axes.set_xlabel("simulated time [µs]; the inverse is a program of its own, drawn after the forward one")
    axes.set_title("Power of the whole job")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def draw_steps(axes, jobs, direction):
    """Dynamic power of each time-step, from the first one on."""
    for job in jobs:
        steps = [record for record in job.runs()[direction].records if record.cause == "compute"]
        if not steps:
            continue
        origin = steps[0].start_ns
        edges, levels = power_curve(steps, lambda record: record.dynamic_pj())
        axes.stairs([level / 1000 for level in levels], [edge - origin for edge in edges], baseline=0,
                    color=JOB_COLOURS[job.label], fill=job.label == "ESOP", linewidth=1.6,
                    label=job.label)
    axes.margins(x=0)
    axes.set_ylim(0, axes.get_ylim()[1] * 1.12)
    draw_stage_names(axes, jobs[0].runs()[direction])
    axes.grid(True)
    axes.set_xlabel("time since the first time-step [ns]")
    axes.set_title(f"Close up: the time-steps of the {direction} transform")


def draw_stage_names(axes, run):
    """Where each stage begins (of the dense run), and its name above the curves."""
    steps = [record for record in run.records if record.cause == "compute"]
    bounds = {}
    for record in steps:
        begin = record.start_ns - steps[0].start_ns
        first, _ = bounds.get(record.phase, (begin, begin))
        bounds[record.phase] = (first, begin + record.duration_ns)
    for phase, (begin, end) in bounds.items():
        if begin > 0:
            axes.axvline(begin, color="#888888", linewidth=0.8, linestyle=":")
        axes.annotate(phase.replace("_", " "), ((begin + end) / 2, 0.985), xycoords=("data", "axes fraction"), ha="center",
                      va="top", fontsize=8)


def draw_timeline(figure, jobs):
    grid = figure.add_gridspec(3, 2, height_ratios=(0.7, 1, 1.1))
    causes = figure.add_subplot(grid[0, :])
    draw_causes(causes, jobs)
    whole = figure.add_subplot(grid[1, :], sharex=causes)
    causes.tick_params(axis="x", labelbottom=False)
    draw_whole_power(whole, jobs)
    forward = figure.add_subplot(grid[2, 0])
    inverse = figure.add_subplot(grid[2, 1], sharey=forward)
    draw_steps(forward, jobs, "forward")
    draw_steps(inverse, jobs, "inverse")
    forward.set_ylabel("power without leakage [W]")
    inverse.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    whole.set_xlim(0, max(start_of_inverse_ns(job) + job.inverse.summary["simulated_time_ns"] for job in jobs) / 1000)
    estimated = " (energy is an estimate)" if jobs[0].forward.is_estimated("total") else ""
    technology = jobs[0].forward.summary["configuration"]["technology"]
    figure.suptitle(f"Latency and power over time, technology {technology}{estimated}")


def save_timeline(path, dense, esop):
    save_picture(path, (12, 8.5), lambda figure: draw_timeline(figure, (dense, esop)))
