#!/usr/bin/env python3
"""Answers millions of requests of `gpuplan evaluate` in shards: on this machine, in a Slurm job
array, or in any engine that pipes text.

    sweep.py grid model=llama-3-8b,gpt3-175b parallelism.tensor=1,2,4,8 >requests.jsonl
    sweep.py split requests.jsonl FOLDER --shards 100
    sweep.py local FOLDER --jobs 8                answers what is missing on this machine, or
    sweep.py submit FOLDER -- --partition=cpu     has Slurm do so: a job array of what is missing
    sweep.py missing FOLDER                       what is still to be answered, as sbatch says it
    sweep.py merge FOLDER answers.jsonl           refuses gaps and duplicates
    sweep.py pipe <keyed.tsv                      KEY<tab>REQUEST in, KEY<tab>ANSWER out

A shard's answers and its completion marker appear together, by the renaming of a folder: a shard
that is lost leaves nothing that counts, and one that is answered is not answered again. Needs
Python 3.9 and nothing else; the folder must be one that all nodes see.
"""
import argparse
import concurrent.futures
import contextlib
import hashlib
import itertools
import json
import os
import pathlib
import re
import shlex
import shutil
import socket
import subprocess
import sys

MANIFEST = "sweep.json"
MARKER = "done.json"
ANSWERS = "answers.jsonl"
LINE = re.compile(rb'"line":(\d+)')
BLOCK = 1 << 20


class Refusal(Exception):
    """What is wrong with what was asked, in one line."""


def refuse_unless(holds, why):
    if not holds:
        raise Refusal(why)


# ---- requests -------------------------------------------------------------------------------

def value_of(word):
    """A number, true, false or null of JSON; anything else is a name."""
    try:
        return json.loads(word)
    except ValueError:
        return word


def grid(axes):
    """The cross product of KEY=VALUE,VALUE...: requests, the last key changing first."""
    keys, values = [], []
    for axis in axes:
        key, equals, words = axis.partition("=")
        refuse_unless(equals and key and words, f"{axis!r} must be KEY=VALUE,VALUE...")
        refuse_unless(key not in keys, f"{key} is given twice")
        refuse_unless(not any(key.startswith(one + ".") or one.startswith(key + ".")
                              for one in keys), f"{key} is given as a whole and by its parts")
        keys.append(key)
        values.append([value_of(word) for word in words.split(",")])
    for chosen in itertools.product(*values):
        request = {}
        for key, value in zip(keys, chosen):
            *folders, last = key.split(".")
            place = request
            for folder in folders:
                place = place.setdefault(folder, {})
            place[last] = value
        yield request


# ---- a folder of shards ---------------------------------------------------------------------

def digest(path):
    hashed = hashlib.sha256()
    with open(path, "rb") as file:
        while part := file.read(BLOCK):
            hashed.update(part)
    return hashed.hexdigest()


def write_whole(path, text):
    """Beside, then renamed: a reader sees all of it, or none."""
    beside = path.with_name(f"{path.name}.part-{socket.gethostname()}-{os.getpid()}")
    with open(beside, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)


def split(requests, folder, shards):
    """Cuts requests into shards of whole lines, as equal as can be; the manifest comes last."""
    refuse_unless(shards >= 1, f"--shards must be at least 1, not {shards}")
    refuse_unless(not (folder / MANIFEST).exists(), f"{folder} holds a sweep already")
    with open(requests, "rb") as file:
        lines = sum(1 for _ in file)
    refuse_unless(lines > 0, f"{requests} has no line")
    shards = min(shards, lines)
    (folder / "requests").mkdir(parents=True, exist_ok=True)
    parts, first = [], 1
    with open(requests, "rb") as file:
        for index in range(shards):
            count = lines * (index + 1) // shards - lines * index // shards
            path = folder / "requests" / f"{index:06}.jsonl"
            asked = 0
            with open(path, "wb") as part:
                for line in itertools.islice(file, count):
                    part.write(line if line.endswith(b"\n") else line + b"\n")
                    asked += bool(line.strip(b" \t\r\n"))
            parts.append({"first_line": first, "lines": count, "requests": asked,
                          "sha256": digest(path)})
            first += count
    whole = {"lines": lines, "shards": parts}
    write_whole(folder / MANIFEST, json.dumps(whole, indent=1) + "\n")
    return whole


