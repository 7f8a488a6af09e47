/* A scheduler in C loads the shared object and asks it: who runs, who does not, and why. */
#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpuplan_admission.h"

static int failures = 0;

static void check(int holds, const char* what) {
  if (holds) return;
  printf("FAILED: %s\n", what);
  ++failures;
}

/* Calls of malloc since the start: the program's own malloc counts, then asks the C library's. */
static long allocations = 0;
extern void* __libc_malloc(size_t);
void* malloc(size_t bytes) {
  __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
  return __libc_malloc(bytes);
}

typedef int32_t number_function(const char*);
typedef int32_t choice_function(const char*, const char*);
typedef int32_t declare_function(struct gpuplan_job*, const char*, const char*, char*, size_t);
typedef int32_t admit_function(const struct gpuplan_job*, struct gpuplan_answer*, char*, size_t);

static number_function* model;
static number_function* gpu;
static choice_function* choice;
static declare_function* declare;
static admit_function* admit;

static int load(const char* path) {
  void* library = path != NULL ? dlopen(path, RTLD_NOW) : NULL;
  if (library == NULL) {
    printf("FAILED: %s\n", path != NULL ? dlerror() : "the shared object is not named");
    return 0;
  }
  *(void**)&model = dlsym(library, "gpuplan_model");
  *(void**)&gpu = dlsym(library, "gpuplan_gpu");
  *(void**)&choice = dlsym(library, "gpuplan_choice");
  *(void**)&declare = dlsym(library, "gpuplan_declare");
  *(void**)&admit = dlsym(library, "gpuplan_admit");
  if (model != NULL && gpu != NULL && choice != NULL && declare != NULL && admit != NULL) return 1;
  printf("FAILED: a function is missing\n");
  return 0;
}

/* Llama 3 8B on 64 GPUs, all that is searched declared. */
static struct gpuplan_job declared_job(void) {
  struct gpuplan_job job = {.size = sizeof job,
                            .model = model("llama-3-8b"),
                            .gpu = gpu("H100"),
                            .gpus = 64,
                            .gpus_per_node = 8,
                            .data = 32,
                            .tensor = 2,
                            .pipeline = 1,
                            .micro_batch = 1,
                            .global_batch = 128,
                            .sequence = 8192,
                            .zero = GPUPLAN_ZERO_1,
                            .recompute = GPUPLAN_RECOMPUTE_NONE,
                            .sequence_parallel = GPUPLAN_ON};
  return job;
}

/* The same model on 8 GPUs, nothing declared but the sequence. */
static struct gpuplan_job open_job(void) {
  struct gpuplan_job job = {.size = sizeof job,
                            .model = model("llama-3-8b"),
                            .gpu = gpu("H100"),
                            .gpus = 8,
                            .sequence = 8192};
  return job;
}

static void test_declared(void) {
  struct gpuplan_answer answer;
  char reason[256];
  const struct gpuplan_job job = declared_job();
  check(job.model >= 0 && job.gpu >= 0, "the catalogue knows llama-3-8b and H100");
  check(model("no such model") == -1 && gpu(NULL) == -1, "and says what it does not know");

  check(admit(&job, &answer, reason, sizeof reason) == GPUPLAN_FITS, "two tensor ranks fit");
  check(reason[0] == '\0' && answer.searched == 0, "and nothing is searched");
  check(answer.bytes_needed > 20e9 && answer.bytes_needed < answer.bytes_available, "in 80 GB");
  check(answer.bytes_available == 81004.0 * 1024 * 1024, "of what the driver shows");
  check(answer.step_seconds > 0 && answer.score > 0.2 && answer.score < 0.8, "with a fair score");
  check(answer.fits_probability > 0.9 && answer.fits_probability <= 1, "and it is sure");
  check(memcmp(&answer.found, &job, sizeof job) == 0, "what is found is what was declared");

  struct gpuplan_job small = job;
  small.gpu_memory = 40e9;
  check(admit(&small, &answer, reason, sizeof reason) == GPUPLAN_DOES_NOT_FIT, "not in 40 GB");
  check(strstr(reason, "and the GPU has 40.0 GB; it fits with ") != NULL, "a change is named");
  check(answer.bytes_available == 40e9 && answer.bytes_needed > 40e9, "and by how much it misses");
  check(answer.fits_probability < 0.5, "which is not likely to be wrong");

  const long before = allocations;
  for (int i = 0; i < 1000; ++i) {
    admit(&job, &answer, reason, sizeof reason);
    admit(&small, &answer, reason, sizeof reason);
    admit(&small, &answer, NULL, 0);
  }
  check(allocations == before, "nothing is allocated");
}

