"""Which of three clusters trains a model at the lowest cost, and what about one that cannot?"""
import gpuplan

for gpu, gpus in (("H100", 64), ("A100-80GB", 128), ("B200", 32), ("A100-40GB", 1)):
    found = gpuplan.plan("llama-3-8b", gpu=gpu, gpus=gpus, tokens="100B", top=1)
    if not found.plans:
        print(f"{gpus} x {gpu}: nothing fits")
        continue
    best = found.plans[0]
    print(f"{gpus} x {gpu}: {best.step_time_s:.2f} s a step, MFU {100 * best.mfu:.1f} %")

try:
    gpuplan.plan("llama-3-8b", gpu="H1000", gpus=8)
except gpuplan.RequestError as error:
    print(f"{error.where}: did you mean {error.did_you_mean[0]}?")
