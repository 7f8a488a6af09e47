"""What the program prints for the questions of the corpus."""
import json
import os
import pathlib
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

SAYS = "gpuplan: "


def run(program, words, folder, stdin=""):
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    return subprocess.run([program, *words], input=stdin, capture_output=True, text=True, cwd=folder,
                          env=environment, timeout=300)


def of_words(program, words, folder):
    """The exit code, and the answer; of a refusal the line that says why."""
    done = run(program, words, folder)
    if done.returncode in (0, 4):
        return done.returncode, done.stdout
    said = done.stderr.removesuffix("\n")
    return done.returncode, said.removeprefix(SAYS) if said.startswith(SAYS) else said


def of_line(line, number):
    """Likewise of a line of evaluate, as if it were the first."""
    answer = json.loads(line)
    if "error" in answer:
        return 2, answer["error"]["what"]
    begin, rest = f'{{"schema_version":1,"line":{number},', f'{{"schema_version":1,"line":1,'
    if not line.startswith(begin):
        raise AssertionError(f"a line of evaluate begins otherwise: {line[:60]}")
    return 0 if answer["fits"] else 4, rest + line[len(begin):] + "\n"


def printed(program, asked, files):
    """Of pairs of words and request; where words are None the request is a line of evaluate."""
    lines = [request for words, request in asked if words is None]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as both:
        for name, text in files.items():
            (pathlib.Path(folder) / name).write_text(text, encoding="utf-8")
        results = [words and both.submit(of_words, program, words, folder) for words, _ in asked]
        done = run(program, ["evaluate"], folder, "".join(
            json.dumps({key: value for key, value in one.items() if key != "question"}) + "\n"
            for one in lines))
        answers = [of_line(line, i + 1) for i, line in enumerate(done.stdout.splitlines())]
        if len(answers) != len(lines):
            raise AssertionError(f"{len(answers)} answers to {len(lines)} lines")
        rest = iter(answers)
        return [next(rest) if one is None else one.result() for one in results]
