"""The JSON schemas of docs/, each as one schema without references: nothing is read from the network.

    jsonschema.Draft201909Validator(load_schema("dxt-summary")).validate(summary)
"""
import functools
import json
import os

from tensorloom.places import folders_of


@functools.lru_cache(maxsize=None)
def read_schema(file):
    """A file of docs/ with its references; FileNotFoundError if it is not installed."""
    for folder in folders_of("docs"):
        path = os.path.join(folder, file)
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as text:
                return json.load(text)
    raise FileNotFoundError(f"{file}: not in docs/ beside the package tensorloom")


def load_schema(name):
    """docs/<name>.schema.json with every reference replaced by its definition."""
    file = f"{name}.schema.json"
    document = {key: value for key, value in read_schema(file).items() if key != "definitions"}
    return resolve(document, file)


def resolve(node, file):
    """A part of a schema of this file without `$ref` and `allOf`.

    A description next to a reference replaces that of the definition. An object that composes definitions by allOf has
    their properties and required names; if it also names a property itself, that adds only a description. Then it has
    all its properties, and additionalProperties stands for unevaluatedProperties.
    """
    if isinstance(node, list):
        return [resolve(part, file) for part in node]
    if not isinstance(node, dict):
        return node
    if isinstance(node.get("$ref"), str):
        target, pointer = node["$ref"].split("#/")
        target = target or file
        definition = read_schema(target)
        for name in pointer.split("/"):
            definition = definition[name]
        return {**resolve(definition, target), **{key: text for key, text in node.items() if key != "$ref"}}
    whole = {key: resolve(part, file) for key, part in node.items() if key != "allOf"}
    for part in resolve(node.get("allOf", []), file):
        own = whole.get("properties", {})
        shared = {name: {**field, **(own[name] if isinstance(own.get(name), dict) else {})}
                  for name, field in part["properties"].items()}
        whole["properties"] = {**own, **shared}
        whole["required"] = [*whole.get("required", ()), *part["required"]]
    if "unevaluatedProperties" in whole:
        whole["additionalProperties"] = whole.pop("unevaluatedProperties")
    return whole
