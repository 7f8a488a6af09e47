"""A real Slurm on this machine, alone and with its own folders: jobs that cannot fit are refused.

    slurm_test.py gpuplan_lua.so job_submit.lua

Starts munged, slurmctld and slurmd from Debian's slurm-wlm, submits jobs, stops all three. Ends
with 77, after a line that says why, where they are not installed or cannot start.
"""
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
LONGEST_WAIT = 600
UNFINISHED = ("PENDING", "CONFIGURING", "RUNNING", "COMPLETING")
CONF = """\
ClusterName=gpuplan
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={port}
SlurmdPort={port_of_node}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
GresTypes=gpu
JobSubmitPlugins=lua
NodeName={host} NodeAddr=127.0.0.1 CPUs=1 Gres=gpu:8 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=10 State=UP
"""


class Skip(Exception):
    pass


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Slurm:
    def __init__(self, module, script):
        for program in ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "sinfo"):
            if shutil.which(program) is None:
                raise Skip(f"{program} is not installed (Debian's slurm-wlm and munge)")
        if not pathlib.Path(module).exists():
            raise Skip("gpuplan_lua.so is not built (Debian's liblua5.1-0-dev)")
        if os.geteuid() != 0:
            raise Skip("slurmd must be started by root")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gpuplan-slurm-"))
        self.folder.chmod(0o755)
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        self.daemons = []
        host = socket.gethostname().split(".")[0]
        port, port_of_node = free_ports(2)
        (self.folder / "slurm.conf").write_text(
            CONF.format(folder=self.folder, host=host, port=port, port_of_node=port_of_node))
        for gpu in range(8):
            (self.folder / f"gpu{gpu}").touch()  # stands for a device
        (self.folder / "gres.conf").write_text(
            f"AutoDetect=off\nName=gpu File={self.folder}/gpu[0-7]\n")
        (self.folder / "job_submit.lua").write_text(
            pathlib.Path(script).read_text().replace("@GPUPLAN_LUA@", str(module)))
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf")}

    def start(self):
        self.daemon("munged", "--foreground", "--force", f"--key-file={self.folder}/munge.key",
                    f"--socket={self.folder}/munge.socket", f"--pid-file={self.folder}/munge.pid",
                    f"--log-file={self.folder}/munged.log", f"--seed-file={self.folder}/seed")
        self.wait_for(lambda: (self.folder / "munge.socket").exists(), "munged")
        self.daemon("slurmctld", "-D", "-i")
        self.daemon("slurmd", "-D")
        self.wait_for(lambda: "idle" in self.run("sinfo", "-h", "-o", "%T").stdout, "slurmd")

    def daemon(self, *command):
        log = open(self.folder / f"{command[0]}.out", "wb")
        self.daemons.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log,
                                             stderr=log, env=self.environment))

    def wait_for(self, holds, who, seconds=40):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if any(one.poll() is not None for one in self.daemons):
                break
            if holds():
                return
            time.sleep(0.3)
        logs = " / ".join(
            path.read_text(errors="replace").strip().splitlines()[-1]
            for path in sorted(self.folder.glob("*.out")) + sorted(self.folder.glob("*.log"))
            if path.stat().st_size)
        raise Skip(f"{who} does not start here: {logs}")

    def run(self, *command):
        return subprocess.run(command, env=self.environment, capture_output=True, text=True,
                              timeout=LONGEST_WAIT)

    def submit(self, comment, *options, script="exit 0", variable=None):
        command = ["sbatch", "--output=/dev/null", "--chdir=/tmp", *options]
        if comment:
            command.append(f"--comment={comment}")
        environment = self.environment
        if variable is not None:
            environment = {**environment, "GPUPLAN": variable}
        return subprocess.run(command, env=environment, capture_output=True, text=True,
                              timeout=LONGEST_WAIT, input=f"#!/bin/sh\n{script}\n")

    def end_of(self, submitted):
        """What scontrol shows of a job when it has ended."""
        job = submitted.stdout.split()[-1] if submitted.returncode == 0 else "0"
        for _ in range(LONGEST_WAIT):  # of a second each: a job that hangs, not one that is slow
            state = self.run("scontrol", "-o", "show", "job", job)
            if not any(f"JobState={name}" in state.stdout for name in UNFINISHED):
                break
            time.sleep(1)
        return state

    def stop(self):
        for one in reversed(self.daemons):
            one.terminate()
        for one in self.daemons:
            try:
                one.wait(10)
            except subprocess.TimeoutExpired:
                one.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


