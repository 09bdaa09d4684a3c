"""Keys of an option that takes a YAML map: "model.layers.hidden.ranks" is the key ranks of the layer hidden of the option model."""
import os

from tensorloom.places import folders_of
from tensorloom.run_directory import InputProblem, one_line, open_text

FORM = "{YAML}"  # in the form of such an option


def shipped_models():
    """Name -> path of the models that ship with the project; {} if they are not installed."""
    for folder in folders_of("models"):
        return {name[:-len(".yaml")]: os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".yaml")}
    return {}


def short_names(names):
    """Name -> its label: of keys the shortest ending of at least two words that no other name has, such as hidden.ranks."""
    endings = {name: [".".join(name.split(".")[-words:]) for words in range(2, name.count(".") + 2)] for name in names}
    return {name: next((ending for ending in found if sum(ending in others for others in endings.values()) == 1), name)
            for name, found in endings.items()}


def map_text(told, folder=""):
    """The path and the text of what such an option has: a file, a model that ships with the project, or a map in braces."""
    if told.lstrip().startswith("{"):
        return "the map in braces", told
    path = os.path.join(folder, told)
    path = path if os.path.exists(path) else shipped_models().get(told, path)
    try:
        with open_text(path) as file:
            return path, file.read()
    except (OSError, ValueError) as error:
        known = f", expected a file or one of {', '.join(shipped_models())}" if "." not in told else ""
        complaint = "is not UTF-8 text, expected YAML" if isinstance(error, UnicodeDecodeError) else \
            f"cannot be read: {getattr(error, 'strerror', None) or one_line(error)}{known}"
        raise InputProblem(f"{one_line(told)} {complaint}") from None


def map_of(text, path, each_key_once=False):
    """The map of a text in YAML; all values are texts. path: begins an error. each_key_once: a key that a map has twice is
    refused; otherwise the last one counts."""
    try:
        import yaml
    except ImportError:
        raise InputProblem(f"{path} is YAML, which needs python3-yaml, expected it to be installed") from None
    try:
        content = yaml.load(text, Loader=loader_of_keys(yaml) if each_key_once else yaml.BaseLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise InputProblem(f"{path}:{mark.line + 1 if mark else 1}: {one_line(getattr(error, 'problem', None) or error)}, "
                           f"expected YAML") from None
    except RecursionError:
        raise InputProblem(f"{path} is nested too deeply, expected the keys of a model") from None
    except (ValueError, OverflowError):
        raise InputProblem(f"{path}: found an escape that is no character, expected YAML") from None
    if not isinstance(content, dict):
        raise InputProblem(f"{path}: found {type(content).__name__}, expected 'name: value' lines")
    return content


def loader_of_keys(yaml):
    class EachKeyOnce(yaml.BaseLoader):
        def construct_mapping(self, node, deep=False):
            known = set()
            for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
                if isinstance(key, yaml.ScalarNode) and key.value in known:
                    raise yaml.constructor.ConstructorError(None, None, f"found '{key.value[:60]}' twice", key.start_mark)
                known.add(key.value if isinstance(key, yaml.ScalarNode) else None)
            return super().construct_mapping(node, deep)

    return EachKeyOnce


def merged(old, new):
    """Keys of a dict are set in the dict that is there, None removes a key; anything else is replaced."""
    if not isinstance(new, dict):
        return new
    kept = {key: value for key, value in old.items() if key not in new} if isinstance(old, dict) else {}
    found = {key: merged(old.get(key) if isinstance(old, dict) else None, value) for key, value in new.items() if value is not None}
    order = [*old, *found] if isinstance(old, dict) else found
    return {key: (found if key in found else kept)[key] for key in dict.fromkeys(order) if key in found or key in kept}


def with_key(value, path, new, what):
    """A copy of nested dicts and lists with a new value at a path, like ["layers", "0", "ranks"], merged with the one that is
    there; None removes it. Entries of lists have a number or their key name. what: begins an error."""
    key, *rest = path
    if isinstance(value, dict):
        if rest and key not in value:
            raise InputProblem(f"{what}: found no '{key}', expected one of {', '.join(map(str, value))}")
        changed = with_key(value[key], rest, new, what) if rest else merged(value.get(key), new)
        return {name: part for name, part in {**value, key: changed}.items() if name != key or rest or new is not None}
    if isinstance(value, (list, tuple)):
        named = [place for place, part in enumerate(value) if isinstance(part, dict) and part.get("name") == key]
        place = named[0] if named else int(key) if key.isascii() and key.isdecimal() and len(key) < 10 else len(value)
        if place >= len(value):
            names = [str(part["name"]) for part in value if isinstance(part, dict) and "name" in part]
            raise InputProblem(f"{what}: found no entry '{key}', expected 0 to {len(value) - 1}"
                               f"{' or ' if names else ''}{', '.join(names)}")
        changed = with_key(value[place], rest, new, what) if rest else merged(value[place], new)
        return [*value[:place], *([changed] if rest or new is not None else []), *value[place + 1:]]
    raise InputProblem(f"{what}: found {value!r} where '{key}' should be, expected a dict or a list")
