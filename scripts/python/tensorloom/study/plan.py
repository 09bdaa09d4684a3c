"""The points of a study and their runs. Before anything runs, every option is checked against the program's
--help-json, and every run with the program's --dry-run."""
import concurrent.futures
import difflib
import hashlib
import itertools
import json
import math
import os
import random
import re
import subprocess
from dataclasses import dataclass

from tensorloom.answers import FIELD
from tensorloom.option_keys import FORM, short_names
from tensorloom.programs import Option, ProgramFailed, last_line, option_table
from tensorloom.run_directory import InputProblem, one_line
from tensorloom.study.claim import UNITS, Claim, name_in_formulas
from tensorloom.study.directory import DEVIATION
from tensorloom.study.measures import MEASURES, is_share, measures_of, schema_of, unknown_name
from tensorloom.study.study_file import Objective, Range, Text
from tensorloom.study.template import Template

# Options that a point cannot have.
OF_THE_STUDY = ("help", "help-json", "version")  # and options that do not compute
SEED = "seed"
# Columns of the table, besides options and measures.
OTHER_COLUMNS = ("point", "repeat", "runs", "status", "meets", "overclocked", "on_front", "wall_s", "host", "started", "version", "commit", "message",
                 "exit_status", "id", *(measure.column for measure in MEASURES.values()))
MOST_RUNS = 1_000_000
MOST_SHOWN = 80       # characters of a value in an error message
MOST_DRAWS = 1000     # attempts to draw a new point of a sample
ON_OFF = ("on", "off", "true", "false")
NUMBER = r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?"
UNKNOWN = re.compile(r"found '(?P<word>[^']*)', expected")  # a program, of a key or a value that is wrong by itself
SIGNIFICANT = 6       # digits of a drawn number


@dataclass(frozen=True)
class StudyRun:
    """One run of the program: a point and the number of its repeat."""
    point: int      # from 1
    repeat: int     # from 1
    options: tuple  # ((name, (text, ..)), ..) in the program's order
    id: str         # the same for the same options of the same program, in any study
    parameters: tuple = ()  # of templates, likewise; their options are filled

    def values(self):
        """Name -> texts of all that a point has: options and parameters."""
        return dict((*self.parameters, *self.options))

    def arguments(self, table):
        words = []
        for name, texts in self.options:
            if table.options[name].type == "flag":
                words += [f"--{name}"] * (texts == ("true",))
            else:
                words += [f"--{name}={text}" for text in texts]
        return words


@dataclass
class Plan:
    testbench: str
    program: str
    folder: str       # working directory of runs: paths in options start here
    table: object     # table of options
    swept: list       # names of options that vary
    fixed: dict       # name -> text
    runs: list
    measures: dict    # name -> Measure: common ones and the study's own
    constraints: list
    objectives: list
    question: str
    batch: int
    keep: str
    claim: object = None   # Claim
    picture: dict = None   # across, up, lines, scale
    templates: tuple = ()  # names of options that parameters fill; their fixed text is the path

    def threads(self):
        """Most threads of a run."""
        name = "threads"
        asked = [int(text) for run in self.runs for option, texts in run.options if option == name for text in texts]
        return max(asked, default=1)

    def varied(self):
        """The swept options by which points differ: repeats only differ in their seeds."""
        return [name for name in self.swept if name != SEED or self.runs[-1].repeat == 1]

    def described(self):
        """The content of study.json, for readers of the results."""
        return {"schema": "tensorloom-study-1", "testbench": self.testbench, "program": self.program, "options": self.fixed,
                "swept": self.varied(), "points": self.runs[-1].point, "runs": len(self.runs),
                "measures": {name: ".".join(measure.path) for name, measure in self.measures.items() if MEASURES.get(name) != measure},
                "objectives": {objective.name: objective.goal for objective in self.objectives},
                "constraints": list(map(str, self.constraints)), "question": self.question, "shares": self.shares(),
                "claim": self.claim and self.claim.described(), "picture": self.picture}

    def shares(self):
        """Measures from 0 to 1, by the schema of the summaries."""
        schema = schema_of(self.testbench)
        return [name for name, measure in self.measures.items() if is_share(schema, measure.path)]


