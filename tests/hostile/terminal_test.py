# SPDX-License-Identifier: MIT
"""No text from a file reaches the terminal as anything but text: whatever field it is in, in whatever
format, of whatever command, in results, errors and progress."""
import json
import os
import re

from plumb_runs import Runs, WRONG_MODEL, contents, events, main

# Commands of a terminal, a carriage return, what turns text around, an end of line by another name.
TEXTS = ["a\x1b]0;title\x07b", "a\x1b[2Jb", "a\x9b31mb", "a\rHOLDS  b", "a\x08\x7fb", "a\u202eb\u2066c",
         "a\u200f\u061cb", "a\u2028HOLDS", "a\nHOLDS  b", "a\x85b", "a\x00b", "\ufeffa"]
BAD_BYTES = [b"a\xffb", b"a\xc2", b"a\xed\xa0\x80b", b"a\xf5\x80\x80\x80b"]
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


class Terminal(Runs):
    def shown(self, *words, **more):
        """All that a command prints, which is UTF-8 without control characters."""
        status, out, err = self.run_plumb(*words, **more)
        self.assertIn(status, (0, 1, 2, 64, 65, 66), (words, err))
        for text in (out, err):
            shown = text.decode("utf-8", "strict")
            self.assertIsNone(CONTROL.search(shown), (words, shown))
        # No line of a field begins as a verdict does: there is one, or none.
        self.assertLessEqual(len(re.findall(rb"^HOLDS", out, re.M)), 1, (words, out))
        self.assertEqual(len(re.findall(rb"^HOLDS", err, re.M)), 0, (words, err))
        return out + err

    def check(self, name, text, *options):
        file = self.write(name, text)
        for more in (["--json"], ["--stats", "--explain-engine", "--keep-going"]):
            self.shown("check", file, *options, *more)
        with open(file, "rb") as standard_input:
            self.shown("check", "-", *options, stdin=standard_input)
        self.shown("convert", file, self.path("converted.violin"))

    def test_every_field_of_the_native_format(self):
        for number, text in enumerate(TEXTS):
            with self.subTest(text=text):
                wrong = [(0, "enq", [1], None), (0, "enq", [2], None), (0, "deq", [], 2)]
                for field in ("process", "argument", "result", "name", "object", "op", "key", "initial", "type"):
                    steps = [list(step) for step in wrong]
                    header = {"history": 1, "object": "queue"}
                    if field == "process":
                        steps = [[text + str(p), *rest] for p, *rest in steps]
                    elif field == "argument":
                        steps[0][2], steps[1][2], steps[2][3] = [text], [text + "2"], text + "2"
                    elif field == "result":
                        steps[2][3] = text
                    elif field == "key":
                        header["object"] = "map"
                        steps = [[0, "put", [text, 1], None], [1, "get", [text], 2]]
                    elif field == "op":
                        steps[1][1] = text
                    elif field == "object":
                        header["object"] = text
                    elif field == "initial":
                        header["initial"] = text
                    elif field == "name":
                        header = {"history": 1, "objects": {text: "queue", "other": "queue"}}
                    lines = events(*steps, header=header).splitlines(True)
                    if field == "name":
                        lines[1:] = [line.replace("{", "{" + f'"object":{json.dumps(text)},', 1) for line in lines[1:]]
                    if field == "type":
                        lines[2] = lines[2].replace('"return"', json.dumps(text))
                    self.check(f"{field}-{number}.jsonl", "".join(lines))

    def test_bytes_that_are_no_text(self):
        for number, bad in enumerate(BAD_BYTES + [text.encode() for text in TEXTS]):
            for name, text in (
                    ("json", b'{"history":1,"object":"queue"}\n{"type":"call","process":0,"op":"' + bad + b'"}\n'),
                    ("none", bad + b"\n"),
                    ("edn", b"{:type :invoke, :process 0, :f :write, :value " + bad + b"}\n"
                            b"{:type :ok, :process 0, :f :write, :value " + bad + b"}\n"),
                    ("edn2", b'{:type :invoke, :process "' + bad + b'", :f :' + bad + b', :value "' + bad + b'"}\n'),
                    ("log", b"INFO  jepsen.util - 0\t:invoke\t:write\t" + bad + b"\n"),
                    ("log2", b"INFO  jepsen.util - " + bad + b"\t:invoke\t:read\tnil\n"),
                    ("violin", b"[1] call " + bad + b"(1)\n[1] return " + bad + b"\n"),
                    ("violin2", b"# @object " + bad + b"\n[1] call push(" + bad + b")\n[1] return\n"),
                    ("polylin", b"# queue\nenq " + bad + b" 1 2\ndeq " + bad + b" 3 4\n"),
                    ("jepsen", b'[{"type":"invoke","process":"' + bad + b'","f":"' + bad + b'","value":"' + bad + b'"}]\n')):
                self.check(f"{name}{number}", text)
                self.check(f"{name}{number}", text, "--spec", "register")

    def test_names_of_files(self):
        history = events((0, "enq", [1], None), (0, "deq", [], 2))
        names = [text.replace("/", "").replace("\x00", "").encode() for text in TEXTS] + BAD_BYTES
        for name in names:
            name = os.fsdecode(name)
            self.check(name, history)
            self.shown("check", name, name)
            self.shown("check", "nowhere" + name)
            for command in (["verify"], ["report"], ["replay"], ["check", "--recheck"], ["test"]):
                html = ["--html", "page.html"] if command == ["report"] else []
                self.shown(*command, self.path(name), *html)
                self.shown(*command, "nowhere" + name, *html)
            self.write(name + ".plumb", contents(WRONG_MODEL))
            for option in ([], ["--json"], ["--set", "N=1..2"], ["--html", "no/" + name], ["--dot", "no/" + name]):
                self.shown("verify", name + ".plumb", *option)
            self.shown("check", name, "--spec", name + ".plumb")
            if "\x1b]" in name or "\u202e" in name:  # a compiler takes its time
                self.write(name + ".cpp", "#error " + name + "\n")
                self.shown("check", name, "--spec", name + ".cpp")
            for option in ("-o", "--html", "--witness", "--core"):
                self.shown("check", name, option, "no/" + name)

    def test_words_of_the_command_line(self):
        history = self.write("in.jsonl", events((0, "enq", [1], None), (0, "deq", [], 2)))
        for text in [text.replace("\x00", "") for text in TEXTS] + [os.fsdecode(bad) for bad in BAD_BYTES]:
            for words in ([text], ["--" + text], ["check", "--" + text], ["check", history, "--spec", text],
                          ["check", history, "--engine", text], ["check", history, "--initial", text],
                          ["check", history, "--quasi", text], ["check", history, "--clock-skew", text],
                          ["verify", WRONG_MODEL, "--property", text], ["verify", WRONG_MODEL, "--set", text],
                          ["verify", WRONG_MODEL, "--set", text + "=1"], ["completion", text]):
                self.shown(*words)

    def test_models(self):
        model = contents(WRONG_MODEL).decode()
        name = re.search(r"object (\w+)", model).group(1)
        for text in TEXTS:
            for wrong in (model.replace(name, text), model.replace(name, name + " " + text), "// " + text + "\n" + model,
                          model + text, f'spec "{text}"\n' + model, model.replace("op ", f"op {text}", 1)):
                file = self.write("m.plumb", wrong)
                for option in ([], ["--simulate"], ["--explore-only"], ["--json"]):
                    self.shown("verify", file, *option)
        for bad in BAD_BYTES:
            self.shown("verify", self.write("m.plumb", model.encode() + bad))

    def test_fields_of_reports(self):
        history = self.write("in.jsonl", events((0, "enq", [1], None), (0, "deq", [], 2)))
        report = json.loads(self.run_plumb("check", history, "--json")[1])
        def fields(value, path=()):
            if isinstance(value, dict):
                for name in value:
                    yield from fields(value[name], (*path, name))
            elif isinstance(value, list):
                for number, item in enumerate(value):
                    yield from fields(item, (*path, number))
            else:
                yield path
        for path in fields(report):
            for text in TEXTS[:3] + ["a\u202eb"]:
                changed = json.loads(json.dumps(report))
                at = changed
                for step in path[:-1]:
                    at = at[step]
                at[path[-1]] = text
                file = self.write("report.json", json.dumps(changed) + "\n")
                self.shown("check", "--recheck", file)
                self.shown("replay", file)
                self.shown("report", file, "--html", "page.html")
        for text in TEXTS:
            file = self.write("report.json", json.dumps({"findings": [{"schedule": {"replay": text}}]}))
            self.shown("replay", file)

    def test_progress(self):
        hard = [(p, "enq", [p], None) for p in range(2)]
        lines = events(*hard).splitlines(True)[:1]
        for number in range(14):
            lines.append(json.dumps({"type": "call", "process": number, "op": "enq", "args": [number]}) + "\n")
        name = "a\x1b[2Jb\u202e.jsonl"
        self.write(name, "".join(lines) + "".join(
            json.dumps({"type": "return", "process": number, "result": None}) + "\n" for number in range(14)))
        self.shown("check", name, "--progress", "plain", "--engine", "wgl", "--timeout", "3")


main()
