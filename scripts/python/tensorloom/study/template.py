"""Templates of a study: YAML files whose ${parameters} the points fill, such as the ranks of a model."""
import json
import os
import re

from tensorloom.run_directory import InputProblem, one_line, open_text

PARAMETER = re.compile(r"""(?P<quote>["']?)\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)\}(?P=quote)""")
PLAIN = re.compile(r"[A-Za-z0-9_.+-]+")


class Template:
    """The file of an option that takes a YAML map in braces. names: of its parameters, in their order."""

    def __init__(self, study, option_name, path, option):
        self.where = f"{study.path}:{option_name.line}"
        if option is None or "{YAML}" not in option.form:
            raise InputProblem(f"{self.where}: '{one_line(option_name)}' of {study.testbench} cannot have a template, expected an "
                               f"option with the content of a YAML file, like model of tnn_training")
        self.path = os.path.join(study.folder, path)
        try:
            with open_text(self.path) as file:
                self.text = file.read()
        except OSError as error:
            raise InputProblem(f"{self.where}: {path} cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise InputProblem(f"{self.where}: {path} is not UTF-8 text, expected YAML") from None
        self.text = "\n".join("" if line.lstrip().startswith("#") else line for line in self.text.split("\n"))
        self.names = list(dict.fromkeys(found["name"] for found in PARAMETER.finditer(self.text)))
        if not self.names:
            raise InputProblem(f"{self.where}: {path} has no parameter, expected one, like ${{rank}}, or the file as an option")

    def filled(self, values, point):
        """Its content in one line. values: name -> text of the parameters of a point."""
        import yaml
        missing = next((name for name in self.names if name not in values), None)
        if missing:
            raise InputProblem(f"{self.where}: {point} has no {missing}, expected a value for ${{{missing}}} of {self.path}")

        def text_of(found):
            value = values[found["name"]]
            return value if PLAIN.fullmatch(value) else json.dumps(value)

        try:
            content = yaml.load(PARAMETER.sub(text_of, self.text), Loader=yaml.BaseLoader)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            raise InputProblem(f"{self.path}:{mark.line + 1 if mark else 1}: {one_line(getattr(error, 'problem', None) or error)}, "
                               f"expected YAML") from None
        if not isinstance(content, dict):
            raise InputProblem(f"{self.path}: found {type(content).__name__}, expected 'name: value' lines")
        return json.dumps(content)
