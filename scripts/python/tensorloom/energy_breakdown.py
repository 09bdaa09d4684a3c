"""The energy of a run by part and by phase."""
import numpy as np

LEAST_SHARE = 1e-6  # of the energy of the run, above rounding
BACKGROUND = ("leakage", "dram_background")  # consumed whether or not the device works


def is_background(component):
    return component.rsplit(".", 1)[-1] in BACKGROUND


def parts_of(run):
    """Part -> component -> pJ, if components are named part.component (devices, memories); other components belong to
    the part `shared`. Otherwise one part ""."""
    parts = {}
    for name, pj in run.energy_pj.items():
        part, dot, component = name.rpartition(".")
        parts.setdefault(part, {})[component if dot else name] = pj
    return parts if len(parts) == 1 else {part or "shared": energy for part, energy in parts.items()}


def outside_records(run):
    """Component -> pJ of the run that no record has: of memories that devices share, and of devices between their
    programs. {} if the records have all, or are an excerpt."""
    records, left = run.records, {}
    if not len(records) or records.is_excerpt():
        return left
    devices = np.array(records.device)
    for name, pj in run.energy_pj.items():
        device, _, component = name.rpartition(".")
        values = records.energy_pj.get(component if device in records.device else name, np.zeros(len(records)))
        left[name] = pj - float(values[devices == device].sum() if device in records.device else values.sum())
    return {name: pj for name, pj in left.items() if pj > LEAST_SHARE * run.total_pj()}


def energy_by_phase(run):
    """Phase -> component -> pJ, without the background, phases in the order in which they begin, separately for each
    device. {} if the records are an excerpt."""
    records = run.records
    if records.is_excerpt():
        return {}
    several = len(set(records.device)) > 1
    names = [f"{device}, {phase}" if several else phase for device, phase in zip(records.device, records.phase)]
    phases = list(dict.fromkeys(names))
    places = np.array([phases.index(name) for name in names], dtype=int)
    return {phase: {name: float(values[places == place].sum()) for name, values in records.energy_pj.items()
                    if not is_background(name)} for place, phase in enumerate(phases)}
