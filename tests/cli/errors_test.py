"""How the program refuses: one line, the right exit code, whatever it is given."""
import json
import os
import pathlib
import signal
import subprocess
import tempfile

import program
from program import DONE, INTERNAL, run

ON = ("--gpu", "H100", "--gpus", "8")


class Usage(program.ProgramTest):
    def test_options(self):
        for arguments in ((), ("nonsense",), ("plan",), ("plan", "gpt2"), ("plan", "gpt2", *ON[:2]),
                          ("plan", "gpt2", *ON, "--nonsense"), ("plan", "gpt2", "extra", *ON),
                          ("fit", "gpt2"), ("model",), ("catalog", "a", "b", "c"),
                          ("evaluate", "extra"), ("plan", "gpt2", "--gpu"), ("--gpus",)):
            self.refused(*arguments)

    def test_values(self):
        for option, value in (("--gpus", "0"), ("--gpus", "-5"), ("--gpus", "1.5"),
                              ("--gpus", "eight"), ("--gpus", "2147483648"), ("--gpus", "1e308"),
                              ("--gpus", ""), ("--gpus", "nan"), ("--gpus-per-node", "0"),
                              ("--batch", "0"), ("--batch", "4294967296"), ("--sequence", "-1"),
                              ("--sequence", "inf"), ("--precision", "bf61"), ("--zero", "4"),
                              ("--recompute", "some"), ("--optimizer", "adamm"),
                              ("--sequence-parallel", "maybe"), ("--top", "0"), ("--tokens", "0"),
                              ("--tokens", "15Q"), ("--tokens", "-15T"), ("--price", "cheap"),
                              ("--pue", "0.5"), ("--fabric", "400Gb"), ("--fabric", "0Gb/s"),
                              ("--latency", "1us"), ("--memory", "0GB"), ("--memory", "80gb"),
                              ("--by", "fame"), ("--tensor", "x"), ("--layer-split", "8,,8")):
            arguments = [*ON, option, value] if option != "--gpus" else [*ON[:2], option, value]
            self.refused("plan", "gpt2", *arguments, saying=option.removeprefix("--no"))

    def test_names_come_with_hints(self):
        self.refused("plan", "gpt2", "--gpu", "H1000", "--gpus", "8", saying="did you mean")
        self.refused("plan", "llama-3-8c", *ON, saying="llama-3-8b")
        self.refused("plan", "gpt2", *ON, "--fabric", "infiniband", saying="InfiniBand")
        self.refused("plan", "Llama-3-8B-Instruct", *ON, saying="did you mean llama-3-8b?")
        self.refused("plan", "meta-llama/Meta-Llama-3-8B", *ON,
                     saying=("no such file", "did you mean llama-3-8b?"))
        self.refused("plan", "gpt2", *ON, "--zero", "zero3", saying="did you mean 3?")

    def test_the_largest_cluster_is_planned(self):
        done = run("plan", "gpt2", "--gpu", "H100", "--gpus", "1000000000", "--batch", "1024")
        self.assertEqual(done.returncode, DONE, done.stderr)

    def test_version(self):
        done = run("--version")
        self.assertEqual(done.returncode, DONE)
        self.assertRegex(done.stdout, r"\Agpuplan \d+\.\d+\.\d+\n\Z")

    def test_help(self):
        for arguments in (("--help",), ("plan", "--help"), ("fit", "-h"), ("model", "--help"),
                          ("evaluate", "--help"), ("catalogue", "--help"), ("--help-all",)):
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stderr), (DONE, ""))
            self.assertIn("gpuplan", done.stdout)
            self.assertIn("xample", done.stdout)
            self.assertTrue(done.stdout.isascii())


