"""docs/schema/answer_*.json take what the commands of the pages print with --json."""
import json
import pathlib
import re
import shlex
import sys
import tempfile

import program

ROOT = pathlib.Path(__file__).resolve().parents[2]

sys.path.insert(0, str(ROOT / "tools"))
import check_pages  # noqa: E402

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(0)

# Options that print something else, and shells' words that join commands.
OTHER = re.compile(r"--(json|csv|html|emit|markdown|help|version|fields|output|o|matrix)\b|-o |[|<>;&]")
QUESTIONS = {"plan", "fit", "scale", "model", "queue", "place", "formula", "catalog", "explain",
             "calibrate", "collective"}


def commands(page):
    """The commands of a page's console blocks, a line each."""
    lines = page.read_text().splitlines()
    for start, line in enumerate(lines):
        if line == check_pages.CONSOLE:
            for command, _ in check_pages.commands_of(lines[start + 1:check_pages.end_of_fence(lines, start)]):
                yield "\n".join(command)[2:].replace("\\\n", " ")


def schemas():
    for path in (ROOT / "docs/schema").glob("answer_*.json"):
        yield path.stem.removeprefix("answer_"), jsonschema.Draft202012Validator(json.loads(path.read_text()))


VALIDATORS = dict(schemas())
seen = {}
for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
    if page.name in check_pages.GENERATED:
        continue
    with tempfile.TemporaryDirectory() as folder:
        check_pages.folder_of_commands(ROOT, pathlib.Path(program.PROGRAM).resolve(), pathlib.Path(folder))
        for command in commands(page):
            words = shlex.split(command, comments=True)
            question = words[1] if len(words) > 1 else ""
            if words[0] not in ("gpuplan", "./run") or question not in QUESTIONS or OTHER.search(command):
                check_pages.run(command, folder)  # later commands may read what it writes
                continue
            code, lines = check_pages.run(f"{command} --json 2>/dev/null", folder)
            if code == program.USAGE:
                continue  # a page may show what is refused
            answer = json.loads("\n".join(lines))
            errors = [f"{error.json_path}: {error.message[:200]}"
                      for error in VALIDATORS[question].iter_errors(answer)]
            assert not errors, f"{page.name}: {command}: {errors[:5]}"
            seen[question] = seen.get(question, 0) + 1

assert sum(seen.values()) > 20 and len(seen) > 7, seen
