/*
 * What nvcc makes of one source. It compiles the host code last. By then what it made for each architecture
 * stands beside that, in its temporary folder or where --keep has it, whatever becomes part of the program:
 * of app.cu
 *
 *     PREFIX-N_app.compute_90.cpp1.ii   the preprocessed source, and
 *     PREFIX-N_app.compute_90.ptx       its device code, but for link time optimisation;
 *     PREFIX-N_app.compute_90.cudafe1.cpp   the host code
 *
 * where PREFIX- and N are missing with --keep, and .compute_90 with one architecture.
 */
#ifndef KESCO_PLUGIN_KERNELS_NVCC_FILES_H
#define KESCO_PLUGIN_KERNELS_NVCC_FILES_H

#include "plugin/kernels/ptx_texts.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* True for the name of host code that nvcc makes. */
bool kesco_is_nvcc_host(const char *file);

/*
 * Adds the PTX that belongs to the host code `file`, all of its device code. -EBADMSG: some architecture has
 * none, or it cannot be read; `problem`, of the memory of `texts`, says so. -ENOMEM.
 */
int kesco_nvcc_find_ptx(const char *file, struct kesco_ptx_texts *texts, const char **problem);

#ifdef __cplusplus
}
#endif

#endif
