"""The archives of found inputs are those that add_found.py writes."""
import gzip
import os
import tempfile
import unittest

import add_found


class FoundInputs(unittest.TestCase):
    def test_archives_are_written_reproducibly(self):
        archives = sorted(os.listdir(add_found.FOUND))
        self.assertGreaterEqual(len(archives), 6)
        for name in archives:
            with self.subTest(archive=name):
                path = os.path.join(add_found.FOUND, name)
                with open(path, "rb") as file:
                    content = file.read()
                self.assertEqual(content[4:8], bytes(4), "the time of the compressed file is not zero")
                self.assertEqual(gzip.decompress(content), add_found.tar_of(add_found.read_inputs(path)))

    def test_names_are_plain(self):
        for name in os.listdir(add_found.FOUND):
            for member in add_found.read_inputs(os.path.join(add_found.FOUND, name)):
                self.assertRegex(member, r"^[A-Za-z0-9_.-]+$")

    def test_an_added_input_replaces_one_of_its_name(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "some.tar.gz")
            add_found.write_inputs(path, {"b": b"2", "a": b"1"})
            inputs = add_found.read_inputs(path)
            self.assertEqual(list(inputs), ["a", "b"])
            add_found.write_inputs(path, {**inputs, "a": b"3"})
            self.assertEqual(add_found.read_inputs(path), {"a": b"3", "b": b"2"})


if __name__ == "__main__":
    unittest.main()