failures = []


def check(holds, what, done):
    print(f"{'ok' if holds else 'FAILED'}: {what}")
    for line in (done.stdout + done.stderr).splitlines():
        print("    " + line)
    if not holds:
        failures.append(what)


def test_open(slurm):
    """Jobs that leave things open: searched, and told what was found."""
    only_zero_3 = "model=llama-2-13b gpu=L40S sequence=4096 data=8 micro_batch=1 recompute=full"
    found = slurm.folder / "found"
    script = f'echo "$GPUPLAN_FOUND" >{found}'
    done = slurm.submit(f"gpuplan {only_zero_3}", "--gres=gpu:8", script=script)
    check(done.returncode == 0 and "gpuplan: it fits with zero=3\n" in done.stderr,
          "a job that only ZeRO 3 makes fit is taken", done)
    state = slurm.end_of(done)
    state.stdout, state.stderr = found.read_text() if found.exists() else "", ""
    check(state.stdout == "zero=3\n", "and finds it in its environment", state)
    done = slurm.submit(f"gpuplan {only_zero_3} zero=2", "--gres=gpu:8")
    check(done.returncode != 0 and "; it fits with zero=3" in done.stderr,
          "with another stage it is refused, and ZeRO 3 named", done)

    done = slurm.submit("", "--gres=gpu:8", variable="model=llama-3-8b gpu=H100 sequence=8192")
    check(done.returncode == 0 and "it fits with data=" in done.stderr,
          "a job may declare by its environment", done)
    done = slurm.submit("", "--gres=gpu:8", variable="model=llama-3-8b gpu=H100 zero=4")
    check(done.returncode != 0 and "zero must be one of 0, 1, 2, 3, not '4'" in done.stderr,
          "and is refused by it", done)
    done = slurm.submit("gpuplan model=llama-3.1-405b gpu=H100 --host-memory=1TB", "--gres=gpu:8")
    check(done.returncode != 0 and "no layout fits" in done.stderr
          and "or on 128 GPUs" in done.stderr,
          "a hopeless job is refused, with the change that would do", done)


def test(slurm):
    fits = "gpuplan model=llama-3-8b gpu=H100 data=4 tensor=2 sequence=8192"
    done = slurm.submit(fits, "--gres=gpu:8")
    check(done.returncode == 0 and "Submitted" in done.stdout, "a job that fits is taken", done)
    state = slurm.end_of(done)
    state.stdout = " ".join(word for word in state.stdout.split()
                            if word.startswith(("JobId", "JobState", "Comment", "TresPerNode")))
    check("JobState=COMPLETED" in state.stdout, "and runs to its end", state)

    done = slurm.submit("", "--gres=gpu:1")
    check(done.returncode == 0, "a job that declares nothing is taken", done)
    test_open(slurm)

    done = slurm.submit("gpuplan model=llama-3-70b gpu=H100 data=8", "--gres=gpu:8")
    check(done.returncode != 0 and "the GPU has 84.9 GB; it fits with offload=all" in done.stderr,
          "a model too large for its GPUs is refused, with the reason", done)
    done = slurm.submit("gpuplan model=llama-3-8b gpu=H100 data=16 tensor=2", "--gpus=8")
    check(done.returncode != 0 and "the layout needs 32 GPUs, and the cluster has 8" in done.stderr,
          "so is a layout of more GPUs than asked for", done)
    done = slurm.submit("gpuplan model=llama-9 gpu=H100", "--gres=gpu:8")
    check(done.returncode != 0 and "model must be one of the catalogue, not 'llama-9'" in done.stderr,
          "a model that nobody knows is refused", done)
    done = slurm.submit("gpuplan model=llama-3-8b gpu=H100 tensor=two", "--gres=gpu:8")
    check(done.returncode != 0 and "tensor must be a whole number, 1 to 1000000000, not 'two'" in done.stderr,
          "a declaration that cannot be read is refused", done)
    done = slurm.submit(fits)
    check(done.returncode != 0 and "must ask for GPUs" in done.stderr,
          "a model without GPUs is refused", done)


def main():
    try:
        slurm = Slurm(*sys.argv[1:3])
        try:
            slurm.start()
            test(slurm)
        finally:
            slurm.stop()
    except Skip as why:
        print(f"skipped: {why}")
        return SKIPPED
    print(f"{len(failures)} failures" if failures else "all as it should be")
    return 1 if failures else 0


sys.exit(main())