static void test_open(void) {
  struct gpuplan_answer answer, again;
  char reason[256];
  const struct gpuplan_job job = open_job();
  check(admit(&job, &answer, reason, sizeof reason) == GPUPLAN_FITS, "an open job is searched");
  check(answer.searched == 1 && strstr(reason, "zero=") != NULL && strstr(reason, "data=") != NULL,
        "and what was found is said");
  check(answer.found.data * answer.found.tensor * answer.found.pipeline == 8, "of all the GPUs");
  check(answer.found.zero >= GPUPLAN_ZERO_0 && answer.found.zero <= GPUPLAN_ZERO_3, "with a stage");
  const long before = allocations;
  check(admit(&answer.found, &again, reason, sizeof reason) == GPUPLAN_FITS && again.searched == 0,
        "it is declared in full then");
  check(allocations == before, "without a search");
  check(again.bytes_needed == answer.bytes_needed && again.step_seconds == answer.step_seconds &&
            again.score == answer.score && again.fits_probability == answer.fits_probability,
        "with the same answer");

  struct gpuplan_job replicas = job; /* 13e9 parameters, of which ZeRO 0 to 2 do not fit */
  replicas.model = model("llama-2-13b");
  replicas.gpu_memory = 50e9;
  replicas.sequence = 4096;
  replicas.data = 8;
  replicas.micro_batch = 1;
  replicas.recompute = GPUPLAN_RECOMPUTE_FULL;
  check(admit(&replicas, &answer, reason, sizeof reason) == GPUPLAN_FITS &&
            answer.found.zero == GPUPLAN_ZERO_3 && strcmp(reason, "zero=3") == 0,
        "ZeRO 3 is found where nothing else fits");
  replicas.zero = GPUPLAN_ZERO_2;
  check(admit(&replicas, &answer, reason, sizeof reason) == GPUPLAN_DOES_NOT_FIT &&
            strstr(reason, "; it fits with zero=3") != NULL,
        "and named where another stage is declared");
  printf("%s\n", reason);

  struct gpuplan_job whole = job; /* a sequence that is too long for one GPU */
  whole.gpus = 16;
  whole.sequence = 262144;
  check(admit(&whole, &answer, reason, sizeof reason) == GPUPLAN_FITS, "a long sequence fits");
  whole.context = 1;
  whole.tensor = 1;
  whole.recompute = GPUPLAN_RECOMPUTE_NONE;
  check(admit(&whole, &answer, reason, sizeof reason) == GPUPLAN_DOES_NOT_FIT, "not on one rank");

  struct gpuplan_job hopeless = job;
  hopeless.model = model("llama-3.1-405b");
  check(admit(&hopeless, &answer, reason, sizeof reason) == GPUPLAN_DOES_NOT_FIT,
        "405e9 parameters do not fit 8 GPUs");
  check(strstr(reason, "no layout fits: ") == reason && strstr(reason, "; it fits with ") != NULL,
        "and it says what would do");
  check(answer.bytes_needed > 500e9 && answer.step_seconds == 0, "and how far off the best is");
  printf("%s\n", reason);
  hopeless.host_memory = 500e9; /* so that the host is no way out */
  check(admit(&hopeless, &answer, reason, sizeof reason) == GPUPLAN_DOES_NOT_FIT, "nor without");
  check(strstr(reason, " GPUs") != NULL, "and how many GPUs would do");
  printf("%s\n", reason);
}

/* A job as it was before it could declare a recipe, and its answer. */
struct first_job {
  uint32_t size;
  int32_t model, gpu, gpus, gpus_per_node, data, tensor, pipeline, micro_batch, global_batch,
      sequence;
};

