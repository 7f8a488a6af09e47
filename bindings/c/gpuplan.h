/* gpuplan: what a training job needs of GPUs, how long it runs, what it costs.
 *
 * A request in JSON, an answer in JSON; docs/bindings.md describes both.  C99.
 */
#ifndef GPUPLAN_H
#define GPUPLAN_H

#ifdef __cplusplus
extern "C" {
#endif

/* The answer to a request, both UTF-8 text that ends in a zero byte:
 *
 *     {"question": "fit", "model": "llama-3-8b", "cluster": {"gpu": "H100", "gpus": 8}}
 *
 * What cannot be answered is an answer as well: {"error": {"what": "...", ...}}.  Opens no file,
 * prints nothing, ends no process.  Several threads may ask at once.
 *
 * Give the result back with gpuplan_free.  NULL if there is no memory for it.
 */
char* gpuplan_answer(const char* request);

/* Gives back what gpuplan_answer returned; NULL is nothing to give back. */
void gpuplan_free(char* answer);

/* The version, as "0.2.0": a text that stays. */
const char* gpuplan_version(void);

#ifdef __cplusplus
}
#endif

#endif