class Files(program.ProgramTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, content, name="config.json"):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return path

    def refused_file(self, path, *saying):
        return self.refused("model", path, saying=[str(path), *saying])

    def test_no_file(self):
        self.refused_file(self.folder / "missing.json", "no such file")
        self.refused_file(self.folder, "directory")
        self.refused("model", "missing.json")
        self.refused("model", "")

    def test_a_file_that_may_not_be_read(self):
        path = self.file(program.config("gpt2"))
        path.chmod(0)
        if os.geteuid() != 0:
            self.refused_file(path, "ermission")

    def test_a_file_of_a_gigabyte(self):
        path = self.file(b"")
        os.truncate(path, 2**30)
        self.refused_file(path, "16 MiB")

    def test_a_file_without_end(self):
        self.refused("model", "/dev/zero", saying="16 MiB")

    def test_what_is_not_json(self):
        for content in (b"", b"{", b"not JSON at all", b"\x00" * 100, b"\xff\xfe{}", b"[" * 100000,
                        b'{"model_type":"gpt2",}', b"\x89PNG\r\n\x1a\n"):
            self.refused_file(self.file(content))

    def test_configs_that_are_none(self):
        gpt2, llama = program.config("gpt2"), program.config("llama-3-8b")
        for content, words in (([], "object"), ({}, "model_type"),
                               (gpt2 | {"model_type": "gpt9"}, "model_type"),
                               (llama | {"hidden_size": "4096"}, "hidden_size"),
                               (llama | {"hidden_size": 0}, "hidden_size"),
                               (llama | {"hidden_size": -1}, "hidden_size"),
                               (llama | {"num_attention_heads": 33}, "num_attention_heads"),
                               ({k: v for k, v in llama.items() if k != "num_hidden_layers"},
                                "num_hidden_layers")):
            self.refused_file(self.file(content), words)
        self.refused_file(self.file(b'{"model_type":"gpt2","n_head":12,"n_head":12}'), "n_head")

    def test_a_config_nested_under_text_config(self):
        path = self.file({"model_type": "llava", "text_config": program.config("llama-3-8b")})
        done = run("model", path, "--json")
        if done.returncode == DONE:
            self.assertEqual(program.read_json(done.stdout)["parameters"], 8030261248)
        else:
            self.refused_file(path, "text_config")

    def test_strange_names(self):
        self.answer("model", self.file(program.config("gpt2"), "caf\u00e9 \U0001f600.json"))
        self.refused("model", "a\nb/\x1b[31m.json")
        self.refused("model", b"\xff\xfe/x.json".decode(errors="surrogateescape"))


class Output(program.ProgramTest):
    def ends(self, arguments, stdout, stdin=b""):
        done = subprocess.run([program.PROGRAM, *arguments], input=stdin, stdout=stdout,
                              stderr=subprocess.PIPE, timeout=300)
        return done.returncode, done.stderr.decode()

    def test_a_full_disk_is_said(self):
        with open("/dev/full", "wb") as full:
            code, said = self.ends(["catalog"], full)
            self.assertEqual(code, INTERNAL)
            self.assertIn("cannot write the output", said)
            code, said = self.ends(["evaluate"], full, b'{"model":"gpt2"}\n' * 100)
            self.assertEqual(code, INTERNAL)

    def test_a_reader_that_has_gone_is_left_in_peace(self):
        for arguments, stdin in ((["catalog", "--json"], b""),
                                 (["evaluate"], b'{"model":"gpt2"}\n' * 1000)):
            ours, theirs = os.pipe()
            os.close(ours)
            code, said = self.ends(arguments, theirs, stdin)
            os.close(theirs)
            self.assertEqual((code, said), (INTERNAL, ""))

    def test_output_that_is_closed(self):
        done = subprocess.run(["/bin/sh", "-c", '"$0" catalog >&-', program.PROGRAM],
                              stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, INTERNAL)

    def test_input_that_is_closed(self):
        done = subprocess.run(["/bin/sh", "-c", '"$0" evaluate <&-', program.PROGRAM],
                              capture_output=True)
        self.assertIn(done.returncode, (DONE, 2))
        self.assertNotEqual(done.returncode, -signal.SIGABRT)


program.main()
