"""How the program refuses: one line, the right exit code, whatever it is given."""
import json
import os
import pathlib
import resource
import signal
import subprocess
import tempfile

import program
from program import DONE, INTERNAL, run

ON = ("--gpu", "H100", "--gpus", "8")


def keep_short():
    """Of a program that is to run: far less time of the processor than its whole work takes."""
    resource.setrlimit(resource.RLIMIT_CPU, (10, 10))


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
                              ("--tokens", "1e-320"), ("--tokens", "0.5"), ("--tokens", "15Q"), ("--tokens", "-15T"), ("--price", "cheap"),
                              ("--pue", "0.5"), ("--fabric", "400Gb"), ("--fabric", "0Gb/s"),
                              ("--latency", "1us"), ("--memory", "0GB"), ("--memory", "80gb"),
                              ("--by", "fame"), ("--tensor", "x"), ("--layer-split", "8,,8")):
            arguments = [*ON, option, value] if option != "--gpus" else [*ON[:2], option, value]
            self.refused("plan", "gpt2", *arguments, saying=option.removeprefix("--no"))

    def test_an_empty_model_is_named_as_it_is_given(self):
        for subcommand in "fit", "plan":
            self.refused(subcommand, "", *ON, saying="MODEL must not be empty")

    def test_a_part_of_a_set_is_named_once(self):
        self.refused("plan", "gpt2", *ON, "--recompute-modules", "mlp,mlp",
                     saying="--recompute-modules: mlp is named twice")

    def test_infinity_in_a_config_is_named(self):
        sizes = {"model_type": "llama", "hidden_size": 512, "intermediate_size": float("inf"),
                 "num_hidden_layers": 2, "num_attention_heads": 8, "vocab_size": 1000,
                 "max_position_embeddings": 256}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "config.json"
            path.write_text(json.dumps(sizes))
            self.refused("fit", path, *ON,
                         saying="intermediate_size must not be null, Infinity or NaN")

    def test_names_come_with_hints(self):
        self.refused("plan", "gpt2", "--gpu", "H1000", "--gpus", "8", saying="did you mean")
        self.refused("plan", "llama-3-8c", *ON, saying="llama-3-8b")
        self.refused("plan", "gpt2", *ON, "--fabric", "infiniband", saying="InfiniBand")
        self.refused("plan", "Llama-3-8B-Instrukt", *ON, saying="did you mean llama-3-8b?")
        self.refused("plan", "meta-llama/Llama-3-8B-Instrukt", *ON,
                     saying=("no such file", "did you mean llama-3-8b?"))
        self.refused("plan", "gpt2", *ON, "--zero", "zero3", saying="did you mean 3?")

    def test_a_name_of_the_hub_is_not_downloaded(self):
        self.refused("plan", "some-lab/Grand-9T", *ON,
                     saying=("the catalogue has no such model", "nothing is downloaded",
                             "config.json"))
        self.assertNotIn("downloaded", self.refused("plan", "./some/file", *ON))

    def test_a_layout_without_a_model_says_what_it_may_be(self):
        self.refused("fit", *ON[:2], saying=("MODEL is required", "--from"))

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
        self.refused_file(self.folder, "config.json: there is no such file")
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
        for device in ("/dev/zero", "/dev/urandom"):
            self.refused("model", device, saying=(device, "longer than 16 MiB", "no config.json"))
            self.refused("fit", "gpt2", *ON, "--profile", device,
                         saying=(device, "longer than 16 MiB", "no profile"))
            self.refused("evaluate", "--profile", device, saying="no profile")
            self.refused("calibrate", device, saying=(device, "byte 0"))
            self.refused("queue", "--trace", device, "--gpus", "8", saying=(device, "byte 0"))
        self.refused("fit", "gpt2", *ON, "--profile", "/", saying="name the profile in it")

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
        text = program.config("llama-3-8b")
        self.refused_file(self.file({"model_type": "flamingo", "text_config": text}), "text_config")
        done = run("model", self.file({"model_type": "llava", "text_config": text}), "--json")
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertEqual(program.read_json(done.stdout)["parameters"], 8030261248)

    def test_json_that_is_too_deep(self):
        for depth in (65, 10_000, 10_000_000):
            self.refused_file(self.file(b"[" * depth), "is nested more than 64 deep")

    def test_strange_names_are_shown_as_escapes(self):
        path = self.file(program.config("gpt2"), "\x1b[31mred\a\nline\u009b2J\u202e.json")
        shown = r"\u001b[31mred\u0007\nline\u009b2J\u202e.json"
        for arguments in (("model", path), ("fit", path, *ON), ("plan", path, *ON),
                          ("scale", path, *ON)):
            done = run(*arguments)
            self.assertEqual(done.returncode, DONE, done.stderr)
            self.assertIn(shown, done.stdout)
            self.assertNotRegex(done.stdout, r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]")
        on_terminal = program.run_on_terminal("model", path)
        self.assertIn(shown, on_terminal)
        self.assertNotIn("\033[31m", on_terminal)
        self.assertIn(r"\u001b[2J", self.refused("model", "gpt2\x1b[2J"))
        self.assertIn(r"\u001b[2J", self.refused("model", "gpt2", "--x\x1b[2J\n"))
        self.assertIn(r"\xff\xfe/x.json", self.refused("model", b"\xff\xfe/x.json".decode(
            errors="surrogateescape")))

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

    def test_help_to_a_full_disk_is_lost_too(self):
        for arguments in (["--help"], ["--help-all"], ["--version"], ["plan", "--help"],
                          ["fit", "--help"], ["evaluate", "-h"]):
            with open("/dev/full", "wb") as full:
                code, said = self.ends(arguments, full)
            self.assertEqual(code, INTERNAL, arguments)
            self.assertRegex(said, r"\Agpuplan: cannot write the output: [^\n]+\n\Z")

    def test_answers_are_not_sent_back_as_requests(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(b'{"model":"gpt2"}\n')
            file.flush()
            for command in (["evaluate"], ["formula", "--json-lines"]):
                with open(file.name, "rb") as requests, open(file.name, "ab") as answers:
                    done = subprocess.run([program.PROGRAM, *command], stdin=requests,
                                          stdout=answers, stderr=subprocess.PIPE, timeout=60)
                self.assertEqual(done.returncode, program.USAGE)
                self.assertIn(b"standard input is the file", done.stderr)
            self.assertEqual(pathlib.Path(file.name).read_bytes(), b'{"model":"gpt2"}\n')

    def test_an_interrupt_ends_at_once(self):
        model = {"layers": 131072, "hidden_size": 4096, "attention_heads": 32, "ffn_size": 16384,
                 "vocabulary_size": 32000}
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(model, file)
            file.flush()
            # What a shell runs behind others ignores interrupts, and hands that down.
            work = subprocess.Popen(
                [program.PROGRAM, "plan", file.name, "--gpu", "H100", "--gpus", "1000000000",
                 "--what-if"], stdout=subprocess.DEVNULL,
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
            try:
                self.assertRaises(subprocess.TimeoutExpired, work.wait, 0.5)
                work.send_signal(signal.SIGINT)
                # Shells say 130.
                self.assertEqual(work.wait(timeout=60), -signal.SIGINT)
            finally:
                work.kill()
                work.wait()

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


class OutputFiles(program.ProgramTest):
    """Files that answers are written to: --html and --output."""
    PAGES = (("plan", "gpt2", *ON), ("scale", "gpt2", *ON),
             ("queue", "--arrivals", "4/h", "--service", "1h", "--gpus", "8"))

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.old = b"old " * 10_000
        self.path = self.folder / "report.html"

    def ends(self, *arguments, limit=None):
        """How it ends where no file may grow beyond a limit, and what it says."""
        def keep_small():
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        done = subprocess.run([program.PROGRAM, *map(str, arguments)], capture_output=True,
                              preexec_fn=keep_small, timeout=300)
        return done.returncode, done.stderr.decode()

    def test_a_page_replaces_the_old_one_and_keeps_its_mode(self):
        for command in self.PAGES:
            self.path.write_bytes(self.old)
            self.path.chmod(0o640)
            self.assertEqual(run(*command, "--html", self.path).returncode, DONE)
            self.assertTrue(self.path.read_bytes().startswith(b"<!DOCTYPE html>"))
            self.assertEqual(self.path.stat().st_mode & 0o7777, 0o640)
            self.assertEqual(os.listdir(self.folder), [self.path.name])

    def test_a_new_page_has_the_usual_mode(self):
        before = os.umask(0o027)
        self.addCleanup(os.umask, before)
        self.assertEqual(run(*self.PAGES[0], "--html", self.path).returncode, DONE)
        self.assertEqual(self.path.stat().st_mode & 0o7777, 0o640)

    def test_a_failing_write_leaves_the_old_file_and_nothing_else(self):
        for command in self.PAGES:
            self.path.write_bytes(self.old)
            code, said = self.ends(*command, "--html", self.path, limit=1000)
            self.assertEqual(code, INTERNAL)
            self.assertRegex(said, r"\Agpuplan: cannot write [^\n]+report.html: [^\n]+\n\Z")
            self.assertEqual(self.path.read_bytes(), self.old)
            self.assertEqual(os.listdir(self.folder), [self.path.name])

    def test_links_stay_links(self):
        target = self.folder / "target.html"
        target.write_bytes(self.old)
        (self.folder / "there").mkdir()
        self.path.symlink_to("there/../target.html")
        again = self.folder / "again.html"
        again.symlink_to(self.path)
        self.assertEqual(run(*self.PAGES[0], "--html", again).returncode, DONE)
        self.assertTrue(again.is_symlink() and self.path.is_symlink())
        self.assertTrue(target.read_bytes().startswith(b"<!DOCTYPE html>"))
        target.unlink()  # what a link names need not be there
        self.assertEqual(run(*self.PAGES[0], "--html", self.path).returncode, DONE)
        self.assertTrue(self.path.is_symlink() and target.is_file())
        self.path.unlink()
        self.path.symlink_to(self.path.name)
        self.assertEqual(run(*self.PAGES[0], "--html", self.path).returncode, INTERNAL)

    def test_what_is_no_regular_file_is_written_in_place(self):
        done = run(*self.PAGES[0], "--json", "--html", "/dev/stdout")
        self.assertTrue(done.stdout.startswith("<!DOCTYPE html>"))
        self.assertTrue(done.stdout.endswith("}\n"))
        with open(self.path, "wb") as out:
            subprocess.run([program.PROGRAM, *self.PAGES[0], "--json", "--html", "/dev/stdout"],
                           stdout=out, check=True, timeout=60)
        self.assertEqual(self.path.read_text(), done.stdout)
        self.assertEqual(run(*self.PAGES[0], "--html", "/dev/null").returncode, DONE)
        self.assertEqual(run(*self.PAGES[0], "--html", "/dev/full").returncode, INTERNAL)
        os.mkfifo(self.folder / "pipe")
        reader = subprocess.Popen(["cat", self.folder / "pipe"], stdout=subprocess.PIPE)
        self.assertEqual(run(*self.PAGES[0], "--html", self.folder / "pipe").returncode, DONE)
        self.assertTrue(reader.communicate(timeout=60)[0].startswith(b"<!DOCTYPE html>"))

    def test_an_input_is_not_overwritten(self):
        content = json.dumps(program.config("gpt2")).encode()
        self.path.write_bytes(content)
        hard, soft = self.folder / "hard.json", self.folder / "soft.json"
        os.link(self.path, hard)
        soft.symlink_to(self.path)
        for name in (self.path, hard, soft, self.folder / "." / "report.html"):
            for command in ("plan", "scale"):
                self.refused(command, self.path, *ON, "--html", name, saying=("--html", "input"))
            self.refused("plan", "gpt2", *ON, "--profile", self.path, "--html", name,
                         saying="input")
            self.refused("queue", "--trace", self.path, "--gpus", "8", "--html", name,
                         saying="input")
            self.refused("calibrate", "/dev/null", self.path, "-o", name, saying="input")
            with open(self.path, "rb") as stdin:
                done = subprocess.run([program.PROGRAM, "calibrate", "-", "-o", name], stdin=stdin,
                                      capture_output=True, timeout=60)
            self.assertEqual(done.returncode, program.USAGE)
        self.assertEqual(self.path.read_bytes(), content)

    def test_a_page_and_the_answer_may_share_standard_output(self):
        for command in self.PAGES:
            answer = run(*command).stdout
            for name in (self.path, "/dev/stdout"):
                with open(self.path, "wb") as stdout:
                    done = subprocess.run([program.PROGRAM, *command, "--html", name],
                                          stdout=stdout, stderr=subprocess.PIPE)
                self.assertEqual((done.returncode, done.stderr), (DONE, b""), command)
                both = self.path.read_text()
                self.assertIn("<!DOCTYPE html>", both)
                self.assertIn(answer, both)

    def test_a_model_that_is_read_is_not_overwritten(self):
        content = json.dumps(program.config("llama-3-8b")).encode()
        model = self.folder / "config.json"
        model.write_bytes(content)
        dotted = self.folder / "." / "config.json"
        for command in ("plan", "scale"):
            for name in (model, dotted):
                self.refused(command, self.folder, *ON, "--html", name,
                             saying=("--html", "is the input", "config.json"))
        rows = "data=8,zero=3,sequence_length=2048,global_batch_size=64"
        table = self.folder / "runs.csv"
        table.write_text("seconds,data\n2.0,8\n")
        asked = ("calibrate", table, "--gpu", "H100", "--force", "-o", dotted)
        for typed in (("--model", model, "--layout", rows), ("--model", self.folder, "--layout", rows),
                      ("--layout", f"model={model},{rows}"), ("--layout", f"model={self.folder},{rows}")):
            self.refused(*asked, *typed, saying=("--output", "is the input", "config.json"))
        table.write_text(f"model,seconds,data\n{model},2.0,8\n")
        self.refused(*asked, "--layout", rows, saying=("--output", "is the input", "config.json"))
        self.assertEqual(model.read_bytes(), content)

    def test_what_cannot_be_written_is_found_before_the_work(self):
        slow = ("plan", "llama-3.1-405b", "--gpu", "H100", "--gpus", "1000000000", "--what-if")
        missing = self.folder / "missing" / "report.html"
        for path in (missing, self.folder, "/proc/report.html", self.folder / ("x" * 300)):
            for command in (*self.PAGES, slow):
                done = subprocess.run([program.PROGRAM, *command, "--html", path],
                                      capture_output=True, preexec_fn=keep_short)
                self.assertEqual(done.returncode, INTERNAL, path)
                self.assertIn(b"cannot write", done.stderr)
        done = run("calibrate", "no-such-log", "-o", missing)
        self.assertEqual(done.returncode, INTERNAL)
        self.assertIn("cannot write", done.stderr)
        if os.geteuid() != 0:
            self.path.write_bytes(self.old)
            self.path.chmod(0o400)
            self.assertEqual(run(*self.PAGES[0], "--html", self.path).returncode, INTERNAL)

    def test_an_assertion_that_cannot_be_read_is_found_before_the_work(self):
        slow = ("plan", "llama-3.1-405b", "--gpu", "H100", "--gpus", "1000000000", "--what-if")
        for text in ("", "mfu", "mfu >", "mfu => 1", "mfu > fast", "mfu < inf", "a..b > 1", ".a > 1",
                     "a. > 1", "a[x] == 1", "a[1 == 1", "a[1]b == 1", "a]b == 1", "[0] == 1"):
            done = subprocess.run([program.PROGRAM, *slow, "--assert", text, "--html", self.path],
                                  capture_output=True, preexec_fn=keep_short)
            self.assertEqual(done.returncode, program.USAGE, text)
            self.assertIn(b"--assert", done.stderr)
        self.assertEqual(os.listdir(self.folder), [])


program.main()