def manifest_of(folder):
    try:
        return json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except OSError:
        raise Refusal(f"{folder} holds no sweep: sweep.py split makes one") from None


def answered_folder(folder, index):
    return folder / "answers" / f"{index:06}"


def marker_of(folder, index):
    """What the completion marker of a shard says, or None."""
    try:
        return json.loads((answered_folder(folder, index) / MARKER).read_text(encoding="utf-8"))
    except OSError:
        return None


def missing(folder):
    return [index for index in range(len(manifest_of(folder)["shards"]))
            if marker_of(folder, index) is None]


def ranges(indexes):
    """0,2-5: as sbatch --array takes them."""
    words = []
    for _, group in itertools.groupby(enumerate(indexes), lambda pair: pair[1] - pair[0]):
        run = [index for _, index in group]
        words.append(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}")
    return ",".join(words)


# ---- answers --------------------------------------------------------------------------------

def picked(answer, keep):
    """The members of an answer named by keep; of a refused request, and within what is null, null."""
    few = {"line": answer["line"]}
    if "error" in answer:
        few["error"] = answer["error"]
    for key in keep:
        value = answer
        for name in key.split("."):
            refuse_unless("error" in answer or not isinstance(value, dict) or name in value,
                          f"--keep {key}: answers have no such member")
            value = value.get(name) if isinstance(value, dict) else None
        few[key] = value
    return few


def numbered(line, first, keep):
    """An answer with its line in all the requests, in the place of that in its shard."""
    found = LINE.search(line)
    refuse_unless(found, f"gpuplan printed what is no answer: {line[:80]!r}")
    number = int(found[1]) + first - 1
    if keep:
        answer = json.loads(line)
        answer["line"] = number
        return number, json.dumps(picked(answer, keep), separators=(",", ":")).encode() + b"\n"
    return number, line[:found.start(1)] + str(number).encode() + line[found.end(1):]


def version_of(command):
    try:
        done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as why:
        raise Refusal(f"{shlex.join(command)} does not run: {why}") from None
    return done.stdout.strip()


@contextlib.contextmanager
def evaluating(command, options, stdin):
    """gpuplan evaluate while it runs. It ends with 2 where a request is refused, which is an
    answer."""
    process = subprocess.Popen([*command, "evaluate", *options], stdin=stdin,
                               stdout=subprocess.PIPE)
    try:
        yield process
    except BaseException:
        process.kill()
        raise
    finally:
        process.stdout.close()
        code = process.wait()
    refuse_unless(code in (0, 2), f"gpuplan evaluate ended with {code}")


def answer_shard(folder, index, command, options=(), keep=()):
    """Answers a shard, unless that is done. True where this call did it."""
    shards = manifest_of(folder)["shards"]
    refuse_unless(0 <= index < len(shards), f"there is no shard {index}, 0 to {len(shards) - 1}")
    if marker_of(folder, index) is not None:
        return False
    shard = shards[index]
    requests = folder / "requests" / f"{index:06}.jsonl"
    refuse_unless(digest(requests) == shard["sha256"], f"{requests} has changed since the split")
    final = answered_folder(folder, index)
    own = final.with_name(f"{final.name}.part-{socket.gethostname()}-{os.getpid()}")
    shutil.rmtree(own, ignore_errors=True)
    own.mkdir(parents=True)
    try:
        marker = {"shard": index, "version": version_of(command), "options": list(options),
                  "keep": list(keep)}
        marker.update(write_answers(own / ANSWERS, requests, shard, command, options, keep))
        write_whole(own / MARKER, json.dumps(marker) + "\n")
        return take_place(own, final)
    finally:
        shutil.rmtree(own, ignore_errors=True)


def write_answers(path, requests, shard, command, options, keep):
    hashed, count, last = hashlib.sha256(), 0, shard["first_line"] - 1
    with open(requests, "rb") as asked, open(path, "wb") as file:
        with evaluating(command, options, asked) as process:
            for line in process.stdout:
                number, line = numbered(line, shard["first_line"], keep)
                refuse_unless(number > last, f"line {number} is answered twice")
                file.write(line)
                hashed.update(line)
                count, last = count + 1, number
        file.flush()
        os.fsync(file.fileno())
    refuse_unless(count == shard["requests"],
                  f"{count} of {shard['requests']} requests are answered: {requests}")
    return {"answers": count, "sha256": hashed.hexdigest()}