# ---- options ---------------------------------------------------------------------------------------------------------

def shown(text):
    """A value in an error message."""
    text = one_line(text)
    return text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "..."


class Checker:
    """Rejects options of a study file that the program does not have, and invalid values."""

    def __init__(self, study, table, templates):
        self.study = study
        self.table = table
        self.parameters = {name: Option(name, "", "text", "", (), "", "", False, "") for template in templates.values()
                           for name in (*template.names, *template.keys)}  # what fills a text is a text

    def problem(self, text, complaint):
        return InputProblem(f"{self.study.path}:{text.line}: {complaint}")

    def name(self, name):
        option = self.parameters.get(name) or self.table.options.get(name)
        if name in OF_THE_STUDY or (option and not option.computes):
            raise self.problem(name, f"'{name}' cannot be an option of a point: the study decides where results are written")
        if option is None:
            close = difflib.get_close_matches(name, self.table.options, 1)
            hint = f", perhaps {close[0]}" if close else f" (see {self.table.program} --help)"
            raise self.problem(name, f"'{one_line(name)}' is not an option of {self.table.program}{hint}")
        return option

    def value(self, name, texts):
        option = self.name(name)
        if len(texts) > 1 and not option.repeatable:
            raise self.problem(texts[0], f"{name} is a list, expected a single value")
        for text in texts:
            expected = self.expected(option, text)
            if expected:
                raise self.problem(text, f"{name} is '{shown(text)}', expected {expected}")

    def expected(self, option, text):
        """The expected form of this option's value, or None if the text has it."""
        if option.type == "flag":
            return None if text in ON_OFF else "on or off"
        if option.choices:
            if option.choices == ("on", "off") and text in ON_OFF:
                return None
            return None if text in option.choices else " or ".join(option.choices)
        if option.type == "integer":
            return None if re.fullmatch(r"[-+]?[0-9]{1,20}", text) else "an integer of at most 20 digits"
        if option.type == "number":
            return None if re.fullmatch(NUMBER, text) else "a number"
        if option.type == "file" and "NAME" not in (option.form or ""):
            path = os.path.join(self.study.folder, text)
            return None if os.path.exists(path) else "a file; paths start from the study's folder"
        return None

    def range(self, name, ends):
        option = self.name(name)
        if name not in self.parameters and option.type not in ("integer", "number"):
            raise self.problem(name, f"{name} is given by a range, expected a list: it is not a number")
        for text in (ends.low, ends.high):
            self.value(name, (text,))
            if not re.fullmatch(NUMBER, text):
                raise self.problem(text, f"the range of {name} has '{shown(text)}', expected a number")
        low, high = float(ends.low), float(ends.high)
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise self.problem(ends.high, f"the range of {name} goes from {ends.low} to {ends.high}, expected a larger end")
        if ends.scale == "logarithmic" and low <= 0:
            raise self.problem(ends.low, f"the range of {name} begins at {ends.low}, expected more than 0 for a logarithmic scale")

    def measures(self):
        """Rejects measures that summaries of the testbench do not have, and names of existing columns."""
        schema, options = schema_of(self.study.testbench), self.table.options
        for name, measure in self.study.measures.items():
            unknown = unknown_name(schema, measure.path)
            if unknown is not None:
                raise self.problem(name, f"summaries of {self.study.testbench} have no '{unknown}' for {name}")
            if name in options or name in self.parameters or name in OTHER_COLUMNS or name.endswith(DEVIATION):
                raise self.problem(name, f"'{name}' is already a column, expected another name")
        for text, constraint in self.study.constraints.items():
            known = (MEASURES | self.study.measures)[constraint.measure]
            if constraint.measure in MEASURES and constraint.most and constraint.limit < 0:
                raise self.problem(text, f"no design meets {constraint}: {constraint.measure} is at least 0")
            if is_share(schema, known.path) and not constraint.most and constraint.limit > 1:
                raise self.problem(text, f"no design meets {constraint}: {constraint.measure} is at most 1")
        needed = [(objective.name, objective.name) for objective in self.study.objectives]
        needed += [(text, constraint.measure) for text, constraint in self.study.constraints.items()]
        for text, name in needed:
            if name not in measures_of(self.study.testbench, self.study.measures) or \
                    name in MEASURES and unknown_name(schema, MEASURES[name].path) is not None:
                raise self.problem(text, f"{self.study.testbench} does not report {name}")

    def study_options(self):
        study = self.study
        for name in self.parameters:
            if name in self.table.options or name in OTHER_COLUMNS:  # no key is: they have dots
                raise self.problem(next(iter(study.templates)), f"the template has ${{{name}}}, which is already "
                                   f"{'an option' if name in self.table.options else 'a column'}, expected another name")
        for name, texts in study.options.items():
            self.value(name, texts)
        parts = [(name, values) for name, values in study.grid.items()]
        parts += [(name, [texts]) for point in study.listed for name, texts in point.items()]
        parts += list(study.sample.options.items()) if study.sample else []
        for name, values in parts:
            if name in study.options or name in study.templates:
                raise self.problem(name, f"'{name}' is also in {'options' if name in study.options else 'template'}, expected it only once")
            if name == SEED and study.repeats > 1:
                raise self.problem(name, "'seed' is swept and repeats set seeds, expected one of them")
            if isinstance(values, Range):
                self.range(name, values)
            else:
                for texts in values:
                    self.value(name, texts)


