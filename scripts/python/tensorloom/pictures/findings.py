"""Pictures specific to one testbench: rivals of FETTA by layer, rule and combination of rules, sequences of contractions, bounds of theorems, algorithms by
length, training curves, wires of rolling blocks and of lines, cycles of machines that were measured."""
import math

from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from tensorloom.manifests import owner_of
from tensorloom.palette import INK, colour_at
from tensorloom.pictures.figure import (HEIGHT, TITLE_LETTERS, legend_beside, legend_panel, logarithmic, make_picture, suptitle,
                                        wrapped)
from tensorloom.quantities import number_text, scale_for
from tensorloom.run_directory import InputProblem

RATIOS = (("cycles_by_fetta", "cycles / FETTA's [1]"), ("energy_by_fetta", "energy / FETTA's [1]"))
BAR = 0.8  # width of all bars of a workload
GROUP_LETTERS = 90  # below all groups of bars
COSTS = (("macs", "multiply-adds", "1"), ("memory", "elements of operands and results", "1"),
         ("traffic", "elements to and from DRAM, bound", "1"))


def part_of(run, name, picture):
    """A part of the summary that only runs of this picture's testbench have."""
    found = run.summary.get(name)
    if not found:
        raise InputProblem(f"{run.directories[0].folder} is a run of {run.summary['testbench']} without '{name}', "
                           f"expected one of {owner_of(picture)}")
    return found


def one_of(runs):
    if len(runs) != 1:
        raise InputProblem(f"{len(runs)} runs, expected one for this picture")
    return runs[0]


def value_of(value):
    return math.nan if value is None else value


# ---- rivals: compare_accelerators ------------------------------------------------------------------------------------

def draw_ratio(axes, results, rivals, ratio, label):
    """A group of bars per workload (and sequence); an accelerator that cannot run a workload has no bar."""
    groups = list(dict.fromkeys((row["workload"], row["sequence"]) for row in results))
    several = len({sequence for _, sequence in groups}) > 1
    width = BAR / len(rivals)
    for index, rival in enumerate(rivals):
        rows = [row for row in results if row["accelerator"] == rival and row[ratio] is not None]
        axes.bar([groups.index((row["workload"], row["sequence"])) + (index + 0.5) * width - BAR / 2 for row in rows],
                 [row[ratio] - 1 for row in rows], width, bottom=1, color=colour_at(index), label=rival)  # from FETTA's, up or down
    axes.axhline(1, color=INK, linewidth=1)
    logarithmic(axes, "y")
    axes.set_xticks(range(len(groups)), [wrapped(f"{workload}, {sequence}" if several else workload, GROUP_LETTERS // len(groups))
                                         for workload, sequence in groups])
    axes.set_ylabel(label)


def draw_sweep(axes, points, rivals, rule):
    """Geometric means of cycles relative to FETTA, by the values of one rule."""
    for index, rival in enumerate(rivals):
        means = [next(entry for entry in point["ranges"] if entry["accelerator"] == rival)["cycles_by_fetta"]["mean"]
                 for point in points]
        axes.plot(range(len(points)), [value_of(mean) for mean in means], "o-", color=colour_at(index), label=rival)
    logarithmic(axes, "y")
    axes.set_xticks(range(len(points)), [point["value"] for point in points])
    axes.set_title(f"by {rule}, geometric mean")
    axes.set_ylabel(RATIOS[0][1])


def draw_rivals(figure, run, rivals):
    results, sweeps = run.summary["results"], run.summary.get("sweeps") or []
    rules = list(dict.fromkeys(point["rule"] for point in sweeps))
    lines = len(RATIOS) + (1 if rules else 0)
    grid = figure.add_gridspec(lines + 1, max(len(rules), 1), height_ratios=(1,) * lines + (0.15,))
    for line, (ratio, label) in enumerate(RATIOS):
        axes = figure.add_subplot(grid[line, :])
        draw_ratio(axes, results, rivals, ratio, label)
    legend_panel(figure.add_subplot(grid[lines, :]), axes, min(len(rivals), 6))
    for column, rule in enumerate(rules):
        draw_sweep(figure.add_subplot(grid[len(RATIOS), column]), [point for point in sweeps if point["rule"] == rule], rivals,
                   rule)
    suptitle(figure, "Rivals of FETTA", [run])


def rivals_picture(runs):
    run = one_of(runs)
    ranges = part_of(run, "ranges", "rivals")
    rivals = [entry["accelerator"] for entry in ranges if entry["accelerator"] != "fetta"]
    if not rivals:
        raise InputProblem(f"{run.directories[0].folder} has no accelerator besides fetta, expected one")
    return make_picture(lambda figure: draw_rivals(figure, run, rivals), HEIGHT + (3.5 if run.summary.get("sweeps") else 1))


# ---- grid: compare_accelerators --grid -------------------------------------------------------------------------------

def cell_text(mean, verdict, in_range):
    """A frame alone would be hard to see in a small panel: what is in the paper's range also has a star."""
    return ("~" if verdict == "no difference" else "") + f"{mean:.2f}" + ("*" if in_range else "")


def draw_grid_of(axes, grid, name, rows, columns, limit):
    """Cells coloured by the geometric mean of the cycles relative to FETTA: brown is slower than FETTA, blue faster."""
    entries = [next(entry for entry in point["ranges"] if entry["accelerator"] == name) for point in grid["points"]]
    means = [value_of(entry["cycles_by_fetta"]["mean"]) for entry in entries]
    values = [[math.log(mean) for mean in means[row * len(columns):(row + 1) * len(columns)]] for row in range(len(rows))]
    axes.imshow(values, cmap="BrBG_r", vmin=-limit, vmax=limit, aspect="auto")
    paper = grid["paper_range"]
    for place, (mean, entry) in enumerate(zip(means, entries)):
        if math.isnan(mean):
            continue
        row, column = divmod(place, len(columns))
        in_range = paper["least"] <= mean <= paper["most"]
        dark = abs(math.log(mean)) > 0.6 * limit
        axes.text(column, row, cell_text(mean, entry["verdict"], in_range), ha="center", va="center", fontsize=10,
                  fontweight="bold" if in_range else "normal", color="white" if dark else "black")
        if in_range:
            axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, fill=False, edgecolor=INK, linewidth=2.5))
    axes.set_xticks(range(len(columns)), columns)
    axes.set_xlabel(grid["rules"][-1])
    axes.set_title(name)


