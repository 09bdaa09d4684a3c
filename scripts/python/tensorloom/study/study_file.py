"""The YAML file of a study: every value is kept as written, with its line number."""
import os
import re
from dataclasses import dataclass, field

from tensorloom.run_directory import InputProblem, one_line, open_text
from tensorloom.study.claim import MOST_LETTERS, SCALES as PICTURE_SCALES, VERDICTS, Formula
from tensorloom.study.constraints import EXPECTED, constraint_of, contradict
from tensorloom.study.measures import GOALS, MEASURES, Measure

KEYS = ("testbench", "question", "options", "template", "grid", "list", "sample", "repeats", "measures", "constraints", "objectives",
        "claim", "values", "verdict", "picture", "batch", "keep")
PARTS = ("grid", "list", "sample")  # a study has one or more of them
SAMPLE_KEYS = ("count", "seed", "options")
RANGE_KEYS = ("from", "to", "scale")
SCALES = ("linear", "logarithmic")
VERDICT_KEYS = ("if", "is", "because")
PICTURE_KEYS = ("across", "up", "lines", "scale")
KEPT = ("summary", "all")
MOST_NODES = 1_000_000  # most values of a file, including those repeated by aliases
DEEPEST = 8
MOST_REPEATS = 10_000
MOST_SAMPLES = 1_000_000
MOST_IN_BATCH = 1_000_000


class Text(str):
    """A value with its line number."""
    line = 0
    content = None  # of the value of a key of a model: a text, a dict or a list; None removes the key


@dataclass(frozen=True)
class Objective:
    name: Text
    goal: str


@dataclass(frozen=True)
class Range:
    """A range of a sample: numbers drawn uniformly between both ends, or uniformly in their logarithm."""
    low: Text
    high: Text
    scale: str


@dataclass
class Sample:
    count: int
    seed: int
    options: dict  # name -> [value, ..] or Range


@dataclass
class StudyFile:
    """Names of options are Texts; a value is a tuple of Texts; only repeatable options have several."""
    path: str
    testbench: Text
    options: dict
    templates: dict = field(default_factory=dict)  # name of an option -> YAML file whose ${parameters} or keys the points set
    grid: dict = field(default_factory=dict)     # name -> [value, ..]
    listed: list = field(default_factory=list)   # [{name: value}, ..]
    sample: Sample = None
    repeats: int = 1
    measures: dict = field(default_factory=dict)  # Text -> Measure: the study's own
    question: str = ""
    limits: list = field(default_factory=list)  # [Text, ..]: constraints as written
    constraints: dict = field(default_factory=dict)  # Text -> Constraint
    objectives: list = field(default_factory=list)
    claim: str = ""
    values: dict = field(default_factory=dict)  # Text -> Formula
    verdicts: list = field(default_factory=list)  # (Formula or None, verdict, reason), by their order
    picture: dict = None  # across, up, lines, scale
    batch: int = None  # runs per job; None: automatic
    keep: str = "summary"

    @property
    def folder(self):
        return os.path.dirname(os.path.abspath(self.path))


# ---- YAML ------------------------------------------------------------------------------------------------------------