# ---- points ----------------------------------------------------------------------------------------------------------

def drawn(generator, choice, option):
    """Draws a value of an option of a sample."""
    if not isinstance(choice, Range):
        return generator.choice(choice)
    low, high = float(choice.low), float(choice.high)
    whole = option.type == "integer" if option else all(re.fullmatch("[-+]?[0-9]+", end) for end in (choice.low, choice.high))
    if choice.scale == "logarithmic":
        value = math.exp(generator.uniform(math.log(low), math.log(high)))
    elif whole:
        return (str(generator.randint(int(choice.low), int(choice.high))),)
    else:
        value = generator.uniform(low, high)
    value = min(max(value, low), high)
    return (str(round(value)) if whole else f"{value:.{SIGNIFICANT}g}",)


def sampled(study, options):
    """sample.count different points, the same for the same seed. options: name -> Option."""
    sample, generator = study.sample, random.Random(study.sample.seed)
    found = {}
    while len(found) < sample.count:
        for _ in range(MOST_DRAWS):
            point = {name: drawn(generator, choice, options.get(name)) for name, choice in sample.options.items()}
            key = tuple(point.values())
            if key not in found:
                found[key] = point
                break
        else:
            raise InputProblem(f"{study.path}: the sample has {len(found)} different points, expected {sample.count}")
    return list(found.values())


def points_of(study, table):
    """All points in the order of the file: grid, list, sample, without duplicates."""
    size = math.prod(len(values) for values in study.grid.values()) if study.grid else 0
    whole = (size + len(study.listed) + (study.sample.count if study.sample else 0)) * study.repeats
    if whole > MOST_RUNS:
        raise InputProblem(f"{study.path}: {whole:,} runs, expected at most {MOST_RUNS:,}")
    names = list(study.grid)
    points = [dict(zip(names, values)) for values in itertools.product(*study.grid.values())] if size else []
    points += study.listed
    points += sampled(study, table.options) if study.sample else []
    seen = {}
    for point in points:
        key = frozenset((str(name), texts) for name, texts in point.items())
        if key in seen:
            where = ", ".join(f"{name} {' '.join(texts)}" for name, texts in point.items())
            raise InputProblem(f"{study.path}: two points are the same: {where}")
        seen[key] = True
    return points


