"""The energy of a run by its parts and by its phases."""
import numpy as np

BACKGROUND = ("leakage", "dram_background")  # flows whether there is work or not


def is_background(component):
    return component.rsplit(".", 1)[-1] in BACKGROUND


def parts_of(run):
    """Part -> component -> pJ, where components are called part.component (devices, memories); what belongs to none is
    shared. One part "" where they are not."""
    parts = {}
    for name, pj in run.energy_pj.items():
        part, dot, component = name.rpartition(".")
        parts.setdefault(part, {})[component if dot else name] = pj
    return parts if len(parts) == 1 else {part or "shared": energy for part, energy in parts.items()}


def energy_by_phase(run):
    """Phase -> component -> pJ, without the background, phases in the order in which they begin; of several devices each.
    {} where the records are an excerpt."""
    records = run.records
    if records.is_excerpt():
        return {}
    several = len(set(records.device)) > 1
    names = [f"{device}, {phase}" if several else phase for device, phase in zip(records.device, records.phase)]
    phases = list(dict.fromkeys(names))
    places = np.array([phases.index(name) for name in names], dtype=int)
    return {phase: {name: float(values[places == place].sum()) for name, values in records.energy_pj.items()
                    if not is_background(name)} for place, phase in enumerate(phases)}