def draw_grid(figure, run, grid, rivals):
    rules = grid["rules"]
    columns = list(dict.fromkeys(point["values"][rules[-1]] for point in grid["points"]))
    rows = [", ".join(f"{rule} {point['values'][rule]}" for rule in rules[:-1]) for point in grid["points"][::len(columns)]]
    means = [abs(math.log(entry["cycles_by_fetta"]["mean"])) for point in grid["points"] for entry in point["ranges"]
             if entry["accelerator"] in rivals and entry["cycles_by_fetta"]["mean"]]
    limit = max(means, default=0) or 1
    panels = figure.subplots(1, len(rivals), squeeze=False)[0]
    for place, (axes, rival) in enumerate(zip(panels, rivals)):
        draw_grid_of(axes, grid, rival, rows, columns, limit)
        axes.set_yticks(range(len(rows)), rows if place == 0 else [])
    paper = grid["paper_range"]
    figure.supxlabel(f"cycles / FETTA's, geometric mean; *, framed: in the paper's range, {paper['least']} to {paper['most']}; "
                     f"~: no difference, less than {100 * grid['estimate_error']:.0f} %", x=0.01, ha="left", fontsize=12)
    suptitle(figure, "Rivals of FETTA by combined rules", [run])


def grid_picture(runs):
    run = one_of(runs)
    grid = part_of(run, "grid", "grid")
    rivals = [entry["accelerator"] for entry in grid["accelerators"] if entry["accelerator"] != "fetta"]
    if not rivals:
        raise InputProblem(f"{run.directories[0].folder} has no accelerator besides fetta, expected one")
    lines = len(grid["points"]) // len({point["values"][grid["rules"][-1]] for point in grid["points"]})
    return make_picture(lambda figure: draw_grid(figure, run, grid, rivals), max(HEIGHT, 2 + 0.45 * lines))


# ---- sequences: contraction_search -----------------------------------------------------------------------------------