def take_place(own, final):
    """Renames a folder to its final name: of several that answer a shard at once, one succeeds."""
    try:
        os.rename(own, final)
        return True
    except OSError:
        if (final / MARKER).exists():
            return False
        raise


def merge(folder, path):
    """Writes the answers of all shards in the order of the requests, after looking at each."""
    shards = manifest_of(folder)["shards"]
    absent = missing(folder)
    refuse_unless(not absent, f"{len(absent)} of {len(shards)} shards are missing: "
                              f"{ranges(absent)}; run local or submit again")
    markers = [marker_of(folder, index) for index in range(len(shards))]
    for key in ("version", "options", "keep"):
        kinds = {json.dumps(marker[key]) for marker in markers}
        refuse_unless(len(kinds) == 1, f"shards differ in {key}: {', '.join(sorted(kinds))}")
    beside = path.with_name(path.name + ".part")
    try:
        with open(beside, "wb") as out:
            for index, (shard, marker) in enumerate(zip(shards, markers)):
                append_answers(answered_folder(folder, index) / ANSWERS, shard, marker, out)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
    return sum(shard["requests"] for shard in shards)


def append_answers(path, shard, marker, out):
    """The answers of a shard, if they are those of its lines, each once, and as they were."""
    hashed, count, last = hashlib.sha256(), 0, shard["first_line"] - 1
    with open(path, "rb") as file:
        for line in file:
            found = LINE.search(line)
            number = int(found[1]) if found else 0
            refuse_unless(last < number < shard["first_line"] + shard["lines"],
                          f"{path}: an answer to line {number} after that to line {last}")
            hashed.update(line)
            out.write(line)
            count, last = count + 1, number
    refuse_unless(count == shard["requests"],
                  f"{path} has {count} answers, and {shard['requests']} were asked for")
    refuse_unless(hashed.hexdigest() == marker["sha256"],
                  f"{path} has changed since it was answered")


# ---- where shards run -----------------------------------------------------------------------

def local(folder, jobs, shard_words):
    """A process for each missing shard, some at once."""
    def run(index):
        return subprocess.run([sys.executable, __file__, "shard", str(folder), str(index),
                               *shard_words]).returncode
    absent = missing(folder)
    with concurrent.futures.ThreadPoolExecutor(max(1, jobs)) as pool:
        codes = list(pool.map(run, absent))
    lost = [index for index, code in zip(absent, codes) if code != 0]
    refuse_unless(not lost, f"shards {ranges(lost)} are not answered; run local again")


def name_of_job(folder):
    return "gpuplan-sweep-" + digest(folder / MANIFEST)[:12]


def active(folder):
    """Shards that Slurm holds already, waiting or running."""
    done = subprocess.run(["squeue", "--noheader", "--array", f"--name={name_of_job(folder)}",
                           "--format=%K"], capture_output=True, text=True)
    refuse_unless(done.returncode == 0, f"squeue: {done.stderr.strip()}")
    return {int(word) for word in done.stdout.split() if word.isdecimal()}


def submit(folder, at_once, shard_words, sbatch_words):
    """Submits an array of the shards that are neither answered nor in the queue."""
    absent = missing(folder)
    if not absent:
        print("nothing to submit: all shards are answered")
        return
    held = active(folder)
    wanted = [index for index in absent if index not in held]
    if not wanted:
        print(f"nothing to submit: {len(absent)} shards are missing, and in the queue")
        return
    array = ranges(wanted) + (f"%{at_once}" if at_once else "")
    script = shlex.join([sys.executable, str(pathlib.Path(__file__).resolve()), "shard",
                         str(folder)]) + ' "$SLURM_ARRAY_TASK_ID" ' + shlex.join(shard_words)
    (folder / "logs").mkdir(exist_ok=True)
    done = subprocess.run(["sbatch", f"--array={array}", f"--job-name={name_of_job(folder)}",
                           f"--output={folder}/logs/%A_%a.txt", "--requeue", *sbatch_words],
                          input=f"#!/bin/sh\nexec {script}\n", text=True, capture_output=True)
    refuse_unless(done.returncode == 0, f"sbatch: {done.stderr.strip()}")
    print(f"{done.stdout.strip()}: shards {ranges(wanted)}")