static void test_sizes(void) {
  struct gpuplan_answer answer;
  char reason[256];
  const struct gpuplan_job whole = declared_job();
  struct first_job first;
  memcpy(&first, &whole, sizeof first);
  first.size = sizeof first;
  memset(&answer, 0x5a, sizeof answer);
  const struct gpuplan_answer untouched = answer;
  check(admit((const struct gpuplan_job*)(const void*)&first, &answer, reason, sizeof reason) ==
            GPUPLAN_FITS,
        "a job of the first size is answered");
  check(answer.step_seconds > 0 && answer.score > 0.2 &&
            memcmp(&answer.fits_probability, &untouched.fits_probability,
                   sizeof answer - offsetof(struct gpuplan_answer, fits_probability)) == 0,
        "as long as the answer was then");
  for (uint32_t size = 0; size < 2 * sizeof whole; ++size) {
    struct gpuplan_job job = whole;
    job.size = size;
    if (size == sizeof first || size == sizeof job) continue;
    if (admit(&job, &answer, reason, sizeof reason) == GPUPLAN_INVALID && reason[0] != '\0') continue;
    check(0, "a job of another size is none");
    break;
  }
  /* A job of a later size has an answer that is no smaller; of others no more is known than that
   * the first answer fits. */
  static const struct gpuplan_answer zero;
  for (uint32_t size = 0; size < 100001; size += size < 45 ? 45 : 99955) {
    struct gpuplan_job job = whole;
    job.size = size;
    answer = untouched;
    check(admit(&job, &answer, reason, sizeof reason) == GPUPLAN_INVALID, "a size that is none");
    check(memcmp(&answer, &zero, offsetof(struct gpuplan_answer, fits_probability)) == 0,
          "has an answer of zeros");
    const struct gpuplan_answer* rest = size > sizeof job ? &zero : &untouched;
    check(memcmp(&answer.fits_probability, &rest->fits_probability,
                 sizeof answer - offsetof(struct gpuplan_answer, fits_probability)) == 0,
          "all of it where there is room");
  }
  struct gpuplan_job job = whole;
  check(admit(NULL, NULL, NULL, 0) == GPUPLAN_INVALID, "nothing at all");
  check(admit(&job, NULL, reason, sizeof reason) == GPUPLAN_INVALID, "no answer");
  check(admit(NULL, &answer, reason, sizeof reason) == GPUPLAN_INVALID, "no job");
  job.tensor = 3;
  job.data = 16;
  check(admit(&job, &answer, NULL, 0) == GPUPLAN_DOES_NOT_FIT, "no room for a reason");
  check(admit(&job, &answer, NULL, 100) == GPUPLAN_DOES_NOT_FIT, "no reason");
  check(admit(&job, &answer, reason, sizeof reason) == GPUPLAN_DOES_NOT_FIT &&
            strstr(reason, "tensor = 3 does not divide the 32 attention heads; it fits with ") ==
                reason,
        "3 divides no head");
  check(admit(&job, &answer, reason, 4) == GPUPLAN_DOES_NOT_FIT && strcmp(reason, "ten") == 0, "cut");
  check(admit(&job, &answer, reason, 1) == GPUPLAN_DOES_NOT_FIT && reason[0] == '\0', "cut off");
}

struct member {
  const char* key;
  size_t place;
};
#define MEMBER(key, name) \
  { key, offsetof(struct gpuplan_job, name) }