class Reader:
    """Converts the nodes of a file to dictionaries, lists and Texts. Keys of dictionaries are unique Texts."""

    def __init__(self, path):
        self.path = path
        self.nodes = 0

    def problem(self, line, text):
        return InputProblem(f"{self.path}:{line}: {text}")

    def read(self):
        try:
            import yaml
        except ImportError:
            raise InputProblem("studies need python3-yaml and snakemake (scripts/setup --studies)") from None
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        try:
            with open_text(self.path) as file:
                text = file.read()
            self.refuse_deep(yaml, yaml.parse(text, Loader=loader))
            root = yaml.compose(text, Loader=loader)
        except OSError as error:
            raise InputProblem(f"{self.path} cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise InputProblem(f"{self.path} is not UTF-8 text, expected a study in YAML") from None
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            what = getattr(error, "problem", None) or one_line(error)
            raise self.problem(mark.line + 1 if mark else 1, f"{one_line(what)}, expected a study in YAML") from None
        return self.plain(root, DEEPEST) if root is not None else {}

    def refuse_deep(self, yaml, events):
        """compose() calls itself for every level, and ends the process where the stack does."""
        depth = 0
        for event in events:
            depth += isinstance(event, (yaml.SequenceStartEvent, yaml.MappingStartEvent))
            depth -= isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent))
            if depth > DEEPEST:
                raise self.problem(event.start_mark.line + 1, f"values are nested more than {DEEPEST} deep, expected a study")

    def plain(self, node, depth):
        line = node.start_mark.line + 1
        self.nodes += 1
        if depth == 0 or self.nodes > MOST_NODES:
            raise self.problem(line, "values are nested too deeply or too many, expected a study")
        if node.id == "scalar":
            return self.text(node, line)
        if node.id == "sequence":
            return [self.plain(inner, depth - 1) for inner in node.value]
        found = {}
        for name, value in node.value:
            if name.id != "scalar":
                raise self.problem(line, "a key is not a plain word")
            key = self.text(name, name.start_mark.line + 1)
            if key in found:
                raise self.problem(key.line, f"'{key}' is given twice")
            found[key] = self.plain(value, depth - 1)
        return found

    def text(self, node, line):
        text = Text(node.value)
        text.line = line
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            raise self.problem(line, "a value has half of a surrogate pair, expected characters")
        return text


# ---- the study -------------------------------------------------------------------------------------------------------

def line_of(value, otherwise=1):
    """The line of a value, or of the first text in it."""
    if isinstance(value, Text):
        return value.line
    for inner in value if isinstance(value, (list, dict)) else ():
        return line_of(inner, otherwise)
    return otherwise