def pipe(command, options, keep, source, out):
    """KEY<tab>REQUEST a line in, KEY<tab>ANSWER out, in their order, `line` left out."""
    process = subprocess.Popen([*command, "evaluate", *options], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE)
    keys = []

    def feed():
        with process.stdin as sink:
            for line in source:
                key, tab, request = line.partition(b"\t")
                if not line.strip():
                    continue
                # A line without a key is answered, too: with what is wrong.
                keys.append(key if tab else b"")
                sink.write((request if tab else line).strip() + b"\n")
    count = 0
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        fed = pool.submit(feed)
        for line in process.stdout:
            answer = json.loads(line)
            few = picked(answer, keep) if keep else answer
            refuse_unless(few.pop("line") == count + 1, "an answer is missing")
            out.write(keys[count] + b"\t" + json.dumps(few, separators=(",", ":")).encode()
                      + b"\n")
            count += 1
        fed.result()
    refuse_unless(process.wait() in (0, 2), f"gpuplan evaluate ended with {process.returncode}")
    refuse_unless(count == len(keys), "an answer is missing")


# ---- the command line -----------------------------------------------------------------------

def with_program(parser):
    parser.add_argument("--gpuplan", default="gpuplan", help="the program, or its command line")
    parser.add_argument("--keep", default="", metavar="KEY,KEY",
                        help="members of the answers to keep, as fits,step_time_s,"
                             "memory.worst_stage_bytes; all by default")
    parser.add_argument("--level", help="as of gpuplan evaluate")
    parser.add_argument("--profile", help="as of gpuplan evaluate")
    return parser


def parser():
    whole = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parts = whole.add_subparsers(dest="what", required=True, metavar="WHAT")
    part = parts.add_parser("grid", help="print requests: the cross product of values")
    part.add_argument("axes", nargs="+", metavar="KEY=VALUE,VALUE")
    part = parts.add_parser("split", help="cut requests into shards")
    part.add_argument("requests", type=pathlib.Path)
    part.add_argument("folder", type=pathlib.Path)
    part.add_argument("--shards", type=int, default=100)
    part = with_program(parts.add_parser("shard", help="answer one shard"))
    part.add_argument("folder", type=pathlib.Path)
    part.add_argument("index", type=int)
    part = with_program(parts.add_parser("local", help="answer what is missing, here"))
    part.add_argument("folder", type=pathlib.Path)
    part.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    part = with_program(parts.add_parser("submit", help="have Slurm answer what is missing"))
    part.add_argument("folder", type=pathlib.Path)
    part.add_argument("--at-once", type=int, help="tasks that may run at the same time")
    part.add_argument("sbatch", nargs="*", metavar="-- OPTIONS OF SBATCH")
    part = parts.add_parser("missing", help="print which shards are missing")
    part.add_argument("folder", type=pathlib.Path)
    part = parts.add_parser("merge", help="write all answers to a file")
    part.add_argument("folder", type=pathlib.Path)
    part.add_argument("answers", type=pathlib.Path)
    with_program(parts.add_parser("pipe", help="answer keyed lines"))
    return whole


def run(asked):
    out = sys.stdout.buffer
    if asked.what == "grid":
        for request in grid(asked.axes):
            out.write(json.dumps(request).encode() + b"\n")
        return
    if "gpuplan" in asked:
        command, keep = shlex.split(asked.gpuplan), [key for key in asked.keep.split(",") if key]
        options = [word for name in ("level", "profile") if getattr(asked, name)
                   for word in (f"--{name}", getattr(asked, name))]
        shard_words = ["--gpuplan", asked.gpuplan, *options,
                       *(["--keep", asked.keep] if asked.keep else [])]
    if asked.what == "pipe":
        pipe(command, options, keep, sys.stdin.buffer, out)
        return
    folder = asked.folder.resolve()
    if asked.what == "split":
        whole = split(asked.requests, folder, asked.shards)
        print(f"{whole['lines']:,} lines in {len(whole['shards'])} shards")
    elif asked.what == "shard":
        if not answer_shard(folder, asked.index, command, options, keep):
            print(f"shard {asked.index} is answered already", file=sys.stderr)
    elif asked.what == "local":
        local(folder, asked.jobs, shard_words)
    elif asked.what == "submit":
        submit(folder, asked.at_once, shard_words, asked.sbatch)
    elif asked.what == "missing":
        print(ranges(missing(folder)))
    elif asked.what == "merge":
        print(f"{merge(folder, asked.answers):,} answers in {asked.answers}")
    out.flush()


def main():
    try:
        run(parser().parse_args())
    except (Refusal, OSError) as why:
        print(f"sweep.py: {why}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
