"""Where the energy goes: by component and stage without leakage, by component for the whole job, and by phase with leakage."""
from picture import COMPONENT_COLOURS, JOB_COLOURS, component_colour, marked, plain_numbers, save_picture

BAR = 0.42
SMALLEST_SHOWN = 0.001  # of the tallest bar


def phase_energy_pj(run):
    """Phase -> component -> pJ, phases in the order in which they begin."""
    phases = {}
    for record in run.records:
        of_phase = phases.setdefault(record.phase, {})
        for component, pj in record.energy_pj.items():
            of_phase[component] = of_phase.get(component, 0) + pj
    return phases


def phases_of(jobs, direction):
    """The phases of one direction, in order, for all jobs."""
    names = []
    for job in jobs:
        names += [phase for phase in phase_energy_pj(job.runs()[direction]) if phase not in names]
    return names


def readable(phase):
    return phase.replace("_", " ")


def working_components(run):
    """All but leakage, in the palette's order, so that colours stack alike in every bar."""
    names = [name for name in run.components() if name != "leakage"]
    palette = list(COMPONENT_COLOURS)
    return sorted(names, key=lambda name: palette.index(name) if name in palette else len(palette))


def dynamic_uj(job, direction, phase):
    """Component -> µJ, without leakage."""
    energy = phase_energy_pj(job.runs()[direction]).get(phase, {})
    return {component: pj / 1e6 for component, pj in energy.items() if component != "leakage"}


def shown_phases(jobs):
    """(direction, phase) of the bars that are high enough to be seen, and the names of those that are not."""
    heights = {(direction, phase): max(sum(dynamic_uj(job, direction, phase).values()) for job in jobs)
               for direction in ("forward", "inverse") for phase in phases_of(jobs, direction)}
    least = SMALLEST_SHOWN * max(heights.values())
    hidden = sorted({phase for (_, phase), height in heights.items() if height < least})
    return [key for key in heights if key[1] not in hidden], hidden


def draw_stages(axes, jobs):
    """Dynamic energy of each phase, stacked by component, a bar per job."""
    components = working_components(jobs[0].forward)
    shown, hidden = shown_phases(jobs)
    names_of_bars, groups = [], {}
    tallest = 0.0
    for direction, phase in shown:
        x = len(names_of_bars) / len(jobs) + (0.5 if direction == "inverse" else 0)
        groups.setdefault(direction, []).append(x)
        axes.annotate(readable(phase), (x, 0), (0, -15), xycoords=("data", "axes fraction"), textcoords="offset points",
                      ha="center", va="top")
        for place, job in zip((-BAR / 2, BAR / 2), jobs):
            energy = dynamic_uj(job, direction, phase)
            height = 0.0
            for component in components:
                axes.bar(x + place, energy.get(component, 0), BAR * 0.95, bottom=height, color=component_colour(component))
                height += energy.get(component, 0)
            axes.annotate(f"{height:.3g}", (x + place, height), (0, 2), textcoords="offset points", ha="center", fontsize=7.5)
            tallest = max(tallest, height)
            names_of_bars.append((x + place, job.label))
    for component in components:
        axes.bar(0, 0, color=component_colour(component), label=marked(jobs[0].forward, component))
    for direction, places in groups.items():
        axes.annotate(direction, (sum(places) / len(places), 0), (0, -29), xycoords=("data", "axes fraction"),
                      textcoords="offset points", ha="center", va="top", fontweight="bold")
    axes.set_xticks([x for x, _ in names_of_bars], [name for _, name in names_of_bars], fontsize=7.5)
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(names_of_bars[0][0] - BAR, names_of_bars[-1][0] + BAR)
    axes.set_ylim(0, 1.1 * tallest if tallest > 0 else 1)
    axes.grid(True, axis="y")
    axes.set_ylabel("energy without leakage [µJ]")
    note = f" (too small to be seen: {', '.join(readable(phase) for phase in hidden)})" if hidden else ""
    axes.set_title(f"Dynamic energy by stage and component{note}")
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], labels[::-1], loc="center left", bbox_to_anchor=(1.0, 0.5))  # as the bars stack


def job_energy_pj(job, component):
    return sum(run.summary["energy_pJ"].get(component) or 0 for run in job.runs().values())


def draw_components(axes, jobs):
    """Energy of the whole job by component, on a logarithmic axis: the components lie far apart."""
    components = sorted(jobs[0].forward.components(), key=lambda name: job_energy_pj(jobs[0], name)) + ["total"]
    for place, job in zip((BAR / 2, -BAR / 2), jobs):
        energies = [job_energy_pj(job, component) / 1e6 for component in components]
        bars = axes.barh([y + place for y in range(len(components))], energies, BAR, color=JOB_COLOURS[job.label],
                         label=job.label)
        axes.bar_label(bars, [f"{energy:.3g}" if energy < 1000 else f"{energy:,.0f}" for energy in energies],
                       padding=3, fontsize=7.5)
    axes.set_yticks(range(len(components)), [marked(jobs[0].forward, component) for component in components])
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(plain_numbers())
    low, high = axes.get_xlim()
    axes.set_xlim(low, high * 4)
    axes.grid(True, axis="x")
    axes.set_xlabel("energy, forward and inverse [µJ], logarithmic")
    axes.set_title("The whole job by component")
    axes.legend(loc="lower right")


def draw_leakage(axes, jobs):
    """Energy of the whole job by phase, leakage apart from the rest."""
    directions = ("forward", "inverse")
    phases = []
    for direction in directions:
        phases += [phase for phase in phases_of(jobs, direction) if phase not in phases]
    phases.reverse()
    for place, job in zip((BAR / 2, -BAR / 2), jobs):
        leakage, dynamic = [], []
        for phase in phases:
            parts = [phase_energy_pj(job.runs()[direction]).get(phase, {}) for direction in directions]
            leakage.append(sum(part.get("leakage", 0) for part in parts) / 1e9)
            dynamic.append(sum(sum(part.values()) - part.get("leakage", 0) for part in parts) / 1e9)
        y = [position + place for position in range(len(phases))]
        axes.barh(y, leakage, BAR, color=component_colour("leakage"))
        bars = axes.barh(y, dynamic, BAR, left=leakage, color=JOB_COLOURS[job.label])
        axes.bar_label(bars, [f"{a + b:.3g}" for a, b in zip(leakage, dynamic)], padding=3, fontsize=7.5)
    axes.barh(0, 0, color=component_colour("leakage"), label=marked(jobs[0].forward, "leakage"))
    for job in jobs:
        axes.barh(0, 0, color=JOB_COLOURS[job.label], label=f"dynamic, {job.label}")
    axes.set_yticks(range(len(phases)), [readable(phase) for phase in phases])
    axes.margins(x=0.12)
    axes.grid(True, axis="x")
    axes.set_xlabel("energy, forward and inverse [mJ]")
    axes.set_title("The whole job by phase: leakage follows time, not work")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def draw_energy(figure, jobs):
    grid = figure.add_gridspec(2, 2, height_ratios=(1.1, 1))
    draw_stages(figure.add_subplot(grid[0, :]), jobs)
    draw_components(figure.add_subplot(grid[1, 0]), jobs)
    draw_leakage(figure.add_subplot(grid[1, 1]), jobs)
    technology = jobs[0].forward.summary["configuration"]["technology"]
    figure.suptitle(f"Energy, technology {technology} (*: an estimate enters)")


def save_energy(path, dense, esop):
    save_picture(path, (12, 8), lambda figure: draw_energy(figure, (dense, esop)))
