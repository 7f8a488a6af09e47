#!/usr/bin/env python3
"""check_subjects.py notices a long subject, whole clone or shallow, and leaves older ones alone."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop(1)

LONG = "x" * 73
BASE_TIME = 1_000_000_000


class Subjects(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.tree = pathlib.Path(self.folder.name) / "tree"
        self.time = BASE_TIME - 100
        self.git("init", "-q", self.tree, tree=self.folder.name)
        self.commit("old " + LONG)
        self.time = BASE_TIME
        self.base = self.commit("The base " + LONG)

    def git(self, *arguments, tree=None):
        who = {f"GIT_{role}_{field}": value for role in ["AUTHOR", "COMMITTER"]
               for field, value in [("NAME", "A"), ("EMAIL", "a@example.org"),
                                    ("DATE", f"{self.time} +0000")]}
        done = subprocess.run(["git", "-C", tree or self.tree, *arguments], check=True,
                              env=os.environ | who, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, subject):
        self.git("commit", "-q", "--allow-empty", "-m", subject)
        self.time += 100
        return self.git("rev-parse", "HEAD")

    def check(self, tree=None):
        done = subprocess.run([sys.executable, SCRIPT, tree or self.tree, "--after", self.base,
                               "--since", str(BASE_TIME)], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def shallow(self, depth):
        clone = pathlib.Path(self.folder.name) / "clone"
        self.git("clone", "-q", "--depth", str(depth), self.tree.as_uri(), clone,
                 tree=self.folder.name)
        return clone

    def test_older_commits_may_be_long(self):
        code, said = self.check()
        self.assertEqual(code, 0, said)
        self.assertIn("0 checked", said)

    def test_72_characters_pass_and_73_fail(self):
        self.commit("x" * 72)
        code, said = self.check()
        self.assertEqual(code, 0, said)
        self.assertIn("1 checked", said)
        self.commit(LONG)
        self.commit("Short again")
        code, said = self.check()
        self.assertEqual(code, 1, said)
        self.assertIn("73 characters", said)
        self.assertIn(LONG, said)

    def test_a_shallow_clone_is_checked_too(self):
        self.commit("Short")
        code, said = self.check(self.shallow(1))
        self.assertEqual(code, 0, said)
        self.assertIn("1 checked", said)

    def test_a_long_subject_fails_in_a_shallow_clone(self):
        self.commit(LONG)
        code, said = self.check(self.shallow(1))
        self.assertEqual(code, 1, said)

    def test_a_shallow_clone_of_older_commits_passes(self):
        code, said = self.check(self.shallow(2))
        self.assertEqual(code, 0, said)

    def test_what_is_no_repository_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            code, said = self.check(folder)
        self.assertEqual(code, 1, said)
        self.assertIn("no commits", said)


if __name__ == "__main__":
    unittest.main()
