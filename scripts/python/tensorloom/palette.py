"""Colours that people with colour blindness can distinguish (Okabe and Ito, with darker and lighter neighbours). A name
has the same colour in all charts of a page.

Charts do not rely on colour alone: lanes, bars and entries of legends have the same order.
"""

COLOURS = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a6a53", "#8f4fb0", "#a3a000", "#3b4a5a")
GREY = "#a8a8a8"
INK = "#3b4a5a"

# Names of several testbenches. Work has warm colours, transfers are blue and green, waiting and leakage are grey.
NAMED = {
    # causes of cycles
    "compute": "#d55e00", "vector": "#e69f00", "scalar": "#a3a000", "load": "#0072b2", "store": "#009e73", "unload": "#009e73",
    "fetch": "#7a6a53", "matrices": "#cc79a7", "weights": "#cc79a7", "fill": "#56b4e9", "drain": "#56b4e9", "psum": "#8f4fb0",
    "conflict": "#3b4a5a", "reload": "#cc79a7", "roll": "#8f4fb0", "control": "#a3a000", "wait": GREY, "idle": GREY,
    # components of energy
    "mac": "#d55e00", "engines": "#d55e00", "matrix_unit": "#d55e00", "nodes": "#d55e00", "registers": "#e69f00",
    "lines": "#009e73", "links": "#009e73", "actuators": "#cc79a7", "node_memory": "#8f4fb0", "memory": "#56b4e9", "dram": "#0072b2",
    "dram_background": "#56b4e9",
    "scratchpad": "#009e73", "unified_memory": "#009e73", "vector_unit": "#e69f00", "scalar_unit": "#a3a000",
    "distribution_network": "#8f4fb0", "reduction_network": "#cc79a7", "accumulation_unit": "#7a6a53", "others": "#3b4a5a",
    "leakage": GREY,
}


def colours_of(names):
    """Name -> colour: the fixed one of the name or of its last part (large.mac), else the next unused one. Two names have
    one colour only if their last parts are the same, or after all colours."""
    last = {name: name if name in NAMED else name.rsplit(".", 1)[-1] for name in names}
    taken = {}
    for part in last.values():
        if part in NAMED and NAMED[part] not in [colour for other, colour in taken.items() if other != part]:
            taken[part] = NAMED[part]
    free = [colour for colour in COLOURS if colour not in taken.values()] or list(COLOURS)
    others = [part for part in dict.fromkeys(last.values()) if part not in taken]
    taken.update({part: free[place % len(free)] for place, part in enumerate(others)})
    return {name: taken[part] for name, part in last.items()}


def colour_at(place):
    """Colour of a run of a comparison, or of a line of a chart."""
    return COLOURS[place % len(COLOURS)]
