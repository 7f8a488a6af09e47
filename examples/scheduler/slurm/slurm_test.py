"""A real Slurm on this machine, alone and with its own folders: jobs that cannot fit are refused.

    slurm_test.py gpuplan_lua.so job_submit.lua

Starts munged, slurmctld and slurmd from Debian's slurm-wlm, submits jobs, stops all three. Ends
with 77, after a line that says why, where they are not installed or cannot start.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tests" / "support"))
from private_slurm import SKIPPED, Skip, Slurm  # noqa: E402: it is found in the path above

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
    module, script = sys.argv[1:3]
    try:
        if not pathlib.Path(module).exists():
            raise Skip("gpuplan_lua.so is not built (Debian's liblua5.1-0-dev)")
        with Slurm(job_submit=pathlib.Path(script).read_text().replace("@GPUPLAN_LUA@",
                                                                       module)) as slurm:
            test(slurm)
    except Skip as why:
        print(f"skipped: {why}")
        return SKIPPED
    print(f"{len(failures)} failures" if failures else "all as it should be")
    return 1 if failures else 0


sys.exit(main())