static void test_members(void) {
  static const struct member counts[] = {MEMBER("gpus", gpus),
                                         MEMBER("gpus_per_node", gpus_per_node),
                                         MEMBER("data", data),
                                         MEMBER("tensor", tensor),
                                         MEMBER("pipeline", pipeline),
                                         MEMBER("micro_batch_size", micro_batch),
                                         MEMBER("global_batch_size", global_batch),
                                         MEMBER("sequence_length", sequence),
                                         MEMBER("context", context),
                                         MEMBER("expert", expert),
                                         MEMBER("interleave", interleave),
                                         MEMBER("adapter_rank", adapter_rank),
                                         MEMBER("nodes", nodes),
                                         MEMBER("nvlink_domain", nvlink_domain),
                                         MEMBER("loader_workers", loader_workers)};
  static const struct member choices[] = {MEMBER("zero", zero),
                                          MEMBER("recompute", recompute),
                                          MEMBER("sequence_parallel", sequence_parallel),
                                          MEMBER("precision", precision),
                                          MEMBER("optimizer", optimizer),
                                          MEMBER("attention", attention),
                                          MEMBER("loss", loss),
                                          MEMBER("framework", framework),
                                          MEMBER("offload", offload),
                                          MEMBER("schedule", schedule),
                                          MEMBER("fabric", fabric)};
  static const struct member reals[] = {MEMBER("fabric_bandwidth", fabric_bandwidth),
                                        MEMBER("fabric_latency", fabric_latency),
                                        MEMBER("gpu_memory_bytes", gpu_memory),
                                        MEMBER("host_memory_bytes", host_memory),
                                        MEMBER("host_update_bytes_per_s", host_update),
                                        MEMBER("slowest", slowest),
                                        MEMBER("stored_sample_bytes", stored_sample),
                                        MEMBER("storage_bytes_per_s", storage),
                                        MEMBER("preprocessing_s", preprocessing)};
  static const int32_t no_counts[] = {-1, INT_MIN, INT_MAX};
  static const int32_t no_choices[] = {-1, INT_MIN, INT_MAX, 1, 3, 255, 256 + 100};
  const double no_reals[] = {-1, NAN, INFINITY, -INFINITY, 1e300};
  struct gpuplan_answer answer;
  char reason[512], text[200];
#define FOR_EACH(members, values, type)                                                       \
  for (size_t i = 0; i < sizeof members / sizeof *members; ++i)                               \
    for (size_t k = 0; k < sizeof values / sizeof *values; ++k) {                             \
      struct gpuplan_job job = declared_job();                                                \
      memcpy((char*)&job + members[i].place, &values[k], sizeof(type));                       \
      const int32_t code = admit(&job, &answer, reason, sizeof reason);                       \
      snprintf(text, sizeof text, "%s = %g is refused by name, not so: %s", members[i].key,   \
               (double)values[k], reason);                                                    \
      check(code == GPUPLAN_INVALID && strstr(reason, members[i].key) == reason &&            \
                answer.bytes_available == 0,                                                  \
            text);                                                                            \
    }
  FOR_EACH(counts, no_counts, int32_t)
  FOR_EACH(choices, no_choices, int32_t)
  FOR_EACH(reals, no_reals, double)

  struct gpuplan_job job = declared_job();
  job.model = 100000;
  check(admit(&job, &answer, reason, sizeof reason) == GPUPLAN_INVALID, "no such model");
  job = declared_job();
  job.gpu = -1;
  check(admit(&job, &answer, reason, sizeof reason) == GPUPLAN_INVALID, "no such GPU");
  for (int bit = 0; bit < 128; ++bit) {
    job = declared_job();
    job.others.given[bit / 64] = (uint64_t)1 << bit % 64;
    job.others.value[bit < 96 ? bit : 0] = NAN;
    if (admit(&job, &answer, reason, sizeof reason) == GPUPLAN_INVALID) continue;
    check(0, "no field is NaN");
    break;
  }
  job = declared_job();
  job.others.stages = 129;
  check(admit(&job, &answer, reason, sizeof reason) == GPUPLAN_INVALID, "too many stages");
  job.others.stages = -1;
  check(admit(&job, &answer, reason, sizeof reason) == GPUPLAN_INVALID, "fewer than none");
}

static void test_gpus(void) {
  struct gpuplan_answer answer, other;
  char reason[256];
  struct gpuplan_job job = declared_job();
  check(admit(&job, &answer, reason, sizeof reason) == GPUPLAN_FITS, "64 GPUs");
  job.gpus = 0;
  job.nodes = 8;
  check(admit(&job, &other, reason, sizeof reason) == GPUPLAN_FITS &&
            other.step_seconds == answer.step_seconds,
        "are 8 nodes of 8");
  job.nodes = 0;
  check(admit(&job, &other, reason, sizeof reason) == GPUPLAN_FITS &&
            other.step_seconds == answer.step_seconds,
        "or what the layout has");
  job.gpus = 64;
  job.nodes = 16;
  check(admit(&job, &other, reason, sizeof reason) == GPUPLAN_INVALID, "and not 16 nodes of 8");
  check(strstr(reason, "8 of a node: declare 8, or no nodes") != NULL, "the way out is said");
  job.gpus_per_node = 0;
  check(admit(&job, &other, reason, sizeof reason) == GPUPLAN_FITS &&
            other.found.gpus_per_node == 4 && other.step_seconds > answer.step_seconds,
        "but 16 of 4, which are slower");
  job = declared_job();
  job.gpus = job.data = 0;
  check(admit(&job, &other, reason, sizeof reason) == GPUPLAN_INVALID, "GPUs must be known");
  job = declared_job();
  job.fabric_bandwidth = 1e9;
  check(admit(&job, &other, reason, sizeof reason) == GPUPLAN_FITS &&
            other.step_seconds > answer.step_seconds,
        "a slow fabric takes longer");
  job.fabric_bandwidth = 400; /* Gb/s in place of B/s */
  check(admit(&job, &other, reason, sizeof reason) == GPUPLAN_INVALID &&
            strstr(reason, "fabric_bandwidth must be 1000000 to 1e+18 in base units") == reason,
        "a rate in another unit is no fabric");
  job.fabric_bandwidth = 1e6;
  check(admit(&job, &other, reason, sizeof reason) == GPUPLAN_FITS, "8 Mb/s are one");
  job.fabric = choice("fabric", "InfiniBand NDR 4x");
  check(admit(&job, &other, reason, sizeof reason) == GPUPLAN_INVALID, "one fabric");
  job.fabric_bandwidth = 0;
  check(admit(&job, &other, reason, sizeof reason) == GPUPLAN_FITS &&
            other.step_seconds == answer.step_seconds,
        "the usual one");
}

