"""A real Slurm on this machine, alone and with its own folders: munged, slurmctld and slurmd of
Debian's slurm-wlm, with nodes of one processor and eight GPUs that are files.

Raises Skip, with the reason, where they are not installed or cannot start.
"""
import os
import pathlib
import shutil
import socket
import subprocess
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
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
GresTypes=gpu
PartitionName=all Nodes=ALL Default=YES MaxTime=10 State=UP
"""
NODE = "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=1 Gres=gpu:8\n"


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
    def __init__(self, nodes=1, job_submit=None):
        """`job_submit` is the text of a job_submit.lua, if there shall be one."""
        for program in ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "sinfo", "squeue"):
            if shutil.which(program) is None:
                raise Skip(f"{program} is not installed (Debian's slurm-wlm and munge)")
        if os.geteuid() != 0:
            raise Skip("slurmd must be started by root")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gpuplan-slurm-"))
        self.folder.chmod(0o755)
        (self.folder / "state").mkdir()
        self.daemons = {}
        self.nodes = [f"node{number + 1}" for number in range(nodes)]
        host = socket.gethostname().split(".")[0]
        port, *ports = free_ports(1 + nodes)
        conf = CONF.format(folder=self.folder, host=host, port=port)
        for name, port in zip(self.nodes, ports):
            conf += NODE.format(name=name, host=host, port=port)
        if job_submit is not None:
            conf += "JobSubmitPlugins=lua\n"
            (self.folder / "job_submit.lua").write_text(job_submit)
        (self.folder / "slurm.conf").write_text(conf)
        for gpu in range(8):
            (self.folder / f"gpu{gpu}").touch()  # stands for a device
        (self.folder / "gres.conf").write_text(
            f"AutoDetect=off\nName=gpu File={self.folder}/gpu[0-7]\n")
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf")}

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        self.daemon("munged", "munged", "--foreground", "--force",
                    f"--key-file={self.folder}/munge.key",
                    f"--socket={self.folder}/munge.socket", f"--pid-file={self.folder}/munge.pid",
                    f"--log-file={self.folder}/munged.log", f"--seed-file={self.folder}/seed")
        self.wait_for(lambda: (self.folder / "munge.socket").exists(), "munged")
        self.daemon("slurmctld", "slurmctld", "-D", "-i")
        for name in self.nodes:
            self.daemon(name, "slurmd", "-D", "-N", name)
        self.wait_for(lambda: self.run("sinfo", "-h", "-N", "-o", "%T").stdout.split()
                      == ["idle"] * len(self.nodes), "slurmd")

    def daemon(self, name, *command):
        log = open(self.folder / f"{name}.out", "wb")
        self.daemons[name] = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log,
                                              stderr=log, env=self.environment)

    def wait_for(self, holds, who, seconds=40):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if any(one.poll() is not None for one in self.daemons.values()):
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

    def lose(self, node):
        """A node that fails: its daemon is killed, and the controller told, as it would find out
        after SlurmdTimeout."""
        self.daemons[node].kill()
        self.daemons.pop(node).wait()
        self.run("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=lost")

    def stop(self):
        for one in reversed(list(self.daemons.values())):
            one.terminate()
        for one in self.daemons.values():
            try:
                one.wait(10)
            except subprocess.TimeoutExpired:
                one.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