def id_of(testbench, options):
    """Id of a run: a digest of its options and program."""
    return hashlib.sha256(json.dumps([testbench, options]).encode()).hexdigest()[:20]


def runs_of(study, table, templates):
    """All runs: a point, and repeats with the next seeds. The options with a template are filled by the parameters of the point."""
    runs = []
    order = list(table.options)
    names = dict.fromkeys(name for template in templates.values() for name in (*template.names, *template.keys))
    first_seed = int(study.options[SEED][0]) if SEED in study.options else int(table.options[SEED].default or 1)
    for number, point in enumerate(points_of(study, table), 1):
        for repeat in range(study.repeats):
            options = {**study.options, **point}
            given = {name: texts for name, texts in options.items() if name in names}
            options = {name: texts for name, texts in options.items() if name not in names}
            parameters = tuple((str(name), tuple(map(str, given[name]))) for name in names if name in given)
            for name, template in templates.items():
                options[name] = (template.filled(given, f"point {number}"),)
            if study.repeats > 1:
                options[SEED] = (str(first_seed + repeat),)
            ordered = tuple((name, tuple(map(str, options[name]))) for name in sorted(options, key=order.index))
            runs.append(StudyRun(number, repeat + 1, tuple((str(name), texts) for name, texts in ordered),
                                 id_of(study.testbench, ordered), parameters))
    return runs


def default_objectives(testbench):
    """Default objectives: minimal latency and energy, if the testbench reports them."""
    schema = schema_of(testbench)
    return [Objective(Text(name), "min") for name in ("latency", "energy") if unknown_name(schema, MEASURES[name].path) is None]


def use_names_of_help(study, table):
    """Synonyms of options become the names in --help: what is one option is one column, and one run is one run."""
    def renamed(options):
        found = {}
        for name, value in options.items():
            option, dot, key = name.partition(".")
            known = Text(table.name_of(option) + dot + key)
            known.line = name.line
            if known in found:
                raise InputProblem(f"{study.path}:{name.line}: {known} is given twice, once by its synonym, expected it once")
            found[known] = value
        return found
    study.options, study.grid, study.templates = renamed(study.options), renamed(study.grid), renamed(study.templates)
    study.listed = [renamed(point) for point in study.listed]
    if study.sample:
        study.sample.options = renamed(study.sample.options)


def templates_of(study, table):
    """Name of an option -> Template, for each option with a template or with keys among the options of the points. Without a
    template, keys are of the file that the options name, or of the option's default."""
    parts = [study.options, study.grid, *study.listed, *([study.sample.options] if study.sample else [])]
    keys = {}
    for name in (name for part in parts for name in part if "." in name):
        option = name.partition(".")[0]
        keys.setdefault(option, {}).setdefault(name, name)
        known = table.options.get(option)
        if known is None or FORM not in (known.form or "") or not all(name.split(".")):
            raise InputProblem(f"{study.path}:{name.line}: '{one_line(name)}' is not a key of an option of {study.testbench}, expected one "
                               f"of an option that takes a model, like model.layers.0.ranks of tnn_training")
        if any(option in part for part in parts[1:]):
            raise InputProblem(f"{study.path}:{name.line}: {option} varies and so does its key '{one_line(name)}', expected one of them")
        if option not in study.templates:
            told = Text((study.options.pop(option, None) or (known.default,))[0])
            told.line = name.line
            named = Text(option)
            named.line = name.line
            study.templates[named] = told
    return {name: Template(study, name, told, table.options.get(name), list(keys.get(name, ()))) for name, told in study.templates.items()}


