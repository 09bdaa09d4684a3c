"""Reads a value change dump: variables by their full names, and their values over time."""
import bisect


class VcdFile:
    def __init__(self, data):
        tokens = iter(data.decode("ascii").split())
        self.changes = {}  # name -> ([time], [value])
        names = {}         # code -> [name]
        scope, now = [], 0
        self.end = 0
        for token in tokens:
            if token == "$scope":
                scope.append(self.words(tokens)[1])
            elif token == "$upscope":
                self.words(tokens)
                scope.pop()
            elif token == "$var":
                words = self.words(tokens)
                name = ".".join(scope + [words[3]])
                assert name not in self.changes or words[2] not in names, name
                names.setdefault(words[2], []).append(name)
                self.changes.setdefault(name, ([], []))
            elif token == "$timescale":
                self.timescale = " ".join(self.words(tokens))
            elif token in ("$date", "$version", "$comment", "$enddefinitions"):
                self.words(tokens)
            elif token in ("$dumpvars", "$end"):
                pass
            elif token[0] == "#":
                assert int(token[1:]) >= now, "time goes back"
                now = self.end = int(token[1:])
            else:
                if token[0] in "br":
                    value, code = (int(token[1:], 2) if token[0] == "b" else float(token[1:])), next(tokens)
                else:
                    value, code = int(token[0]), token[1:]
                for name in names[code]:
                    times, values = self.changes[name]
                    times.append(now)
                    values.append(value)

    @staticmethod
    def words(tokens):
        found = []
        for token in tokens:
            if token == "$end":
                return found
            found.append(token)
        raise ValueError("no $end")

    def names(self):
        return set(self.changes)

    def at(self, name, time):
        times, values = self.changes[name]
        return values[bisect.bisect_right(times, time) - 1]


def body(data):
    """Everything after the header, which has the date."""
    mark = b"$enddefinitions"
    return data[data.index(mark):]
