/*
 * Images, the kernels and variables in them, and what the program's host code calls them by. The program
 * registers its images before main, as it does with libcudart.
 */
#ifndef KESCO_TEST_VGPU_MODULE_H
#define KESCO_TEST_VGPU_MODULE_H

#include "test/vgpu/device.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>

/* What clang's host code hands to __cudaRegisterFatBinary (clang CGCUDANV.cpp). */
struct fat_binary_wrapper {
    int magic;   /* FAT_BINARY_MAGIC */
    int version; /* 1 */
    const void *image;
    void *unused;
};
#define FAT_BINARY_MAGIC 0x466243b1

struct module;

/* A __global__ function as host code knows it, on one device. */
struct function {
    const void *host; /* address of the host stub */
    int device;
    const char *name;                    /* mangled */
    const struct vgpu_kernel *kernel;    /* NULL: the image does not have it */
    const struct kesco_summary *summary; /* summary_check.h; NULL: its launches are not checked */
    int dynamic_shared_limit;            /* bytes that a launch may ask for; cudaFuncSetAttribute raises it */
};

/* A variable as host code knows it, on one device. */
struct symbol {
    const void *host; /* address of the host shadow */
    int device;
    void *address; /* its storage; NULL: the image does not have it */
    size_t size;   /* bytes */
};

/*
 * Loads the image that the wrapper points at. Ends the process with status 65 where there is none: the
 * program was not built by vgpu-clang++.
 */
struct module *module_load(const struct fat_binary_wrapper *wrapper);

/* `host` is what host code knows it by; a name that the image lacks is registered all the same. */
void module_add_function(struct module *module, const void *host, const char *name);
void module_add_symbol(struct module *module, const void *host, const char *name, size_t size);

/* Of the calling thread's device; NULL: unknown. */
struct function *module_find_function(const void *host);
struct symbol *module_find_symbol(const void *host);

/* True if `address` is in a loaded image, variables or not. */
bool module_holds(const void *address);

/* Gives all variables of the device their initial values again. */
void module_reset(int device);

#endif
