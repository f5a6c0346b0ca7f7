/*
 * Failures on demand: VGPU_FAIL=API:N[,API:N...] makes the N-th call of an API function fail with the error
 * that api_list.h names for it, before it does anything.
 */
#ifndef KESCO_TEST_VGPU_FAIL_H
#define KESCO_TEST_VGPU_FAIL_H

#include "test/vgpu/api_list.h"

/* Reads VGPU_FAIL's value; ends the process with status 64 where it is not of that form. */
void fail_read(const char *text);

/* The error that call number `call` (1 is the first) of `api` shall return; cudaSuccess: it may go on. */
cudaError_t fail_on_call(enum api_id api, uint64_t call);

#endif
