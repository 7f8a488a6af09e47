"""gpuplan place, from outside."""
import csv
import json
import math
import pathlib
import tempfile

import program
from program import ASSERT_FAILED, DONE, INFEASIBLE, USAGE, run

DATA = pathlib.Path(__file__).resolve().parents[2] / "docs" / "data"
NODES = "sn,cpu_milli,memory_mib,gpu,model\na,96000,393216,8,G2\nb,32000,131072,4,T4\n"
JOBS = ("name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,creation_time,deletion_time\n"
        "j0,8000,16384,4,1000,,LS,0,100\n"
        "j1,8000,16384,4,1000,,BE,1,50\n"
        "j2,1000,1024,1,500,T4,LS,2,90\n"
        "j3,1000,1024,8,1000,,BE,60,200\n"
        "j4,1000,1024,2,1000,A100,BE,70,80\n")
POLICIES = ("first-fit", "random", "best-fit", "worst-fit", "dot-product", "tetris", "norm",
            "gpu-packing", "fgd", "framework")


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
        self.assertEqual(one["refused"], {"no_node_large_enough": 0, "no_node_of_type": 1,
                                          "no_cores": 0, "no_memory": 0, "no_gpus": 2})
        self.assertEqual(one["violations"]["jobs_that_fit_no_node"], 1)
        self.assertEqual(one["free"]["whole_gpus"], 4)
        self.assertEqual(one["violations"]["nodes_beyond_capacity"], 0)
        # Parts of GPUs, memory, cores; nothing is said of the network.
        self.assertEqual(one["utilization_matrix"][1], [1, 0.125, 0.25, None])
        self.assertEqual(one["utilization"][0]["gpus"], 0.5)

    def test_nodes_are_named_where_the_table_names_them(self):
        named = ("--node-columns", "name=sn")
        for shown in ("--list", "--matrix"):
            self.assertEqual(self.answer_of(shown, *named)["node_names"], ["a", "b"])
            self.assertIsNone(self.answer_of(shown)["node_names"])
        some = self.file("some.csv", NODES.replace("\na,", "\n,"))
        self.assertEqual(self.answer_of("--list", *named, nodes=some)["node_names"], [None, "b"])
        self.assertNotIn("node_names", self.answer_of(*named))

    def test_names_with_quotes_go_through_a_table_as_they_are(self):
        for field, name in (('"a ""c"" d"', 'a "c" d'), ('""""""', '""'), ('" a,b "', " a,b "),
                            ('" a"', " a")):
            nodes = self.file("quoted.csv", f"name,gpu,cpu_milli\n{field},8,64000\nb,8,64000\n")
            table = pathlib.Path(self.folder.name) / "use.csv"
            answer = self.answer_of("--csv", table, "--matrix", nodes=nodes,
                                    jobs=self.file("one.csv", "num_gpu\n1\n"))
            self.assertIn(name, json.dumps(answer, ensure_ascii=False).replace('\\"', '"'))
            with open(table, newline="", encoding="utf-8") as rows:
                names = [row["name"] for row in csv.DictReader(rows)]
            self.assertEqual(names, [name, "b"])
            self.assertIn(f"{field},", table.read_text())  # as it was read, so that it stays

    def test_dates_and_seconds_in_one_table_are_refused(self):
        dates = "1,2024-01-01 00:00:00,2024-01-01 01:00:00\n"
        for rows, words in ((dates + "1,10,20\n", ("line 3: creation_time '10' is in seconds",)),
                            (dates * 50 + "1,10,20\n", ("line 52", "dates for all times")),
                            ("1,10,20\n" + dates, ("line 3", "is a date", "in seconds"))):
            jobs = self.file("mix.csv", "num_gpu,creation_time,deletion_time\n" + rows)
            for bad_rows in ((), ("--bad-rows", "100%")):
                self.refused("place", "--nodes", self.nodes, "--jobs", jobs, "--leave", *bad_rows,
                             saying=("mix.csv", *words))

    def test_the_most_gpus_of_a_node_are_said(self):
        large = self.file("large.csv", "num_gpu\n1\n24\n")
        done = self.place(jobs=large)
        self.assertEqual((done.returncode, done.stdout), (USAGE, ""))
        self.assertIn("allowed: 0 to 16, whole: those of one node; a job on several nodes is a row "
                      "for each", done.stderr)
        large = self.file("nodes24.csv", "gpu,cpu_milli\n24,9\n")
        self.assertIn("allowed: 0 to 16, whole: the most GPUs of a node are 16",
                      self.place(nodes=large).stderr)
        self.assertIn("A node has 0 to 16 GPUs", run("place", "--help").stdout)

    def test_two_kinds_of_fairness_have_two_names(self):
        text = self.place("--wait", "in-turn", "--columns", "user=qos", "--aims",
                          "fairness=1").stdout
        titles = [line for line in text.splitlines() if "fairness" in line.split()]
        self.assertEqual(len(titles), 1, text)
        self.assertTrue(titles[0].startswith("aims"))
        self.assertIn("evenness: Jain's index of the part of the GPUs", text)
        self.assertNotIn("evenness:", self.place().stdout)  # of one user

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

    def waiting(self, *options, nodes="gpu,cpu_milli,w\n4,9,500\n", jobs=None):
        """Jobs that wait for the four GPUs of one node, or of other ones."""
        jobs = jobs or ("num_gpu,who,creation_time,deletion_time\n3,a,0,400\n2,b,100,300\n"
                        "1,b,200,300\n")
        return self.answer_of(*options, nodes=self.file("w_n.csv", nodes),
                              jobs=self.file("w_j.csv", jobs))

    def test_jobs_wait_until_they_fit(self):
        for rule, starts in (("in-turn", [0, 400, 400]), ("whoever-fits", [0, 400, 200])):
            one = self.waiting("--wait", rule, "--list")["policies"][0]
            self.assertEqual(one["start_of_job_s"], starts)
            self.assertEqual((one["placed"], one["still_waiting"]), (3, 0))
        for rule, said in (("in-turn", True), ("whoever-fits", False)):
            done = self.place("--wait", rule, "--policy", "first-fit,framework")
            self.assertEqual("in the order of urgency, not in turn" in done.stdout, said)
        blocked = "num_gpu,creation_time,deletion_time\n4,0,\n1,1,2\n1,2,3\n"
        one = self.waiting("--wait", "in-turn", "--list", jobs=blocked)["policies"][0]
        self.assertEqual((one["placed"], one["still_waiting"]), (1, 2))
        self.assertEqual(one["start_of_job_s"], [0, None, None])

    def test_aims_by_hand(self):
        answer = self.waiting("--wait", "in-turn", "--aims",
                              "utilisation=4,wait=3,throughput=1,energy=1,fairness=1", "--policy",
                              "first-fit,best-fit", "--columns", "user=who", "--node-columns",
                              "power=w")
        aims = answer["policies"][0]["aims"]
        self.assertAlmostEqual(aims["mean_wait_s"], (0 + 300 + 200) / 3)
        self.assertAlmostEqual(aims["throughput_per_s"], 3 / 600)
        held = 3 * 400 + 2 * 200 + 1 * 100
        self.assertAlmostEqual(aims["utilization"], held / (4 * 600))
        self.assertAlmostEqual(aims["energy_joules"], 500 * held)
        # a held all that it wanted; b 500 GPU seconds of 2 x 500 and 1 x 300.
        parts = (1, 500 / 1300)
        self.assertAlmostEqual(aims["fairness"], sum(parts) ** 2 / 2 / sum(x * x for x in parts))
        self.assertEqual(answer["aims"]["weights"], {"wait": 0.3, "throughput": 0.1,
                                                     "utilization": 0.4, "energy": 0.1,
                                                     "fairness": 0.1})
        # On one node all policies do the same: nothing tells them apart.
        self.assertEqual([one["aims"]["score"] for one in answer["policies"]], [0, 0])
        self.assertEqual(answer["aims"]["front"], ["first-fit", "best-fit"])
        self.assertEqual(answer["aims"]["unknown"], {})

    def test_the_score_is_the_weighted_sum_of_what_is_normalised(self):
        # worst-fit spreads two jobs of 1 GPU over both nodes, and the job of 4 waits.
        nodes = "gpu,cpu_milli,w\n4,9,100\n4,9,300\n"
        jobs = "num_gpu,creation_time,deletion_time\n1,0,100\n1,1,100\n4,2,52\n"
        answer = self.waiting("--wait", "in-turn", "--policy", "first-fit,worst-fit", "--aims",
                              "wait=1,energy=3", "--node-columns", "power=w", nodes=nodes,
                              jobs=jobs)
        first, worst = (one["aims"] for one in answer["policies"])
        self.assertEqual((first["mean_wait_s"], worst["mean_wait_s"]), (0, 98 / 3))
        self.assertEqual(first["energy_joules"], 100 * 199 + 300 * 200)
        self.assertEqual(worst["energy_joules"], 100 * (100 + 200) + 300 * 99)
        self.assertAlmostEqual(first["score"], 0.75)  # the best wait, the worst energy
        self.assertAlmostEqual(worst["score"], 0.25)
        self.assertEqual((answer["best"], answer["aims"]["best"]), ("worst-fit", "worst-fit"))
        self.assertEqual((first["on_front"], worst["on_front"]), (True, True))

    def test_unknown_aims_are_null_and_said(self):
        answer = self.waiting("--wait", "in-turn", "--aims", "wait=1")
        aims = answer["policies"][0]["aims"]
        self.assertEqual((aims["energy_joules"], aims["fairness"]), (None, None))
        self.assertIsNone(aims["score"])  # of one policy
        self.assertEqual(set(answer["aims"]["unknown"]), {"energy", "fairness"})
        done = self.place("--wait", "in-turn", "--aims", "wait=1", "--policy", "fgd,random")
        self.assertEqual(done.returncode, DONE)
        self.assertIn("energy is unknown: no power is known of GPUs of type 'G2'", done.stdout)
        self.assertIn("Best by the weighted score:", done.stdout)
        # The catalogue knows a T4: 70 W.
        answer = self.waiting("--leave", "--aims", "energy=1", nodes="gpu,cpu_milli,model\n4,9,T4\n")
        self.assertEqual(answer["policies"][0]["aims"]["energy_joules"], 70 * (3 * 400 + 100))
        self.assertIsNone(answer["policies"][0]["aims"]["mean_wait_s"])

    def test_dynamic_weights_follow_the_history_of_each_aim(self):
        # Windows of 100 s. Mean use of the GPU: 1, 0, 1/2; the aims are these with the sign turned.
        # Mean wait of those that start: 0, 0, 20 s. Jobs at the edges of windows are in both.
        jobs = ("num_gpu,creation_time,deletion_time\n1,0,100\n1,150,150\n1,230,260\n"
                "1,240,260\n1,300,301\n")
        nodes = "gpu,cpu_milli\n1,9\n"
        answer = self.waiting("--wait", "in-turn", "--aims", "wait=1,utilization=1", "--weights",
                              "dynamic", "--gamma", "0.5", "--windows", "3", nodes=nodes,
                              jobs=jobs)["aims"]
        self.assertEqual([at["until_s"] for at in answer["weights_over_time"]], [200, 300])
        self.assertEqual(answer["weights_over_time"][0]["weights"]["wait"], 0.5)  # sigma 0
        # Waits had no deviation: the weight stays. Use was -1 and 0, mean -1/2, sigma 1/2, and is
        # -1/2: no lean.
        self.assertAlmostEqual(answer["weights"]["utilization"], 0.5)
        self.assertEqual(answer["base_weights"]["wait"], 0.5)
        less = self.waiting("--wait", "in-turn", "--aims", "throughput=1,utilization=1", "--weights",
                            "dynamic", "--gamma", "0.5", "--windows", "3", nodes=nodes,
                            jobs=jobs.replace("1,240,260", "1,240,290"))["aims"]
        # Ends: 1 and 2 before, mean 3/2, sigma 1/2; 1 now is one sigma worse. Use is now 0.7: 0.4
        # sigma better than its mean.
        use = 1 + 0.5 * (-0.7 + 0.5) / 0.5
        ends = 1 + 0.5 * (-1 + 1.5) / 0.5
        self.assertAlmostEqual(less["weights"]["utilization"], use / (use + ends))

    def test_rules_are_counted_by_name(self):
        nodes = "name,gpu,cpu_milli,net,m\na,4,9,80,1024\nb,4,9,80,1024\n"
        jobs = ("num_gpu,job,data,most,due,net,m,creation_time,deletion_time\n"
                "3,x,a,1,100,10,512,0,50\n3,x,a,1,100,10,512,0,50\n"  # on a and b: 2 nodes, 1 data
                "4,y,,,60,100,2048,10,40\n"  # waits until 50, ends at 80; too much of all
                "1,z,b,,,10,512,10,20\n1,z,b,,,10,512,10,20\n")
        columns = "job=job,data=data,max_nodes=most,deadline=due,network=net,gpu_memory=m"
        one = self.waiting("--wait", "in-turn", "--policy", "first-fit", "--columns", columns,
                           "--locality", "0.8", "--node-columns", "network=net,gpu_memory=m",
                           "--list", "--matrix", nodes=nodes, jobs=jobs)["policies"][0]
        self.assertEqual(one["node_of_job"], [0, 1, 0, 1, 1])
        rules = one["violations"]["rules"]
        self.assertEqual(rules["capacity"], {"broken": 1, "worst_part": 1})  # 8 of 4 GiB
        self.assertEqual(rules["integrity"], {"broken": 0, "worst_gpus": 0})
        self.assertEqual(rules["locality"]["broken"], 1)
        self.assertAlmostEqual(rules["locality"]["worst_nodes"], 0.8 * 2 - 1)
        self.assertEqual(rules["topology"], {"broken": 1, "worst_nodes": 1})
        self.assertEqual(rules["service"], {"broken": 1, "worst_s": 20})
        self.assertEqual(one["memory_of_matrix"], "gpus")
        # At the last arrival, 10 s, the parts of x run: 3 of 4 GPUs and 1.5 of 4 GiB on each.
        self.assertEqual(one["utilization_matrix"], [[0.75, 0.375, 0, 0.125]] * 2)
        # One GPU has 1 GiB free, each of the six taken ones 0.5 GiB.
        self.assertAlmostEqual(one["fragmentation"]["gpu_memory"], 1 - 1 / 5)
        limited = self.waiting("--wait", "in-turn", "--policy", "first-fit", "--columns", "job=job",
                               "--max-nodes", "2", nodes=nodes, jobs=jobs)["policies"][0]
        rules = limited["violations"]["rules"]
        self.assertEqual(rules["topology"]["broken"], 0)
        self.assertIsNone(rules["locality"])
        lost = self.waiting("--leave", "--policy", "first-fit", "--columns", "job=job",
                            nodes=nodes.replace("b,4", "b,2"), jobs=jobs)["policies"][0]
        # The second part of x finds no node.
        self.assertEqual(lost["violations"]["rules"]["integrity"], {"broken": 1, "worst_gpus": 3})

    def test_use_over_time_and_gaps_by_hand(self):
        jobs = "num_gpu,creation_time,deletion_time\n2,0,50\n4,80,100\n0,100,100\n"
        one = self.waiting("--leave", "--matrix", "--windows", "2", "--policy", "first-fit",
                           jobs=jobs)["policies"][0]
        windows = one["utilization_windows"]
        self.assertEqual([(at["from_s"], at["until_s"]) for at in windows], [(0, 50), (50, 100)])
        self.assertEqual(windows[0]["matrix"], [[0.5, None, 0, None]])
        self.assertAlmostEqual(windows[1]["matrix"][0][0], 0.4)
        self.assertAlmostEqual(windows[0]["imbalance"], 0.25)
        # Two of four GPUs have a gap of 30 s, of 100 s.
        self.assertAlmostEqual(one["fragmentation"]["time"], 2 * 30 / (4 * 100))

    def test_use_as_a_table_and_as_a_page(self):
        table = pathlib.Path(self.folder.name) / "use.csv"
        page = pathlib.Path(self.folder.name) / "place.html"
        done = self.place("--wait", "in-turn", "--windows", "3", "--policy", "fgd,random", "--aims",
                          "wait=1", "--csv", str(table), "--html", str(page))
        self.assertEqual((done.returncode, done.stderr), (DONE, ""))
        lines = table.read_text().splitlines()
        self.assertEqual(lines[0], "policy,from_s,until_s,node,name,gpu,memory,cores,network,"
                                   "imbalance")
        self.assertEqual(len(lines), 1 + 2 * 3 * 2)
        self.assertEqual(lines[1].split(",")[:5], ["fgd", "0.000000", "23.333333", "0", ""])
        self.assertEqual(lines[1].split(",")[8], "")
        text = page.read_text()
        for words in ("Aims of the policies", "GPUs in use over time under fgd", "Node", "BW",
                      "Nodes in use under random"):
            self.assertIn(words, text)
        done = self.place("--csv", str(table))  # jobs that stay: one matrix a policy
        self.assertEqual(len(table.read_text().splitlines()), 3)
        for name in (str(table), f"{self.folder.name}/./use.csv"):
            table.unlink(missing_ok=True)
            done = self.place("--csv", str(table), "--html", name)
            self.assertEqual(done.returncode, program.USAGE)
            self.assertIn("cannot be one file", done.stderr)
        done = run("place", "--nodes", self.nodes, "--jobs", self.jobs, "--csv", "./new.x",
                   "--html", "new.x", folder=self.folder.name)
        self.assertEqual(done.returncode, program.USAGE)
        self.assertIn("cannot be one file", done.stderr)

    def test_one_file_by_two_names_is_refused(self):
        folder = pathlib.Path(self.folder.name).resolve()
        (folder / "link").symlink_to("same")
        (folder / "sub").mkdir()
        for table, page in (("./same", "same"), ("same", "./same"), ("same", "sub/../same"),
                            (folder / "same", "same"), ("link", "same"), ("same", "link")):
            done = run("place", "--nodes", self.nodes, "--jobs", self.jobs, "--csv", table,
                       "--html", page, folder=folder)
            self.assertEqual(done.returncode, USAGE, (table, page))
            self.assertIn("--csv and --html cannot be one file", done.stderr)
            self.assertFalse((folder / "same").exists())
        done = run("place", "--nodes", self.nodes, "--jobs", self.jobs, "--csv", "./same",
                   "--html", "sub/same", folder=folder)
        self.assertEqual((done.returncode, done.stderr), (DONE, ""))

    def test_a_job_that_is_moved_is_on_one_node_at_a_time(self):
        day = ("place", "--nodes", DATA / "nodes.csv", "--jobs", DATA / "day.csv", "--leave",
               "--policy", "framework", "--patience", "1h", "--ageing", "1h", "--json")
        policy = json.loads(run(*day).stdout)["policies"][0]
        self.assertGreater(policy["improvement"]["moves_to_make_room"], 0)
        self.assertEqual(policy["violations"]["rules"]["capacity"]["broken"], 0)

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
        done = self.place("--json", "--bad-rows", "40%", jobs=jobs)
        self.assertEqual(done.returncode, DONE)
        self.assertEqual(json.loads(done.stdout)["faulty_rows"]["jobs"], 50000)

    def test_a_list_has_no_empty_part(self):
        timed = ("--wait", "in-turn")
        for options in ((*timed, "--aims"), ("--policy",), ("--columns",), ("--node-columns",),
                        ("--policy", "framework", "--match-weights")):
            for typed in (",", "fgd,", ",fgd"):
                done = self.place(*options, typed)
                self.assertEqual(done.returncode, program.USAGE, options)
                if typed != "fgd,":
                    self.assertIn(f"{options[-1]} must not have an empty part", done.stderr)

    def test_people_see_a_table(self):
        done = self.place("--policy", "fgd,random", "--migrations", "5")
        self.assertEqual((done.returncode, done.stderr), (DONE, ""))
        for words in ("5 jobs on 2 nodes with 12 GPUs", "fgd", "random", "allocated", "G2", "T4",
                      "Jobs ask for 18.5 GPUs", "no node has GPUs of its type"):
            self.assertIn(words, done.stdout)
        self.assertNotIn("in use: ", done.stdout)
        self.assertIn("in use: mean from the first arrival to the last\n",
                      self.place("--leave").stdout)

    def test_a_type_of_gpu_may_be_written_in_other_letters(self):
        jobs = self.file("small.csv", "num_gpu,gpu_spec\n1,t4\n1,a100\n1,V100\n")
        nodes = self.file("types.csv", "gpu,cpu_milli,model\n1,9,T4\n1,9,A100\n")
        [one] = self.answer_of("--policy", "first-fit", nodes=nodes, jobs=jobs)["policies"]
        self.assertEqual((one["placed"], one["refused"]["no_node_of_type"]), (2, 1))
        large = self.file("large.csv", "num_gpu,gpu_spec\n2,T4\n1,T4\n")
        [one] = self.answer_of("--policy", "first-fit", nodes=nodes, jobs=large)["policies"]
        self.assertEqual(one["refused"]["no_node_large_enough"], 1)

    def test_patience_without_end_is_null(self):
        for typed, patience in (((), None), (("--policy", "framework", "--patience", "60s"), 60)):
            answer = self.answer_of("--wait", "in-turn", *typed)
            self.assertEqual(answer["inputs"]["framework"]["patience_s"], patience)

    def test_one_is_singular(self):
        nodes = self.file("one.csv", "gpu,cpu_milli\n1,9\n")
        jobs = self.file("job.csv", "num_gpu,gpu_milli,cpu_milli\n1,1000,1\n")
        done = run("place", "--nodes", nodes, "--jobs", jobs)
        self.assertIn("1 job on 1 node with 1 GPU\nJobs ask for 1 GPU in all", done.stdout)

    def test_the_framework_orders_improves_and_says_so(self):
        nodes = self.file("n.csv", "gpu,cpu_milli\n6,9\n6,9\n")
        jobs = self.file("j.csv", "num_gpu,p,due,creation_time,deletion_time\n"
                                  "3,0,,0,50\n3,0,,0,40\n4,0,,0,30\n4,2,,0,20\n4,2,900,0,10\n")
        columns = ("--columns", "priority=p,deadline=due", "--policy", "framework", "--list")
        one = self.answer_of(*columns, nodes=nodes, jobs=jobs)["policies"][0]
        self.assertEqual(one["node_of_job"], [None, None, None, 1, 0])  # the most urgent first
        self.assertEqual(one["refused"]["no_gpus"], 3)
        spread = (*columns, "--order", "arrival", "--match-weights", "balance=1")
        jobs = self.file("k.csv", "num_gpu,cpu_milli,p,due,creation_time,deletion_time\n"
                                  "3,0,0,,0,50\n3,0,0,,0,40\n4,0,0,,0,30\n")
        still = self.answer_of(*spread, "--improve", "0", nodes=nodes, jobs=jobs)
        moved = self.answer_of(*spread, nodes=nodes, jobs=jobs)
        self.assertEqual(still["policies"][0]["node_of_job"][2], None)
        self.assertEqual(still["policies"][0]["improvement"]["moves_to_make_room"], 0)
        self.assertEqual(moved["policies"][0]["placed"], 3)
        had, last = (moved["policies"][0][key] for key in ("nodes_of_job", "node_of_job"))
        self.assertEqual([nodes[-1] for nodes in had], last)
        self.assertEqual(sorted(map(len, had)), [1, 1, 2])  # one was moved, and shows both
        self.assertEqual(still["policies"][0]["nodes_of_job"][2], [])
        self.assertEqual(moved["policies"][0]["improvement"]["jobs_given_room"], 1)
        self.assertEqual(moved["policies"][0]["violations"]["nodes_beyond_capacity"], 0)
        self.assertEqual(moved["inputs"]["framework"]["weights"],
                         {"fit": 0, "fragmentation": 0, "balance": 1})
        self.assertIsNone(moved["inputs"]["framework"]["ageing_s"])
        text = self.place(*spread[:4], *spread[5:], nodes=nodes, jobs=jobs).stdout
        self.assertIn("framework: 1 move of running jobs made room for 1 job.", text)

    def test_the_framework_learns_its_weights(self):
        # Nodes of much and of little host: who keeps free GPUs beside free cores places more.
        nodes = self.file("n.csv", "gpu,cpu_milli\n8,96000\n8,16000\n8,96000\n4,64000\n")
        jobs = self.file("j.csv", "num_gpu,cpu_milli\n" + "1,1000\n4,48000\n2,16000\n1,16000\n" * 5)
        usual = ("--policy", "framework", "--list")
        learned = self.answer_of(*usual, "--match-weights", "learned", nodes=nodes, jobs=jobs)
        how = learned["inputs"]["framework"]
        shares = how["learned"]["shares"]
        self.assertEqual(len(shares), 7)
        self.assertAlmostEqual(sum(shares), 1)
        self.assertGreater(len(set(shares)), 1)  # some candidates lost more than others
        regret = how["learned"]["loss"] - how["learned"]["loss_of_the_best"]
        self.assertLessEqual(regret, (16 * math.log(7) / 2) ** 0.5)
        self.assertGreater(regret, 0)
        weights = ",".join(f"{name}={value}" for name, value in how["weights"].items())
        given = self.answer_of(*usual, "--match-weights", weights, nodes=nodes, jobs=jobs)
        self.assertEqual(given["policies"], learned["policies"])
        self.assertIsNone(given["inputs"]["framework"]["learned"])
        again = self.answer_of(*usual, "--match-weights", "learned", nodes=nodes, jobs=jobs)
        self.assertEqual(again, learned)
        text = self.place(*usual[:2], "--match-weights", "learned", nodes=nodes, jobs=jobs).stdout
        self.assertIn("of 7 candidates; lost", text)

    def test_the_framework_lets_jobs_wait(self):
        nodes = self.file("n.csv", "gpu,cpu_milli\n4,9\n")
        jobs = self.file("j.csv", "num_gpu,creation_time,deletion_time\n4,0,60\n4,30,40\n1,90,91\n")
        usual = ("--leave", "--policy", "framework")
        lost = self.answer_of(*usual, nodes=nodes, jobs=jobs)["policies"][0]
        self.assertEqual((lost["placed"], lost["improvement"]["jobs_that_waited"]), (2, 0))
        self.assertIsNone(lost["improvement"]["mean_wait_of_these_s"])
        kept = self.answer_of(*usual, "--patience", "1min", "--ageing", "1h", nodes=nodes,
                              jobs=jobs)["policies"][0]
        self.assertEqual((kept["placed"], kept["improvement"]["jobs_that_waited"]), (3, 1))
        self.assertEqual(kept["improvement"]["mean_wait_of_these_s"], 30)
        self.assertIn("framework: 1 job waited, 30 s on average",
                      self.place(*usual, "--patience", "1min", nodes=nodes, jobs=jobs).stdout)

    def test_jobs_without_gpus_need_no_mix(self):
        jobs = self.file("cores.csv", "num_gpu,cpu_milli\n0,1000\n")
        for weights in ((), ("--match-weights", "fragmentation=1")):
            one = self.answer_of("--policy", "framework", *weights, jobs=jobs)["policies"][0]
            self.assertEqual(one["placed"], 1)

    def test_options_of_the_framework_are_checked(self):
        for options, words in (
                (("--node-columns", "power=w"), "--node-columns power= has no effect without --aims"),
                (("--improve", "3"), "--improve has no effect without --policy framework"),
                (("--policy", "fgd", "--patience", "1h"), "--patience has no effect without --policy"),
                (("--policy", "framework", "--patience", "1h"),
                 "--patience has no effect without --leave"),
                (("--policy", "framework", "--leave", "--ageing", "1h"),
                 "--ageing has no effect without --patience"),
                (("--policy", "framework", "--improve", "-1"), "--improve must be"),
                (("--policy", "framework", "--improve", "1001"), "--improve must be"),
                (("--policy", "framework", "--leave", "--patience", "-1s"), "--patience"),
                (("--policy", "framework", "--leave", "--patience", "1h", "--ageing", "0s"),
                 "--ageing must be > 0 s"),
                (("--policy", "framework", "--match-weights", "fit=-1"), "cannot read 'fit=-1'"),
                (("--policy", "framework", "--match-weights", "fit=nan"), "cannot read 'fit=nan'"),
                (("--policy", "framework", "--match-weights", "size=1"), "cannot read 'size=1'"),
                (("--policy", "framework", "--match-weights", "fit"), "cannot read 'fit'"),
                (("--policy", "framework", "--match-weights", "fit=0"), "one weight must be > 0")):
            done = self.place(*options)
            self.assertEqual((done.returncode, done.stdout), (USAGE, ""), options)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn(words, done.stderr)

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

    def test_progress_is_for_terminals_and_long_work(self):
        # Shares, cores and memory of no two jobs are alike: it is watched until it says so.
        rows = "".join(f"1,{100 + i % 887},{100 + i % 3989},{100 + i % 7919}\n"
                       for i in range(100000))
        jobs = self.file("many.csv", "num_gpu,gpu_milli,cpu_milli,memory_mib\n" + rows)
        nodes = self.file("wide.csv", "gpu,cpu_milli,memory_mib\n" + "8,96000,400000\n" * 9000)
        shown = program.run_on_terminal("place", "--nodes", nodes, "--jobs", jobs, "--policy",
                                        "all", until=r"placing, \d+ s ")
        self.assertRegex(shown, r"\A\rgpuplan: placing, [1-9]\d* s \Z")

    def test_it_repeats_with_its_seed(self):
        same = [self.place("--policy", "random", "--seed", "5", "--json").stdout for _ in "12"]
        self.assertEqual(*same)

    def test_rows_that_are_none_are_said_by_line(self):
        jobs = self.file("bad.csv", "num_gpu,cpu_milli\n1,1000\n17,1\nx,1\n1\n1,1000\n")
        done = self.place("--bad-rows", "60%", jobs=jobs)
        self.assertEqual(done.returncode, DONE)
        self.assertEqual(done.stderr.count("\n"), 4)
        self.assertIn("3 of 5 rows cannot be read and are left out", done.stderr)
        self.assertIn("line 3: num_gpu '17' is too large", done.stderr)
        nodes = self.file("nodes.csv", "gpu,cpu_milli\n8,1000\nx,1000\n")
        for files in ({"jobs": jobs}, {"nodes": nodes}):
            done = self.place(**files)
            self.assertEqual((done.returncode, done.stdout), (USAGE, ""))
            self.assertIn("cannot be read, more than 10 %: line", done.stderr)

    def test_nothing_placed_is_an_answer(self):
        jobs = self.file("large.csv", "num_gpu\n9\n")
        self.assertEqual(self.place(jobs=jobs).returncode, INFEASIBLE)
        self.assertEqual(self.place("--assert", "policies[0].placed > 9").returncode,
                         ASSERT_FAILED)

    def test_what_cannot_be_used_is_refused_in_one_line(self):
        empty = self.file("empty.csv", "")
        other = self.file("other.csv", "a,b\n1,2\n")
        plain = self.file("plain.csv", "num_gpu\n1\n")
        twice = self.file("twice.csv", "name,gpu,cpu_milli\na,4,9\na,4,9\n")
        for options, files, words in (
                ((), {"nodes": "/no/such"}, "no such file"),
                ((), {"nodes": self.folder.name}, "directory"),
                ((), {"nodes": empty}, "no node"),
                ((), {"jobs": empty}, "no job"),
                ((), {"jobs": other}, "num_gpu is not a column"),
                ((), {"nodes": other}, "gpu and cpu_milli are not columns"),
                ((), {"nodes": twice}, "two nodes have the name 'a'"),
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
                (("--node-columns", "gpus="), {}, "--node-columns"),
                (("--aims", "wait=1"), {}, "--aims needs times"),
                (("--leave", "--aims", "wait=1"), {}, "--aims wait"),
                (("--wait", "in-turn", "--aims", "energy=1"), {}, "power=NAME"),
                (("--wait", "in-turn", "--aims", "fairness=1"), {}, "user=NAME"),
                (("--wait", "in-turn", "--aims", "speed=1"), {}, "wait, throughput, utilization"),
                (("--wait", "in-turn", "--aims", "wait=-1"), {}, "from 0 to 1e9"),
                (("--wait", "in-turn", "--aims", "wait=nan"), {}, "from 0 to 1e9"),
                (("--wait", "in-turn", "--aims", "wait"), {}, "from 0 to 1e9"),
                (("--wait", "in-turn", "--aims", "wait=0"), {}, "one weight must be > 0"),
                (("--wait", "in-turn", "--aims", "utilization=1,utilisation=1"), {}, "twice"),
                (("--wait", "first"), {}, "--wait must be one of"),
                (("--wait", "in-turn", "--leave"), {}, "--leave has no effect beside --wait"),
                (("--wait", "in-turn"), {"jobs": plain}, "--wait needs times"),
                (("--wait", "in-turn", "--order", "largest-first"), {}, "--order"),
                (("--weights", "dynamic"), {}, "without --aims"),
                (("--wait", "in-turn", "--aims", "wait=1", "--gamma", "1"), {}, "--weights dynamic"),
                (("--wait", "in-turn", "--aims", "wait=1", "--weights", "dynamic", "--gamma", "-1"),
                 {}, "--gamma"),
                (("--windows", "4"), {}, "--windows has no effect"),
                (("--leave", "--matrix", "--json", "--windows", "1"), {}, "--windows"),
                (("--locality", "0.8"), {}, "--columns data="),
                (("--locality", "1.1", "--columns", "data=name"), {}, "--locality"),
                (("--columns", "data=name"), {}, "without --locality"),
                (("--locality", "1", "--columns", "data=name"), {}, "not 'j0'"),
                (("--max-nodes", "0"), {}, "--max-nodes")):
            with self.subTest(options=options, files=files):
                done = self.place(*options, **files)
                self.assertEqual((done.returncode, done.stdout), (USAGE, ""), done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn(words, done.stderr)
        self.assertEqual(run("place", "--nodes", "-", "--jobs", "-").returncode, USAGE)
        self.refused("place", "--nodes", self.nodes, "--jobs", self.jobs, "--leave", "--csv", "-",
                     saying="must be a file")
        self.assertEqual(run("place", "--jobs", self.jobs).returncode, USAGE)


program.main()