def plan_of(study):
    try:
        table = option_table(study.testbench)
    except ProgramFailed as problem:
        raise InputProblem(f"{study.path}:{study.testbench.line}: {study.testbench} is not a testbench, it does not report its "
                           f"options: {problem}") from None
    use_names_of_help(study, table)
    templates = templates_of(study, table)
    checker = Checker(study, table, templates)
    checker.study_options()
    checker.measures()
    runs = runs_of(study, table, templates)
    swept = [name for name in (*checker.parameters, *table.options) if name not in study.options and name not in templates and
             any(name in run.values() for run in runs)]
    measures = measures_of(study.testbench, {str(name): measure for name, measure in study.measures.items()})
    plan = Plan(str(study.testbench), table.path, study.folder, table, swept,
                {str(name): " ".join(texts) for name, texts in study.options.items()} |
                {str(name): str(path) for name, path in study.templates.items()}, runs,
                measures, list(study.constraints.values()), study.objectives or ([] if study.claim else default_objectives(study.testbench)), study.question, study.batch,
                study.keep, claim_of_file(study), study.picture, tuple(map(str, templates)))
    check_names_of_claim(study, plan)
    return plan


# ---- the claim -------------------------------------------------------------------------------------------------------

def claim_of_file(study):
    return Claim(str(study.claim), {str(name): formula for name, formula in study.values.items()},
                 [(formula, verdict, str(reason)) for formula, verdict, reason in study.verdicts]) if study.claim else None


def check_names_of_claim(study, plan):
    """InputProblem for a name that no option, measure or value before has."""
    labels = short_names(plan.varied())
    of_points = {*plan.measures, *map(name_in_formulas, labels.values())}

    def check(names, known, line, what):
        for name in names:
            if name not in known:
                raise InputProblem(f"{study.path}:{line}: '{one_line(name)}' in {what} is not known, expected one of {', '.join(sorted(known))}")

    def check_formula(formula, known, line, what):
        check(formula.values, known, line, what)
        check(formula.of_points, known | of_points, line, what)

    known = set()
    for name, formula in study.values.items():
        check_formula(formula, known, name.line, f"the value {name}")
        known.add(str(name))
    for formula, _, reason in study.verdicts:
        if formula:
            check_formula(formula, known, reason.line, "a verdict")
        for field in FIELD.finditer(reason):
            check([field[1]], known, reason.line, "a verdict")
            check([field[2]] if field[2] else [], set(UNITS), reason.line, f"a verdict, the unit of {field[1]},")
    for place, name in (study.picture or {}).items():
        if place != "scale":
            known = {"up": set(plan.measures), "lines": set(labels.values())}.get(place, {*plan.measures, *labels.values()})
            check([name], known, name.line, f"the picture's {place}")


def refused_runs(plan, runs, jobs):
    """Id -> complaint of the runs that the program's --dry-run refuses. A design of a model may be refused, if others are not;
    otherwise InputProblem. Programs without --dry-run are not checked."""
    if "dry-run" not in plan.table.options:
        return {}

    def complaint(run):
        done = subprocess.run([plan.program, *run.arguments(plan.table), "--dry-run", "--quiet"], cwd=plan.folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8",
                              errors="replace", check=False)
        return (last_line(done.stderr) or f"status {done.returncode}") if done.returncode else ""

    refused = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for run, text in zip(runs, pool.map(complaint, runs)):
            if text and not plan.templates:
                pool.shutdown(wait=False, cancel_futures=True)
                raise InputProblem(f"point {run.point}: {text}")
            if text:
                refused[run.id] = text
    refuse_unknown(plan, refused)
    if len(refused) == len(plan.runs):
        raise InputProblem(f"point {plan.runs[0].point}: {refused[plan.runs[0].id]}")
    return refused


def refuse_unknown(plan, refused):
    """InputProblem if a key or a value is one that the program does not accept at any of its points, such as a misspelt one."""
    for run in (run for run in plan.runs if run.id in refused):
        unknown = UNKNOWN.search(refused[run.id])
        for name, texts in run.parameters if unknown else ():
            words = {name.rpartition(".")[2], *texts, *re.findall(r"[^\s{}\[\],:]+", " ".join(texts))}
            alike = [other for other in plan.runs if dict(other.parameters).get(name) == texts]
            if unknown["word"] in words and all(other.id in refused for other in alike):
                raise InputProblem(f"point {run.point}, {name}={' '.join(texts)}: {refused[run.id]}")
