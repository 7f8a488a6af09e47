#!/usr/bin/env python3
"""Fail if the subject of a commit is longer than 72 characters.

    check_subjects.py SOURCE_TREE [--after COMMIT --since SECONDS]

Commits up to COMMIT are not checked: they are older than the rule.  A shallow clone may not hold
COMMIT; then every commit that it holds is checked which was made after SECONDS, COMMIT's time.
"""
import argparse
import subprocess
import sys

LONGEST = 72
AFTER = "05be56e153e3ecf9bbf194c864c4459a7c5e5635"
SINCE = 1795368603


def git(tree, *arguments):
    """What git prints, or nothing where it fails."""
    done = subprocess.run(["git", "-C", tree, *arguments], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def commits(tree, after, since):
    """Hash, time and subject of the commits to check."""
    ancestor = git(tree, "merge-base", "--is-ancestor", after, "HEAD") is not None
    if ancestor:
        log = git(tree, "log", "--format=%h %ct %s", f"{after}..HEAD")
        return [line.split(" ", 2) for line in log.splitlines()]
    log = git(tree, "log", "--format=%h %ct %s", "HEAD")
    return [line for line in (line.split(" ", 2) for line in log.splitlines())
            if int(line[1]) > since]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("tree")
    arguments.add_argument("--after", default=AFTER)
    arguments.add_argument("--since", type=int, default=SINCE)
    given = arguments.parse_args()

    if git(given.tree, "rev-parse", "HEAD") is None:
        sys.exit(f"{given.tree}: git finds no commits here")
    checked = commits(given.tree, given.after, given.since)
    long = [(name, subject) for name, _, subject in checked if len(subject) > LONGEST]
    for name, subject in long:
        print(f"{name}: {len(subject)} characters, {LONGEST} is the limit: {subject}")
    if long:
        sys.exit(1)
    print(f"subjects ok: {len(checked)} checked")


if __name__ == "__main__":
    main()
