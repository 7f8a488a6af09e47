"""gpuplan place, from outside."""
import json
import pathlib
import tempfile

import program
from program import ASSERT_FAILED, DONE, INFEASIBLE, USAGE, run

NODES = "sn,cpu_milli,memory_mib,gpu,model\na,96000,393216,8,G2\nb,32000,131072,4,T4\n"
JOBS = ("name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,creation_time,deletion_time\n"
        "j0,8000,16384,4,1000,,LS,0,100\n"
        "j1,8000,16384,4,1000,,BE,1,50\n"
        "j2,1000,1024,1,500,T4,LS,2,90\n"
        "j3,1000,1024,8,1000,,BE,60,200\n"
        "j4,1000,1024,2,1000,A100,BE,70,80\n")
POLICIES = ("first-fit", "random", "best-fit", "worst-fit", "dot-product", "tetris", "norm",
            "gpu-packing", "fgd")


class Place(program.ProgramTest):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.nodes = self.file("nodes.csv", NODES)
        self.jobs = self.file("jobs.csv", JOBS)

    def tearDown(self):
        self.folder.cleanup()

    def file(self, name, text):
        path = pathlib.Path(self.folder.name) / name
        path.write_text(text)
        return str(path)

    def place(self, *options, nodes=None, jobs=None):
        return run("place", "--nodes", nodes or self.nodes, "--jobs", jobs or self.jobs, *options)

    def answer_of(self, *options, **files):
        done = self.place(*options, "--json", **files)
        self.assertEqual((done.returncode, done.stderr), (DONE, ""), done.stderr)
        self.assertNotIn("NaN", done.stdout)
        return json.loads(done.stdout)

    def test_a_batch_by_hand(self):
        one = self.answer_of("--policy", "best-fit", "--list", "--matrix")["policies"][0]
        # The first four GPUs fill node b; j1 goes to a; j2 wants a T4, of which none is left.
        self.assertEqual(one["node_of_job"], [1, 0, None, None, None])
        self.assertEqual(one["placed_gpus"], 8)
        self.assertEqual(one["asked_gpus"], 18.5)
        self.assertAlmostEqual(one["allocation"], 8 / 12)
        self.assertEqual(one["refused"], {"no_node_large_enough": 1, "no_cores": 0, "no_memory": 0,
                                          "no_gpus": 2})
        self.assertEqual(one["free"]["whole_gpus"], 4)
        self.assertEqual(one["violations"]["nodes_beyond_capacity"], 0)
        self.assertEqual(one["utilization_matrix"][1], [1, 0.25, 0.125])
        self.assertEqual(one["utilization"][0]["gpus"], 0.5)

    def test_jobs_that_leave_make_room(self):
        one = self.answer_of("--leave", "--policy", "best-fit", "--columns",
                             "user=qos")["policies"][0]
        self.assertEqual(one["placed"], 3)  # node a is whole again when j3 comes
        self.assertIsNone(one["allocation"])
        # From 0 to 70 s: 4 GPUs of j0, 4 of j1 for 49 s, 8 of j3 for 10 s; of 12.
        self.assertAlmostEqual(one["utilization_over_time"], (280 + 196 + 80) / (70 * 12))
        # LS got 4 of 4.5, BE 12 of 14.
        parts = (4 / 4.5, 12 / 14)
        self.assertAlmostEqual(one["fairness"], sum(parts) ** 2 / 2 / sum(x * x for x in parts))

    def test_every_policy_keeps_to_what_there_is(self):
        answer = self.answer_of("--policy", "all")
        self.assertEqual(tuple(one["policy"] for one in answer["policies"]), POLICIES)
        for one in answer["policies"]:
            self.assertEqual(one["violations"]["nodes_beyond_capacity"], 0)
            self.assertLessEqual(one["placed_gpus"], one["pool_gpus"])
            self.assertEqual(one["placed"] + sum(one["refused"].values()), one["jobs"])

    def test_the_order_matters_and_moves_make_room(self):
        first = self.answer_of("--order", "largest-first", "--policy", "best-fit", "--list")
        self.assertEqual(first["policies"][0]["node_of_job"][3], 0)
        nodes = self.file("n.csv", "gpu,cpu_milli\n4,9\n4,9\n")
        jobs = self.file("j.csv", "num_gpu\n1\n1\n")
        one = self.answer_of("--policy", "worst-fit", "--gang", "4", "--migrations", "1",
                             nodes=nodes, jobs=jobs)["policies"][0]
        self.assertEqual(one["migrations"], {"moved": 1, "gangs_before": 0, "gangs_after": 1})

    def test_orders_by_priority_and_slack_read_their_columns(self):
        nodes = self.file("n.csv", "gpu,cpu_milli\n1,9\n")
        jobs = self.file("j.csv", "num_gpu,p,due,creation_time,deletion_time\n"
                                  "1,0,90,0,10\n1,5,95,0,20\n1,1,80,0,1\n")
        for order, columns, taken in (("arrival", "priority=p", 0), ("priority", "priority=p", 1),
                                      ("least-slack", "deadline=due", 1),
                                      ("shortest-first", "deadline=due", 2)):
            one = self.answer_of("--order", order, "--columns", columns, "--list",
                                 nodes=nodes, jobs=jobs)["policies"][0]
            self.assertEqual(one["node_of_job"], [0 if j == taken else None for j in range(3)])

    def test_many_users_are_no_wait(self):
        jobs = self.file("j.csv", "num_gpu,user\n" + "".join(f"0,u{i}\n" for i in range(150000)))
        done = self.place("--json", jobs=jobs)
        self.assertEqual(done.returncode, DONE)
        self.assertEqual(json.loads(done.stdout)["faulty_rows"]["jobs"], 50000)

    def test_people_see_a_table(self):
        done = self.place("--policy", "fgd,random", "--migrations", "5")
        self.assertEqual((done.returncode, done.stderr), (DONE, ""))
        for words in ("5 jobs on 2 nodes with 12 GPUs", "fgd", "random", "allocated", "G2", "T4",
                      "no node is large enough"):
            self.assertIn(words, done.stdout)

    def test_options_without_effect_are_refused(self):
        for options, words in ((("--list",), "--list has no effect without --json"),
                               (("--matrix",), "--matrix has no effect without --json"),
                               (("--seed", "5"), "--seed has no effect"),
                               (("--policy", "fgd,best-fit", "--seed", "5"), "--seed has no effect"),
                               (("--policy", "fgd,fgd"), "--policy: fgd is named twice"),
                               (("--policy", "fgd,FGD"), "--policy: fgd is named twice")):
            done = self.place(*options)
            self.assertEqual((done.returncode, done.stdout), (USAGE, ""), options)
            self.assertIn(words, done.stderr)
        for options in (("--policy", "all", "--seed", "5"), ("--ties", "random", "--seed", "5"),
                        ("--list", "--assert", "policies[0].node_of_job[0] >= 0")):
            self.assertEqual(self.place(*options).returncode, DONE, options)

    def test_it_repeats_with_its_seed(self):
        same = [self.place("--policy", "random", "--seed", "5", "--json").stdout for _ in "12"]
        self.assertEqual(*same)

    def test_rows_that_are_none_are_said_by_line(self):
        jobs = self.file("bad.csv", "num_gpu,cpu_milli\n1,1000\n17,1\nx,1\n1\n1,1000\n")
        done = self.place(jobs=jobs)
        self.assertEqual(done.returncode, DONE)
        self.assertEqual(done.stderr.count("\n"), 3)
        self.assertIn("line 3: num_gpu '17' is too large", done.stderr)

    def test_nothing_placed_is_an_answer(self):
        jobs = self.file("large.csv", "num_gpu\n9\n")
        self.assertEqual(self.place(jobs=jobs).returncode, INFEASIBLE)
        self.assertEqual(self.place("--assert", "policies[0].placed > 9").returncode,
                         ASSERT_FAILED)

    def test_what_cannot_be_used_is_refused_in_one_line(self):
        empty = self.file("empty.csv", "")
        other = self.file("other.csv", "a,b\n1,2\n")
        plain = self.file("plain.csv", "num_gpu\n1\n")
        for options, files, words in (
                ((), {"nodes": "/no/such"}, "no such file"),
                ((), {"nodes": self.folder.name}, "directory"),
                ((), {"nodes": empty}, "no node"),
                ((), {"jobs": empty}, "no job"),
                ((), {"jobs": other}, "num_gpu is not a column"),
                (("--policy", "bestfit2"), {}, "--policy must be one of"),
                (("--policy", "fgd,,"), {}, "--policy"),
                (("--order", "x"), {}, "--order"),
                (("--order", "largest-first", "--leave"), {}, "--order"),
                (("--ties", "last"), {}, "--ties"),
                (("--gang", "0"), {}, "--gang"), (("--gang", "17"), {}, "--gang"),
                (("--migrations", "-1"), {}, "--migrations"),
                (("--seed", "x"), {}, "--seed"),
                (("--order", "least-attained"), {}, "--order"),
                (("--order", "priority"), {}, "--columns priority="),
                (("--order", "least-slack"), {}, "--columns deadline="),
                (("--leave",), {"jobs": plain}, "--columns departure="),
                (("--order", "shortest-first"), {"jobs": plain}, "--columns departure="),
                (("--columns", "share=gpu_mili"), {}, "gpu_mili is not a column"),
                (("--node-columns", "type=modl"), {}, "modl is not a column"),
                (("--columns", "gpu=N"), {}, "--columns"),
                (("--node-columns", "gpus="), {}, "--node-columns")):
            with self.subTest(options=options, files=files):
                done = self.place(*options, **files)
                self.assertEqual((done.returncode, done.stdout), (USAGE, ""), done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn(words, done.stderr)
        self.assertEqual(run("place", "--nodes", "-", "--jobs", "-").returncode, USAGE)
        self.assertEqual(run("place", "--jobs", self.jobs).returncode, USAGE)


program.main()
