#!/usr/bin/env python3
"""The schemas in docs/: references, composed objects and their layout. Documents: tests/testbenches/schemas_test.py."""
import collections
import json
import os
import re
import sys
import unittest

import jsonschema

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DOCS = os.path.join(ROOT, "docs")
sys.path.insert(0, os.path.join(ROOT, "scripts", "python"))

from tensorloom.schemas import load_schema, read_schema  # noqa: E402

ENDING = ".schema.json"
NAMES = sorted(name.removesuffix(ENDING) for name in os.listdir(DOCS) if name.endswith(ENDING))
BLOCK = 12  # lines that may not stand in two files


def nodes(node, path=""):
    """Every object of a JSON document, with its path."""
    if isinstance(node, dict):
        yield path, node
    for key, part in (node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()):
        yield from nodes(part, f"{path}/{key}")


def references(name):
    """(file, definition) of every reference of a file."""
    for _, node in nodes(read_schema(name + ENDING)):
        if isinstance(node.get("$ref"), str):
            file, definition = node["$ref"].split("#/definitions/")
            yield file or name + ENDING, definition


def content_lines(name):
    """(line number, text) without brackets and without lines that only name a field."""
    with open(os.path.join(DOCS, name + ENDING), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            text = line.strip().rstrip(",")
            if not re.fullmatch(r'[\[\]{}]+|"[^"]+"(: true)?|"[^"]*": [\[{]', text):
                yield number, text


class Files(unittest.TestCase):
    def test_are_schemas_of_draft_2019_09_with_one_key_a_line(self):
        for name in NAMES:
            with self.subTest(name=name):
                schema = read_schema(name + ENDING)
                self.assertEqual(schema["$schema"], "https://json-schema.org/draft/2019-09/schema")
                jsonschema.Draft201909Validator.check_schema(schema)
                with open(os.path.join(DOCS, name + ENDING), encoding="utf-8") as file:
                    self.assertEqual(file.read(), json.dumps(schema, indent=2) + "\n")

    def test_every_reference_has_its_definition_and_every_definition_its_references(self):
        used = {reference for name in NAMES for reference in references(name)}
        there = {(name + ENDING, definition) for name in NAMES
                 for definition in read_schema(name + ENDING).get("definitions", ())}
        self.assertEqual(used, there)

    def test_a_shared_definition_is_found_beside_the_file(self):
        """`$id` names a schema and is the base of its references: without a folder, they lead to files beside it."""
        for name in NAMES:
            identifier = read_schema(name + ENDING)["$id"]
            self.assertNotIn("/", identifier)
            self.assertEqual(identifier == name + ENDING, name == "shared", name)
            self.assertLessEqual({file for file, _ in references(name)}, {name + ENDING, "shared" + ENDING})

    def test_a_definition_of_one_file_stands_in_that_file(self):
        users = collections.defaultdict(set)
        for name in NAMES:
            for file, definition in references(name):
                if file == "shared" + ENDING:
                    users[definition].add(name)
        of_one = {definition for definition, names in users.items() if len(names) == 1 and "shared" not in names}
        self.assertEqual(of_one, set())

    def test_no_block_stands_in_two_files(self):
        places = collections.defaultdict(dict)
        for name in NAMES:
            lines = list(content_lines(name))
            self.assertGreater(len(lines), BLOCK)
            for start in range(len(lines) - BLOCK + 1):
                block = lines[start:start + BLOCK]
                places["\n".join(text for _, text in block)][name] = block[0][0]
        self.assertEqual({block: where for block, where in places.items() if len(where) > 1}, {})


class Composition(unittest.TestCase):
    def test_a_composed_object_refuses_names_that_no_part_has(self):
        """unevaluatedProperties knows the names of all parts, and what stands beside them changes no part."""
        found = 0
        for name in NAMES:
            for path, node in nodes(read_schema(name + ENDING)):
                if "allOf" not in node or set(node) == {"description", "allOf"}:  # a part made of parts
                    continue
                with self.subTest(name=name, path=path):
                    found += 1
                    self.assertIs(node["unevaluatedProperties"], False)
                    self.assertNotIn("additionalProperties", node)
                    for part in node["allOf"]:
                        self.assertEqual(list(part), ["$ref"])
                        self.check_part(node, *self.definition(name, part))
        self.assertGreater(found, 30)

    def definition(self, name, reference):
        file, definition = reference["$ref"].split("#/definitions/")
        file = file.removesuffix(ENDING) or name
        return file, read_schema(file + ENDING)["definitions"][definition]

    def check_part(self, node, file, part):
        """It requires what it describes and leaves other names open; the object adds at most a description."""
        if "allOf" in part:
            self.assertEqual(set(part), {"description", "allOf"})
            for inner in part["allOf"]:
                self.check_part(node, *self.definition(file, inner))
            return
        self.assertEqual(set(part), {"description", "type", "required", "properties"})
        self.assertEqual(part["required"], list(part["properties"]))
        for field in part["properties"]:
            own = node.get("properties", {}).get(field, {"description": ""})
            self.assertEqual(list(own), ["description"], field)
            self.assertNotIn(field, node.get("required", ()))

    def test_a_field_without_a_type_is_one_of_a_part(self):
        """A description alone stands only in an object that composes a part which has the field."""
        for name in NAMES:
            for path, node in nodes(load_schema(name)):
                self.assertFalse({"$ref", "allOf"} & set(node), f"{name}{path}")
                fields = node.get("properties")
                for field, schema in fields.items() if isinstance(fields, dict) else ():
                    described = isinstance(schema, dict) and set(schema) - {"description"}
                    self.assertTrue(described, f"{name}{path}: {field}")


class LoadedSchema(unittest.TestCase):
    def test_has_definitions_in_place_of_references(self):
        schema = load_schema("dxt-summary")
        fields = schema["properties"]
        self.assertEqual(fields["version"]["pattern"], r"^[0-9]+\.[0-9]+\.[0-9]+$")
        self.assertEqual((fields["cycles"]["type"], fields["cycles"]["minimum"]), ("integer", 0))
        self.assertEqual(fields["cycles"]["description"], "clock cycles from START to DONE")
        self.assertEqual(sorted(schema["required"]), sorted(fields))
        self.assertEqual(len(schema["required"]), 46)
        self.assertNotIn("definitions", schema)

    def test_of_another_name_is_not_there(self):
        with self.assertRaises(FileNotFoundError):
            load_schema("none")


if __name__ == "__main__":
    unittest.main()