def draw_sequences(figure, run, strategies):
    """A dot per sequence and cost: costs are decades apart, and bar lengths on a logarithmic axis would be
    meaningless."""
    costs = [(name, title, base, [value_of(found[name]) for found in strategies.values()]) for name, title, base in COSTS]
    on_device = [found.get("device") or {} for found in strategies.values()]
    if any(on_device):
        costs += [("cycles", "cycles of the device", "1", [value_of(found.get("cycles")) for found in on_device]),
                  ("energy", "energy", "pJ", [value_of(found.get("energy_pJ")) for found in on_device])]
    panels = figure.subplots(1, len(costs), sharey=True, squeeze=False)[0]
    for axes, (_, title, base, values) in zip(panels, costs):
        scale = scale_for(values, base)
        axes.plot([scale(value) for value in values], range(len(values)), "o", color="#d55e00", markersize=11)
        logarithmic(axes, "x")
        axes.grid(True, axis="y")
        axes.set_title(wrapped(scale.axis(title), TITLE_LETTERS // len(costs) - 6))
        axes.margins(x=0.15)
    panels[0].set_yticks(range(len(strategies)), list(strategies))
    panels[0].set_ylim(len(strategies) - 0.5, -0.5)
    suptitle(figure, "Sequences of contractions", [run])


def sequences_picture(runs):
    run = one_of(runs)
    strategies = {name: found for name, found in part_of(run, "strategies", "sequences").items() if found}
    return make_picture(lambda figure: draw_sequences(figure, run, strategies))


# ---- theorems: tensor_unit --theorems, segmented --theorems ----------------------------------------------------------

def draw_by_size(figure, theorems, value, label):
    """A line per theorem by size, a panel per side of the unit, q or s. A theorem has the same style in all panels; a
    point without a value is left out."""
    name_of_side = "q" if "q" in theorems[0] else "s"
    sides = list(dict.fromkeys(entry[name_of_side] for entry in theorems))
    names = list(dict.fromkeys(f"{entry['theorem']}: {entry['algorithm']}" for entry in theorems))
    panels = figure.subplots(1, len(sides), sharey=True, squeeze=False)[0]
    for axes, side in zip(panels, sides):
        for entry in theorems:
            name = f"{entry['theorem']}: {entry['algorithm']}"
            points = [(point["size"], value(point)) for point in entry["points"] if value(point) is not None]
            if entry[name_of_side] == side and points:
                place = names.index(name)
                axes.plot(*zip(*points), marker="osv"[place // 10 % 3], linestyle=("-", "--")[place // 10 % 2],
                          color=colour_at(place), label=wrapped(name, 26))
        logarithmic(axes, "x")
        logarithmic(axes, "y")
        axes.xaxis.get_major_locator().set_params(numticks=5)  # numbers of a million beside each other
        axes.set_xlabel("size [1]")
        axes.set_title(f"{name_of_side} = {side}")
    panels[0].set_ylabel(label)
    handles = {text: handle for axes in panels for handle, text in zip(*axes.get_legend_handles_labels())}
    labels = [text for text in map(lambda name: wrapped(name, 26), names) if text in handles]
    legend_beside(panels[-1], [handles[text] for text in labels], labels, fontsize=11)


def draw_theorems(figure, run, theorems):
    """Ratio of model time to bound: a level line is a bound that holds up to a factor."""
    draw_by_size(figure, theorems, lambda point: point["ratio"], "model time / bound [1]")
    suptitle(figure, "Ratio of time to the bound of each theorem", [run])


def draw_steps_and_work(figure, run, theorems):
    """The same for theorems about steps, above, and work, below."""
    for rows, value, label in zip(figure.subfigures(2, 1), ("steps_ratio", "work_ratio"), ("steps", "work")):
        draw_by_size(rows, theorems, lambda point, value=value: point[value], f"{label} / bound [1]")
    suptitle(figure, "Ratio of steps and work to the bounds of each theorem", [run])


def theorems_picture(runs):
    run = one_of(runs)
    theorems = part_of(run, "theorems", "theorems")
    if theorems and "steps_ratio" in theorems[0]["points"][0]:
        return make_picture(lambda figure: draw_steps_and_work(figure, run, theorems), 2 * HEIGHT)
    return make_picture(lambda figure: draw_theorems(figure, run, theorems), HEIGHT + 0.5)


def draw_latencies(figure, run, theorems):
    """The largest latency at which an algorithm takes less time than its best baseline; one that loses at any latency
    has no line."""
    draw_by_size(figure, theorems, lambda point: point["latency_limit"], "largest latency that pays [time units]")
    suptitle(figure, "Latency up to which the tensor unit pays", [run])


def latencies_picture(runs):
    run = one_of(runs)
    theorems = part_of(run, "theorems", "latencies")
    return make_picture(lambda figure: draw_latencies(figure, run, theorems), HEIGHT + 0.5)


# ---- lengths: segmented --compare ------------------------------------------------------------------------------------

def draw_lengths(figure, run, entries):
    grid = figure.add_gridspec(2, 2, height_ratios=(1, 0.1))
    panels = [figure.add_subplot(grid[0, column]) for column in range(2)]
    for axes, base, title, value in ((panels[0], "1", "cycles", lambda entry: entry["cycles"]),
                                     (panels[1], "pJ", "energy", lambda entry: entry["energy_pJ"]["total"])):
        scale = scale_for([value(entry) for entry in entries], base)
        for place, variant in enumerate(dict.fromkeys(entry["variant"] for entry in entries)):
            own = [entry for entry in entries if entry["variant"] == variant]
            axes.plot([entry["length"] for entry in own], [scale(value(entry)) for entry in own], "o-", color=colour_at(place),
                      label=variant)
        logarithmic(axes, "x")
        logarithmic(axes, "y")
        axes.set_xlabel("length [elements]")
        axes.set_title(scale.axis(title))
    legend_panel(figure.add_subplot(grid[1, :]), panels[0], 6)
    suptitle(figure, "Algorithms by length", [run])


def lengths_picture(runs):
    run = one_of(runs)
    entries = part_of(run, "runs", "lengths")
    return make_picture(lambda figure: draw_lengths(figure, run, entries))


# ---- learning: tnn_training ------------------------------------------------------------------------------------------

LOSS_NAMES = {"cross-entropy": "cross entropy", "mse": "squared error", "l1": "absolute error", "huber": "Huber loss"}


def curve_name(run):
    parameters = run.summary.get("parameters")
    return f"{run.label}: {run.summary['configuration'].get('model')}" + \
           (f", {number_text(parameters)} parameters" if parameters else "")


def draw_learning(figure, runs):
    """Losses of the training set are solid, those of the test set dashed; a resumed run begins with its own first
    epoch. Accuracies are those of classes: runs that learn targets have none."""
    grid = figure.add_gridspec(2, 2, height_ratios=(1, 0.08 * len(runs)))
    kinds = {run.summary["configuration"].get("loss", {}).get("kind", "cross-entropy") for run in runs}
    has_classes = any(epoch["test_accuracy"] is not None for run in runs for epoch in run.summary["epochs"])
    losses = figure.add_subplot(grid[0, 0] if has_classes else grid[0, :])
    accuracies = figure.add_subplot(grid[0, 1]) if has_classes else None
    for index, run in enumerate(runs):
        epochs = run.summary["epochs"]
        column = {name: [value_of(epoch[name]) for epoch in epochs]
                  for name in ("epoch", "training_loss", "test_loss", "test_accuracy")}
        look = {"color": colour_at(index), "marker": "o" if len(epochs) == 1 else ""}  # one epoch gives no line
        losses.plot(column["epoch"], column["training_loss"], "-", label=f"{curve_name(run)}: training set", **look)
        losses.plot(column["epoch"], column["test_loss"], "--", label=f"{curve_name(run)}: test set", **look)
        if accuracies:
            accuracies.plot(column["epoch"], [100 * share for share in column["test_accuracy"]], "-", label=curve_name(run), **look)
    logarithmic(losses, "y")
    losses.set_ylabel(f"mean {LOSS_NAMES.get(kinds.pop(), 'loss') if len(kinds) == 1 else 'loss'} [1], logarithmic")
    losses.set_title("Loss")
    if accuracies:
        accuracies.set_ylabel("accuracy [%]")
        accuracies.set_title("Accuracy on the test set")
    for axes in filter(None, (losses, accuracies)):
        axes.set_xlabel("epoch [1]")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(True)
    legend_panel(figure.add_subplot(grid[1, :]), losses, 2)
    suptitle(figure, "Training curves", runs)


def learning_picture(runs):
    for run in runs:
        for epoch in part_of(run, "epochs", "learning"):
            for name in ("epoch", "training_loss", "test_loss", "test_accuracy"):
                if name not in epoch:
                    raise InputProblem(f"{run.directories[0].folder}: summary.json has no field 'epochs.{name}'")
    return make_picture(lambda figure: draw_learning(figure, runs))


# ---- wires: orbital --compare triada, of sizes (--sweep) -------------------------------------------------------------

def wire_costs(row):
    """Title -> value, one panel each; per multiply-add, so that sizes can be compared. A torus of one node has no
    wires."""
    macs, energy = row["macs"], row["energy_pJ"]
    return {"word-pitches per multiply-add": sum(row["word_pitches"]) / macs or math.nan,
            "longest wire [mm]": row["longest_wire_um"] / 1000 or math.nan,
            "busy cycles": row["working_cycles"],
            "energy of wires per multiply-add [pJ]": row["wire_pJ"] / macs or math.nan,
            "energy without leakage per multiply-add [pJ]": (energy["total"] - energy.get("leakage", 0)) / macs,
            "energy per multiply-add [pJ]": energy["total"] / macs}


def wire_curves(runs):
    """Name -> size -> costs: a torus per run, and the TriADAs, merged if they have equal costs."""
    curves = {}
    for run in runs:
        found = part_of(run, "runs", "wires")
        triada, torus = ({row["shape"][0]: wire_costs(row) for row in found if row.get("device") == device}
                         for device in ("triada", "torus"))
        if not triada:
            raise InputProblem(f"{run.directories[0].folder} is a run of {run.summary['testbench']} without a TriADA, expected one "
                               f"of {owner_of('wires')}")
        known = next((curve for name, curve in curves.items() if name.startswith("TriADA") and
                      all(curve.get(size, costs) == costs for size, costs in triada.items())), None)
        if known is None:
            known = curves.setdefault(f"TriADA of {run.label}" if "TriADA" in curves else "TriADA", {})
        known.update(triada)
        curves[run.label] = torus
    return curves


def draw_one_size(axes, values, title):
    """A bar per device, from 0."""
    for place, (name, value) in enumerate(values.items()):
        axes.bar(place, value, 0.6, color=colour_at(place), label=name)
        axes.annotate(number_text(value, 3), (place, 0 if math.isnan(value) else value), ha="center", va="bottom", fontsize=12)
    axes.set_xticks([])
    axes.set_title(wrapped(title, 26))
    axes.margins(y=0.12)
    axes.set_ylim(bottom=0)


def draw_wires(figure, runs, curves):
    sizes = sorted({size for curve in curves.values() for size in curve})
    titles = list(next(iter(curves["TriADA"].values())))
    grid = figure.add_gridspec(3, 3, height_ratios=(1, 1, 0.06 * len(curves)))
    panels = [figure.add_subplot(grid[place // 3, place % 3]) for place in range(len(titles))]
    for axes, title in zip(panels, titles):
        if len(sizes) == 1:  # an axis of sizes would have one number
            draw_one_size(axes, {name: curve[sizes[0]][title] for name, curve in curves.items()}, title)
            continue
        for place, (name, curve) in enumerate(curves.items()):
            axes.plot(sorted(curve), [curve[size][title] for size in sorted(curve)],
                      "s--" if name.startswith("TriADA") else "o-", color=colour_at(place), label=name)
        logarithmic(axes, "x")
        shown = [costs[title] for curve in curves.values() for costs in curve.values() if not math.isnan(costs[title])]
        if max(shown, default=1) > 4 * min(shown, default=1):
            logarithmic(axes, "y")
        else:
            axes.set_ylim(0)
            axes.grid(True)
        axes.set_xticks(sizes, [number_text(size) for size in sizes])
        axes.set_xticks([], minor=True)
        axes.set_title(wrapped(title, 26))
        if axes in panels[-3:]:
            axes.set_xlabel("side of the tensor [elements]")
    legend_panel(figure.add_subplot(grid[2, :]), panels[0], 3, f"side of the tensor: {number_text(sizes[0])} elements" if len(sizes) == 1 else None)
    suptitle(figure, "Rolling blocks and broadcast lines", runs)


def wires_picture(runs):
    curves = wire_curves(runs)
    return make_picture(lambda figure: draw_wires(figure, runs, curves), HEIGHT + 1.5)


# ---- measured: compare_measured --------------------------------------------------------------------------------------

def draw_measured(figure, run, cases):
    axes = figure.subplots()
    least = min(min(case["measured"], case["model"]) for case in cases) / 1.5
    most = max(max(case["measured"], case["model"]) for case in cases) * 1.5
    quantity = run.summary["quantity"]
    axes.plot([least, most], [least, most], color=INK, linewidth=1, label="equal")
    for factor, label in ((1.25, "25 % more or less"), (1 / 1.25, None)):
        axes.plot([least, most], [factor * least, factor * most], color=INK, linewidth=1, linestyle="--", label=label)
    for place, (fitted, label) in enumerate(((True, "fitted to"), (False, "others"))):
        chosen = [case for case in cases if case["fitted"] == fitted]
        if chosen:
            axes.plot([case["measured"] for case in chosen], [case["model"] for case in chosen], "os"[place], markersize=7,
                      alpha=0.8, color=colour_at(place), label=label)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(f"{quantity} measured [1]")
    axes.set_ylabel(f"{quantity} of the model [1]")
    legend_beside(axes, *axes.get_legend_handles_labels())
    suptitle(figure, f"{run.summary['configuration']['machine']}: {len(cases)} measurements", [run])


def measured_picture(runs):
    run = one_of(runs)
    cases = part_of(run, "cases", "measured")
    return make_picture(lambda figure: draw_measured(figure, run, cases), HEIGHT)