static void test_idle(void) {
  struct gpuplan_answer answer;
  char reason[256];
  struct gpuplan_job job = declared_job();
  job.gpus = 65;
  check(admit(&job, &answer, reason, sizeof reason) == GPUPLAN_FITS &&
            strcmp(reason, "1 of the 65 GPUs is idle") == 0,
        "a declared layout that leaves a GPU idle says so");
  job.gpus = 128;
  check(admit(&job, &answer, reason, sizeof reason) == GPUPLAN_FITS &&
            strcmp(reason, "64 of the 128 GPUs are idle") == 0,
        "or many");
  job = open_job();
  job.gpus = 16;
  job.fabric_bandwidth = 1e6; /* so slow that one node is faster than two */
  check(admit(&job, &answer, reason, sizeof reason) == GPUPLAN_FITS &&
            strstr(reason, "; 8 of the 16 GPUs are idle") != NULL,
        "so does one that is found");
}

static void test_text(void) {
  struct gpuplan_answer answer, other;
  char reason[512];
  struct gpuplan_job job = {.size = sizeof job};
  static const char* const words[][2] = {
      {"model", "Llama 3 8B"},     {"gpu", "H100"},           {"gpus", "64"},
      {"--gpus-per-node", "8"},    {"data", "32"},            {"--tensor", "2"},
      {"pipeline", "1"},           {"micro_batch", "1"},      {"--batch", "128"},
      {"sequence", "8k"},          {"zero", "optimizer"},     {"recompute", "none"},
      {"sequence_parallel", "on"}, {"fabric", "InfiniBand NDR 4x"}};
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
    check(declare(&job, words[i][0], words[i][1], reason, sizeof reason) == GPUPLAN_FITS &&
              reason[0] == '\0',
          words[i][0]);
  job.sequence = 8192; /* 8k is 8000 */
  struct gpuplan_job same = declared_job();
  check(admit(&job, &answer, reason, sizeof reason) == GPUPLAN_FITS, "a job in words fits");
  check(admit(&same, &other, reason, sizeof reason) == GPUPLAN_FITS &&
            other.bytes_needed == answer.bytes_needed && other.step_seconds == answer.step_seconds,
        "as the same in numbers");

  check(declare(&job, "zero", "any", reason, sizeof reason) == GPUPLAN_FITS && job.zero == 0,
        "a declaration is taken back");
  check(declare(&job, "optimizer", "adam_8bit", reason, sizeof reason) == GPUPLAN_FITS &&
            job.optimizer == choice("optimizer", "adam_8bit"),
        "a choice has a number");
  check(choice("zero", "3") == GPUPLAN_ZERO_3 && choice("sequence-parallel", "on") == GPUPLAN_ON &&
            choice("recompute", "full") == GPUPLAN_RECOMPUTE_FULL &&
            choice("offload", "all") == GPUPLAN_OFFLOAD_ALL,
        "those of the header are right");
  check(choice("zero", "4") == -1 && choice("nothing", "3") == -1 && choice(NULL, "3") == -1 &&
            choice("zero", NULL) == -1 && choice("tensor", "3") == -1,
        "and others are none");

  static const char* const wrong[][3] = {
      {"tensor", "two", "tensor must be a whole number, 1 to 1000000000, not 'two'"},
      {"tensor", "0", "tensor must be a whole number, 1 to 1000000000, not '0'"},
      {"tensor", "", "tensor must be a whole number, 1 to 1000000000, not ''"},
      {"tensor", "1.5", "tensor must be a whole number, 1 to 1000000000, not '1.5'"},
      {"zero", "4", "zero must be one of 0, 1, 2, 3, not '4'"},
      {"memory", "80", "gpu_memory_bytes must be 1 to 1e+18 in base units, as 80GiB, 80GB or "
                       "640Gbit, not '80'"},
      {"slowest", "0.5", "slowest must be a number, 1 to 1000000, not '0.5'"},
      {"recompute_modules", "mlp,x", "recompute_modules must be none or some of core_attn"},
      {"layer_split", "8,,8", "layer_split must be the layers of each of up to 128 stages"},
      {"dropout", "2", "dropout must be on or off, not '2'"},
      {"model", "llama-9", "model must be one of the catalogue, not 'llama-9'"},
      {"fabric", "carrier pigeon", "fabric must be one of the catalogue, not 'carrier pigeon'"},
      {"fabric", "400B/s", "fabric_bandwidth must be 1000000 to 1e+18 in base units"},
      {"optimiser", "sgd", "'optimiser' is no field of a job; did you mean optimizer?"},
      {"", "1", "'' is no field of a job"},
      {"a\nb", "1", "'a\\nb' is no field of a job"},
      {"zero", "\x1b[31m", "zero must be one of 0, 1, 2, 3, not '\\u001b[31m'"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    const struct gpuplan_job before = job;
    const int32_t code = declare(&job, wrong[i][0], wrong[i][1], reason, sizeof reason);
    if (code == GPUPLAN_INVALID && strstr(reason, wrong[i][2]) == reason &&
        memcmp(&before, &job, sizeof job) == 0)
      continue;
    printf("%s\n", reason);
    check(0, wrong[i][2]);
  }
  check(declare(NULL, "zero", "3", reason, sizeof reason) == GPUPLAN_INVALID, "no job");
  check(declare(&job, NULL, "3", reason, sizeof reason) == GPUPLAN_INVALID, "no key");
  check(declare(&job, "zero", NULL, NULL, 0) == GPUPLAN_INVALID, "no value, no reason");
  job.size = sizeof(struct first_job);
  check(declare(&job, "zero", "3", reason, sizeof reason) == GPUPLAN_INVALID, "a job too small");

  char* long_text = calloc(1, 1 << 20);
  memset(long_text, 'x', (1 << 20) - 1);
  job.size = sizeof job;
  check(declare(&job, long_text, "3", reason, sizeof reason) == GPUPLAN_INVALID &&
            declare(&job, "zero", long_text, reason, sizeof reason) == GPUPLAN_INVALID &&
            strlen(reason) < 200,
        "a long text is cut");
  free(long_text);
}

/* What is declared and has no effect is refused, as the program does. */
static void test_effects(void) {
  struct gpuplan_answer answer;
  char reason[256];
  struct gpuplan_job job = declared_job();
  declare(&job, "expert_imbalance", "2", reason, sizeof reason);
  check(admit(&job, &answer, reason, sizeof reason) == GPUPLAN_INVALID &&
            strcmp(reason, "expert_imbalance has no effect: the model has no experts") == 0,
        "a model without experts has no imbalance");
  job = declared_job();
  declare(&job, "recompute_every", "4", reason, sizeof reason);
  check(admit(&job, &answer, reason, sizeof reason) == GPUPLAN_INVALID, "nothing is recomputed");
  job.recompute = GPUPLAN_NOT_DECLARED;
  check(admit(&job, &answer, reason, sizeof reason) == GPUPLAN_FITS, "but might be");
}

static void test_strangers(void) {
  struct gpuplan_answer answer;
  char reason[256];
  srand(1);
  for (unsigned i = 0; i < 40000; ++i) { /* whatever a stranger sends, it answers */
    struct gpuplan_job any;
    unsigned char* bytes = (unsigned char*)&any;
    for (size_t b = 0; b < sizeof any; ++b) bytes[b] = (unsigned char)(rand() >> 7);
    if (i % 4 != 0) memset(&any.others, 0, sizeof any.others);
    if (i % 4 > 1) memset(&any.context, 0, offsetof(struct gpuplan_job, others) -
                                               offsetof(struct gpuplan_job, context));
    any.size = sizeof any;
    any.model = (int32_t)(i % 30);
    any.gpu = (int32_t)(i % 20);
    if (i % 4 == 3) {
      any.gpus = 1 << rand() % 7;
      any.gpus_per_node = 8;
      any.data = rand() % 3 == 0 ? 0 : 1 << rand() % 7;
      any.tensor = rand() % 3 == 0 ? 0 : 1 << rand() % 4;
      any.pipeline = rand() % 3 == 0 ? 0 : 1 << rand() % 3;
      any.micro_batch = rand() % 3;
      any.global_batch = rand() % 3 == 0 ? 0 : 64;
      any.sequence = 1 << rand() % 16;
      any.zero = rand() % 2 == 0 ? 0 : GPUPLAN_ZERO_0 + rand() % 4;
      any.recompute = rand() % 2 == 0 ? 0 : GPUPLAN_RECOMPUTE_NONE + rand() % 4;
      any.offload = rand() % 2 == 0 ? 0 : GPUPLAN_OFFLOAD_NONE + rand() % 3;
      any.expert = rand() % 3;
      any.context = rand() % 3;
    }
    const int32_t code = admit(&any, &answer, i % 8 == 7 ? NULL : reason, sizeof reason);
    if (code < 0 || code > 2 || !(answer.score >= 0 && answer.score <= 1) ||
        !(answer.fits_probability >= 0 && answer.fits_probability <= 1) ||
        !(answer.bytes_needed >= 0) || (code == GPUPLAN_FITS) != (answer.step_seconds > 0) ||
        (code != GPUPLAN_FITS && i % 8 != 7 && reason[0] == '\0')) {
      printf("%u: %d '%s'\n", i, (int)code, reason);
      check(0, "an answer to anything");
      break;
    }
  }
}

struct outcome {
  int32_t code;
  char reason[256];
  struct gpuplan_answer answer;
};

enum { jobs_at_once = 6 };

static void* admit_all(void* outcomes) {
  struct outcome* to = outcomes;
  struct gpuplan_job jobs[jobs_at_once];
  for (int i = 0; i < jobs_at_once; ++i) {
    jobs[i] = i % 2 == 0 ? declared_job() : open_job();
    if (i > 1) jobs[i].gpu_memory = 30e9;
    if (i > 3) jobs[i].tensor = 3;
  }
  for (int round = 0; round < 20; ++round)
    for (int i = 0; i < jobs_at_once; ++i)
      to[i].code = admit(&jobs[i], &to[i].answer, to[i].reason, sizeof to[i].reason);
  return NULL;
}

static void test_threads(void) {
  enum { threads = 4 };
  static struct outcome alone[jobs_at_once], together[threads][jobs_at_once];
  admit_all(alone);
  pthread_t started[threads];
  for (int i = 0; i < threads; ++i)
    check(pthread_create(&started[i], NULL, admit_all, together[i]) == 0, "a thread starts");
  for (int i = 0; i < threads; ++i) pthread_join(started[i], NULL);
  for (int i = 0; i < threads; ++i)
    for (int k = 0; k < jobs_at_once; ++k)
      check(together[i][k].code == alone[k].code &&
                strcmp(together[i][k].reason, alone[k].reason) == 0 &&
                together[i][k].answer.bytes_needed == alone[k].answer.bytes_needed &&
                together[i][k].answer.step_seconds == alone[k].answer.step_seconds,
            "threads get the same answers");
}

/* On request only: a clock is no test. */
static void print_times(void) {
  struct gpuplan_answer answer;
  char reason[256];
  const struct gpuplan_job jobs[] = {declared_job(), open_job()};
  const int calls[] = {200000, 1000};
  for (int i = 0; i < 2; ++i) {
    const clock_t start = clock();
    for (int k = 0; k < calls[i]; ++k) admit(&jobs[i], &answer, reason, sizeof reason);
    printf("%s: %.1f us\n", i == 0 ? "declared" : "open",
           1e6 * (double)(clock() - start) / CLOCKS_PER_SEC / calls[i]);
  }
}

int main(int argc, char** argv) {
  if (!load(argc > 1 ? argv[1] : NULL)) return 1;
  test_declared();
  test_open();
  test_sizes();
  test_members();
  test_gpus();
  test_idle();
  test_text();
  test_effects();
  test_strangers();
  test_threads();
  if (argc > 2) print_times();
  printf(failures == 0 ? "all as it should be\n" : "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
