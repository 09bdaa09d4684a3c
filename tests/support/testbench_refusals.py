"""Errors of every testbench: status 2, one line (option, found, expected), no files."""


class RefusedOptions:
    """Beside a TestbenchTest.

    `job`: options of a quick run; `abbreviated`: option and value -> the option that it may mean; `repeated`: options
    that may stand once; `values`: option -> (values that are refused, values that are accepted, options beside, words
    of every refusal); what follows the first may be missing.
    """

    job = ""
    abbreviated = {}
    repeated = ()
    values = {}

    def refuses_values(self, option, values, words=(), job=None):
        for value in values:
            with self.subTest(option=option, value=value):
                self.refuses(f"{self.job if job is None else job} --{option}='{value}'", f"--{option}", value[:70],
                             "expected", *words)

    def accepts(self, option, values, job=None):
        for value in values:
            with self.subTest(option=option, value=value):
                self.succeeds(f"{self.job if job is None else job} --{option} {value} --quiet")

    def test_unknown_abbreviated_or_repeated(self):
        for text in ("--frobnicate", "--frobnicate 3", "--frobnicate=3"):
            self.refuses(f"{self.job} {text}", "unknown option", "--frobnicate")
        self.refuses(f"{self.job} nonsense", "nonsense", "expected")
        for text, full in self.abbreviated.items():
            self.refuses(f"{self.job} {text}", "unknown option", text.split()[0], full)
        for text in self.repeated:
            self.refuses(f"{self.job} {text} {text}", text.split()[0], "twice")

    def test_values(self):
        for options, entry in self.values.items():
            refused, accepted, job, words = (*entry, *((), None, ())[len(entry) - 1:])
            for option in options.split():
                self.refuses_values(option, refused, words, job)
                self.accepts(option, accepted, job)
