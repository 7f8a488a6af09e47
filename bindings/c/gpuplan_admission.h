/* Whether a training job can run as it asks, and how well: for schedulers, in plain C.
 *
 * A job declares what is known of it, by members of gpuplan_job or as text by gpuplan_declare, and
 * leaves the rest GPUPLAN_NOT_DECLARED, which is zero:
 *
 *   - layout, micro-batch, ZeRO, recomputation and sequence parallelism are searched: they change
 *     the time of a step, not what is trained.  Context ranks are tried where nothing fits without.
 *     The answer says what was found;
 *   - all else takes its usual value: AdamW, mixed BF16, nothing on the host, the fabric of the
 *     GPU's time; one chunk of layers a pipeline stage.
 *
 * A job is refused where nothing that is searched fits, with the smallest change that would do.
 *
 * Nothing throws.  Each function may be called from any thread at the same time as others, on
 * other jobs.  gpuplan_admit allocates nothing, and takes microseconds, for a job that declares all
 * that is searched; a search of what is not declared allocates, and takes milliseconds, and so do
 * the words of a refusal: pass no reason to do without them.  Look models and GPUs up once. */
#ifndef GPUPLAN_ADMISSION_H
#define GPUPLAN_ADMISSION_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A choice, as of the precision, is GPUPLAN_CHOICE and its number, so that no number that one may
 * write by mistake is one: gpuplan_choice("precision", "fp8"), or one of those named here. */
enum gpuplan_value {
  GPUPLAN_NOT_DECLARED = 0,
  GPUPLAN_CHOICE = 256,

  GPUPLAN_OFF = 256, /* of sequence_parallel */
  GPUPLAN_ON,

  GPUPLAN_ZERO_0 = 256, /* nothing is divided among replicas */
  GPUPLAN_ZERO_1,       /* optimizer states are */
  GPUPLAN_ZERO_2,       /* gradients, too */
  GPUPLAN_ZERO_3,       /* weights, too; FSDP */

  GPUPLAN_RECOMPUTE_NONE = 256,
  GPUPLAN_RECOMPUTE_SELECTIVE,
  GPUPLAN_RECOMPUTE_ALTERNATE_PRODUCTS,
  GPUPLAN_RECOMPUTE_FULL,

  GPUPLAN_OFFLOAD_NONE = 256,
  GPUPLAN_OFFLOAD_OPTIMIZER,
  GPUPLAN_OFFLOAD_ALL
};

/* What gpuplan_declare has been told that no member says.  Leave it zero. */
struct gpuplan_declared {
  uint64_t given[2];
  double value[96];
  int32_t stages;
  uint16_t layers_of_stage[128];
};

/* A job.  Every member but size, model and gpu may be GPUPLAN_NOT_DECLARED. */
struct gpuplan_job {
  uint32_t size; /* sizeof(struct gpuplan_job), so that members can be added at the end */
  int32_t model; /* as gpuplan_model says */
  int32_t gpu;   /* as gpuplan_gpu says */
  int32_t gpus, gpus_per_node;
  int32_t data, tensor, pipeline;
  int32_t micro_batch, global_batch, sequence;

  int32_t context, expert, interleave;
  int32_t zero, recompute, sequence_parallel;                             /* choices, searched */
  int32_t precision, optimizer, attention, loss, framework, offload, schedule; /* likewise */
  int32_t adapter_rank; /* of LoRA beside frozen weights; 0: all is trained */

  int32_t nodes;          /* in place of gpus, or beside it */
  int32_t nvlink_domain;  /* GPUs that NVLink joins, where it goes beyond a node */
  int32_t loader_workers; /* of a node */
  int32_t fabric;         /* between nodes: a choice; or the two that follow */
  double fabric_bandwidth, fabric_latency; /* of a GPU, one direction: B/s, at least 1e6; s */
  double gpu_memory;      /* B; not declared: what the GPU's driver shows */
  double host_memory;     /* B, of a node; not declared: not known, and so no limit */
  double host_update;     /* B/s, of a node, where states are offloaded */
  double slowest;         /* time of the slowest GPU's kernels over the others', >= 1 */
  double stored_sample, storage, preprocessing; /* what feeds a node: B, B/s, s */

  struct gpuplan_declared others;
};

enum gpuplan_code { GPUPLAN_FITS = 0, GPUPLAN_DOES_NOT_FIT = 1, GPUPLAN_INVALID = 2 };

struct gpuplan_answer {
  double bytes_needed;    /* of the fullest GPU; 0 where the layout is impossible */
  double bytes_available; /* of a GPU */
  double step_seconds;    /* 0 where it does not fit */
  double score;           /* model FLOP/s over the peak: 0 .. 1, to compare offers by */

  double fits_probability; /* that the fullest GPU needs no more than there is */
  int32_t searched;        /* 1 where something was not declared, and so searched */
  struct gpuplan_job found; /* where it fits: the job with all that was searched declared */
};

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* The number of a model or a GPU of the catalogue, or -1. */
int32_t gpuplan_model(const char* name);
int32_t gpuplan_gpu(const char* name);

/* The number of a choice by its key and its name, as ("optimizer", "adam_8bit") or ("fabric",
 * "InfiniBand NDR 4x"); or -1. */
int32_t gpuplan_choice(const char* key, const char* name);

/* Declares one thing by text: a key of a request as docs/json.md lists them, the option of the
 * program, or the name of a member; and a value as the option takes it ("80GiB", "on", "3").  The
 * value "any" takes a declaration of what is searched back.  GPUPLAN_FITS, or GPUPLAN_INVALID and
 * one sentence in reason, cut to its room; the job is as it was then. */
int32_t gpuplan_declare(struct gpuplan_job* job, const char* key, const char* value, char* reason,
                        size_t room);

/* A gpuplan_code.  Where it is GPUPLAN_FITS, reason gets what was found for what was not declared,
 * as "zero=3 recompute=full", and "8 of the 16 GPUs are idle" after a semicolon where the layout
 * leaves some; else one sentence; cut to its room.  Where it is GPUPLAN_INVALID, all members of the
 * answer that are written are zero.
 *
 * A job of the first size (44 bytes, up to sequence) is answered, too: of the answer, only the
 * first four members are written then, and so of a job whose size is none, as it may be of a
 * program that has no room for more.  A size above that of this library's job is of a later one,
 * whose answer is no smaller: all members are written. */
int32_t gpuplan_admit(const struct gpuplan_job* job, struct gpuplan_answer* answer, char* reason,
                      size_t room);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
