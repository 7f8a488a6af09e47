/* Whether a training job can run as it asks, and how well: for schedulers, in plain C.
 *
 * No call allocates, locks, or throws. Each may be made from any thread. Look models and GPUs up
 * once, at start-up; gpuplan_admit then answers in under a microsecond. */
#ifndef GPUPLAN_ADMISSION_H
#define GPUPLAN_ADMISSION_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gpuplan_job {
  uint32_t size; /* sizeof(struct gpuplan_job), so that fields can be added at the end */
  int32_t model; /* as gpuplan_model says */
  int32_t gpu;   /* as gpuplan_gpu says */
  int32_t gpus, gpus_per_node;
  int32_t data, tensor, pipeline; /* layout: data x tensor x pipeline GPUs */
  int32_t micro_batch, global_batch, sequence;
};

enum gpuplan_code { GPUPLAN_FITS = 0, GPUPLAN_DOES_NOT_FIT = 1, GPUPLAN_INVALID = 2 };

struct gpuplan_answer {
  double bytes_needed;    /* of the fullest GPU; 0 where the layout is impossible */
  double bytes_available; /* of a GPU */
  double step_seconds;    /* 0 where it does not fit */
  double score;           /* model FLOP/s over the peak: 0 .. 1, to compare offers by */
};

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* The number of a model or a GPU of the catalogue, or -1. */
int32_t gpuplan_model(const char* name);
int32_t gpuplan_gpu(const char* name);

/* A gpuplan_code. Where it is not GPUPLAN_FITS, the reason is written, cut to its room. */
int32_t gpuplan_admit(const struct gpuplan_job* job, struct gpuplan_answer* answer, char* reason,
                      size_t room);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