def flow_text(value):
    """A value in one line, as YAML writes it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {flow_text(inner)}" for key, inner in value.items()) + "}"
    return "[" + ", ".join(map(flow_text, value)) + "]" if isinstance(value, list) else str(value)


class StudyReader(Reader):
    def study(self):
        told = self.mapping(self.read(), "a study", 1)
        self.known(told, KEYS, "a study")
        if "testbench" not in told:
            raise self.problem(1, "no testbench, expected one, like dxt")
        study = StudyFile(self.path, self.word(told["testbench"], "testbench", 1), {})
        if not re.fullmatch(r"[A-Za-z0-9_]+", study.testbench):
            raise self.problem(study.testbench.line, f"testbench is '{one_line(study.testbench)}', expected a name, like dxt")
        for key, value in told.items():
            if key != "testbench":
                getattr(self, f"take_{key}")(study, value, key)
        self.known({objective.name: objective for objective in study.objectives}, (*MEASURES, *study.measures), "objectives")
        for text in study.limits:
            try:
                study.constraints[text] = constraint_of(one_line(text), MEASURES | study.measures)
            except ValueError as error:
                raise self.problem(text.line, error) from None
            for other in study.constraints.values():
                if contradict(other, study.constraints[text]):
                    raise self.problem(text.line, f"'{one_line(text)}' contradicts '{other}', no design can meet both")
        if bool(study.claim) != bool(study.verdicts) or study.values and not study.claim:
            raise self.problem(1, "expected claim and verdict together, and values only with them")
        if not any(part in told for part in PARTS):
            raise self.problem(1, f"no points, expected {', '.join(PARTS[:-1])} or {PARTS[-1]}")
        return study

    def take_options(self, study, value, key):
        study.options = {name: self.value(one, name) for name, one in self.mapping(value, key, key.line).items()}

    def take_template(self, study, value, key):
        study.templates = {name: self.word(one, name, name.line) for name, one in self.mapping(value, key, key.line, empty=False).items()}

    def take_grid(self, study, value, key):
        study.grid = {name: self.values(one, name) for name, one in self.mapping(value, key, key.line, empty=False).items()}

    def take_list(self, study, value, key):
        if not isinstance(value, list) or not value:
            raise self.problem(line_of(value, key.line), "list is not a list of points, or is empty")
        study.listed = [{name: self.value(one, name) for name, one in
                         self.mapping(point, "a point of the list", key.line, empty=False).items()} for point in value]

    def take_sample(self, study, value, key):
        told = self.mapping(value, key, key.line)
        self.known(told, SAMPLE_KEYS, "a sample")
        for needed in ("count", "options"):
            if needed not in told:
                raise self.problem(key.line, f"sample has no {needed}, expected count and options")
        options = self.mapping(told["options"], "options", key.line, empty=False)
        study.sample = Sample(self.count(told["count"], "count", key.line, 1, MOST_SAMPLES),
                              self.count(told["seed"], "seed", key.line, 0, 2**63) if "seed" in told else 1,
                              {name: self.range(one, name) if isinstance(one, dict) else self.values(one, name)
                               for name, one in options.items()})

    def take_repeats(self, study, value, key):
        study.repeats = self.count(value, key, key.line, 1, MOST_REPEATS)

    def take_batch(self, study, value, key):
        study.batch = self.count(value, key, key.line, 1, MOST_IN_BATCH)

    def take_keep(self, study, value, key):
        study.keep = self.choice(value, key, KEPT)

    def take_objectives(self, study, value, key):
        told = self.mapping(value, key, key.line, empty=False)
        study.objectives = [Objective(name, self.choice(goal, name, GOALS)) for name, goal in told.items()]

    def take_question(self, study, value, key):
        study.question = one_line(self.word(value, key, key.line))

    def take_claim(self, study, value, key):
        study.claim = self.sentence(value, key, key.line)

    def sentence(self, value, name, line):
        """In one line, with the line number of the file."""
        found = Text(one_line(self.word(value, name, line)))
        found.line = value.line
        if not found.isprintable():
            raise self.problem(value.line, f"{name} has control characters, expected printable ones")
        if len(found) > MOST_LETTERS:
            raise self.problem(value.line, f"{name} has {len(found):,} letters, expected at most {MOST_LETTERS:,}")
        return found

    def formula(self, text, name):
        try:
            return Formula(one_line(self.word(text, name, name.line)))
        except ValueError as error:
            raise self.problem(text.line, error) from None

    def take_values(self, study, value, key):
        for name, text in self.mapping(value, key, key.line, empty=False).items():
            if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
                raise self.problem(name.line, f"'{one_line(name)}' cannot name a value, expected letters, digits and _")
            study.values[name] = self.formula(text, name)

    def take_verdict(self, study, value, key):
        if not isinstance(value, list) or not value:
            raise self.problem(line_of(value, key.line), f"verdict is not a list, or is empty, expected entries with {', '.join(VERDICT_KEYS)}")
        for place, entry in enumerate(value):
            told = self.mapping(entry, "an entry of verdict", key.line, empty=False)
            self.known(told, VERDICT_KEYS, "a verdict")
            line, is_last = line_of(entry, key.line), place == len(value) - 1
            if "is" not in told or "because" not in told or ("if" in told) == is_last:
                raise self.problem(line, "expected if, is and because in every verdict; the last one has no if")
            formula = None if is_last else self.formula(told["if"], key)
            study.verdicts.append((formula, self.choice(told["is"], Text("is"), VERDICTS), self.sentence(told["because"], "because", line)))

    def take_picture(self, study, value, key):
        told = self.mapping(value, key, key.line, empty=False)
        self.known(told, PICTURE_KEYS, "a picture")
        if "across" not in told or "up" not in told:
            raise self.problem(key.line, "picture has no across or no up, expected both")
        study.picture = {name: self.word(one, name, name.line) for name, one in told.items() if name != "scale"}
        study.picture["scale"] = self.choice(told["scale"], Text("scale"), PICTURE_SCALES) if "scale" in told else PICTURE_SCALES[0]

    def take_constraints(self, study, value, key):
        if not isinstance(value, list) or not value:
            raise self.problem(line_of(value, key.line), f"constraints is not a list, or is empty, {EXPECTED}")
        for text in value:
            if self.word(text, key, key.line) in study.limits:
                raise self.problem(text.line, f"constraints has '{one_line(text)}' twice")
            study.limits.append(text)

    def take_measures(self, study, value, key):
        for name, path in self.mapping(value, key, key.line, empty=False).items():
            common = name in MEASURES and ".".join(MEASURES[name].path) != path
            if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or common:
                raise self.problem(name.line, f"'{one_line(name)}' cannot name a measure, expected a new name of letters, digits and _")
            study.measures[name] = Measure(str(name), tuple(self.word(path, name, name.line).split(".")), "1")

    # ---- values

    def mapping(self, value, name, line, empty=True):
        if not isinstance(value, dict) or not (value or empty):
            raise self.problem(line_of(value, line), f"{name} is not a mapping, or is empty, expected 'name: value' lines")
        return value

    def known(self, told, keys, of):
        for key in told:
            if key not in keys:
                raise self.problem(key.line, f"'{one_line(key)}' is not a key of {of}, expected one of {', '.join(keys)}")

    def word(self, value, name, line):
        if not isinstance(value, Text) or not value:
            raise self.problem(line_of(value, line), f"{name} is empty or not a single value")
        return value

    def choice(self, value, name, choices):
        if self.word(value, name, name.line) not in choices:
            raise self.problem(value.line, f"{name} is '{one_line(value)}', expected {' or '.join(choices)}")
        return str(value)

    def count(self, value, name, line, low, high):
        text = self.word(value, name, line)
        if not re.fullmatch(r"[0-9]{1,19}", text) or not low <= int(text) <= high:
            raise self.problem(text.line, f"{name} is '{one_line(text)}', expected {low} to {high}")
        return int(text)

    def value(self, value, name):
        """The value of an option: a text, or several texts of an option that can be repeated; of a key of a model one text."""
        if "." in name:
            found = Text(flow_text(value))
            found.line, found.content = line_of(value, name.line), self.content(value, name)
            return (found,)
        texts = value if isinstance(value, list) and value else [value]
        for text in texts:
            if not isinstance(text, Text) or text == "" or "\n" in text or "\0" in text:
                raise self.problem(line_of(value, name.line), f"{name} has no value of one line")
        return tuple(texts)

    def content(self, value, name):
        """The value of a key as the model has it; None for null."""
        if isinstance(value, dict):
            return {str(key): self.content(inner, name) for key, inner in value.items()}
        if isinstance(value, list) and value:
            whole = all(isinstance(inner, Text) and re.fullmatch("[0-9]{1,19}", inner) for inner in value)
            return [int(inner) if whole else self.content(inner, name) for inner in value]
        if not isinstance(value, Text) or value == "" or "\n" in value or "\0" in value:
            raise self.problem(line_of(value, name.line), f"{name} has no value of one line")
        return None if value == "null" else str(value)

    def values(self, value, name):
        """The values to choose from: at least one, without duplicates."""
        if not isinstance(value, list):
            raise self.problem(line_of(value, name.line), f"{name} is not a list of values, like [1, 2]")
        if not value:
            raise self.problem(name.line, f"{name} has an empty list, expected at least one value")
        found = []
        for one in value:
            taken = self.value(one, name)
            if taken in found:
                raise self.problem(taken[0].line, f"{name} has {' '.join(taken)} twice")
            found.append(taken)
        return found

    def range(self, value, name):
        self.known(value, RANGE_KEYS, f"the range of {name}")
        for end in ("from", "to"):
            if end not in value:
                raise self.problem(name.line, f"the range of {name} has no '{end}'")
        scale = self.choice(value["scale"], Text("scale"), SCALES) if "scale" in value else SCALES[0]
        return Range(self.word(value["from"], name, name.line), self.word(value["to"], name, name.line), scale)


def read_study(path):
    """Reads a study file; InputProblem, in one line, if it is not a study. Options are not checked yet."""
    return StudyReader(path).study()
