"""Templates of a study: the model that its points change, by ${parameters} in it or by keys, such as model.layers.hidden.ranks."""
import json
import re

from tensorloom.arguments import yaml_text
from tensorloom.option_keys import FORM, map_of, map_text, with_key
from tensorloom.run_directory import InputProblem, one_line

PARAMETER = re.compile(r"""(?P<quote>["']?)\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)\}(?P=quote)""")
PLAIN = re.compile(r"[A-Za-z0-9_.+-]+")


class Template:
    """The map of an option that takes one in YAML. names: of its parameters, in their order; keys: of the study's points."""

    def __init__(self, study, option_name, told, option, keys):
        self.study_path = study.path
        self.where = f"{study.path}:{option_name.line}"
        self.keys = keys
        if option is None or FORM not in (option.form or ""):
            raise InputProblem(f"{self.where}: '{one_line(option_name)}' of {study.testbench} cannot have a template, expected an "
                               f"option with the content of a YAML file, like model of tnn_training")
        try:
            self.path, text = map_text(told, study.folder)
        except InputProblem as problem:
            raise InputProblem(f"{self.where}: {problem}") from None
        self.text = "\n".join("" if line.lstrip().startswith("#") else line for line in text.split("\n"))
        self.names = list(dict.fromkeys(found["name"] for found in PARAMETER.finditer(self.text)))
        if not (self.names or keys):
            raise InputProblem(f"{self.where}: {told} has no parameter, expected one, like ${{rank}}, or a key among the options of "
                               f"points, like {option_name}.layers.0.ranks")

    def filled(self, values, point):
        """Its content in one line. values: name -> texts of the parameters and keys of a point."""
        missing = next((name for name in self.names if name not in values), None)
        if missing:
            raise InputProblem(f"{self.where}: {point} has no {missing}, expected a value for ${{{missing}}} of {self.path}")

        def text_of(found):
            value = " ".join(values[found["name"]])
            return value if PLAIN.fullmatch(value) else json.dumps(value)

        content = map_of(PARAMETER.sub(text_of, self.text), self.path)
        for key, (value,) in ((key, texts) for key, texts in values.items() if key in self.keys):
            content = with_key(content, key.split(".")[1:], getattr(value, "content", str(value)), f"{self.study_path}:{key.line}: {key}")
        return yaml_text(content, self.path)
