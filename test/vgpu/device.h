/*
 * The seam between the two halves of the virtual GPU: the device image, which vgpu-device makes from a
 * translation unit's device code, and libvgpu.so, which loads images and runs their kernels.
 *
 * An image is an x86-64 shared object, preceded by a struct vgpu_image_header, and stands where a real build
 * has its fatbinary (clang's -fcuda-include-gpubinary). __cudaRegisterFatBinary finds it by its magic, loads
 * it, and looks up the one symbol that it exports, VGPU_MODULE_SYMBOL.
 */
#ifndef KESCO_TEST_VGPU_DEVICE_H
#define KESCO_TEST_VGPU_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VGPU_IMAGE_MAGIC "VGPUIMG1" /* 8 bytes, without the terminating zero */
#define VGPU_MODULE_VERSION 2u
#define VGPU_MODULE_SYMBOL "vgpu_module"

struct vgpu_image_header {
    char magic[8];        /* VGPU_IMAGE_MAGIC */
    uint64_t size;        /* bytes of the shared object that follows this header */
    uint64_t reserved[6]; /* zero; pads the header to 64 bytes */
};

/* A __global__ function. */
struct vgpu_kernel {
    const char *name;            /* mangled name, as __cudaRegisterFunction gives it */
    void (*entry)(void **args);  /* runs one thread; args[i] points at parameter i, as in cudaLaunchKernel */
    uint32_t param_count;        /* number of parameters */
    const uint32_t *param_sizes; /* bytes of each parameter */
    uint32_t static_shared;      /* bytes of static shared memory */
    uint32_t
        needs_fibers; /* not 0: threads of a block meet (barrier, shuffle, vote), directly or in a callee */
    void *shared;     /* all static shared memory of the image; a null pointer: there is none */
    uint64_t shared_size; /* bytes of that */
};

enum { VGPU_VAR_DEVICE = 0, VGPU_VAR_CONSTANT = 1 };

/* A __device__ or __constant__ variable. (clang 22 knows no __managed__ in CUDA.) */
struct vgpu_var {
    const char *name; /* mangled name, as __cudaRegisterVar gives it */
    void *address;    /* its storage in the image */
    uint64_t size;    /* bytes */
    uint32_t kind;    /* VGPU_VAR_ */
};

struct vgpu_module {
    uint32_t version; /* VGPU_MODULE_VERSION */
    uint32_t kernel_count;
    const struct vgpu_kernel *kernels;
    uint32_t var_count;
    const struct vgpu_var *vars;
};

enum { VGPU_READ = 1, VGPU_WRITE = 2, VGPU_ATOMIC = VGPU_READ | VGPU_WRITE };

/*
 * Not 0 while the accesses of the running op are recorded. Instrumented device code tests it inline and calls
 * vgpu_access only then. Defined by the engine (race.c).
 */
extern int vgpu_recording;

/*
 * Records that the running op touches `size` bytes at `address`; `kind` is VGPU_READ, VGPU_WRITE or
 * VGPU_ATOMIC. Called by instrumented device code for every load and store that may reach global memory, and
 * by the engine for copies and memsets. Defined by the engine (race.c).
 */
void vgpu_access(const void *address, uint64_t size, uint32_t kind);

/* Notes that the running op prints. Called by device printf. Defined by the engine (race.c). */
void vgpu_printed(void);

/* Notes that the running op hits a trap, or that a device assert of it fails. Defined by the engine (race.c).
 */
void vgpu_trapped(void);

struct vgpu_dim3 {
    uint32_t x, y, z;
};

/* A launch, as the executor takes it. */
struct vgpu_launch {
    const struct vgpu_kernel *kernel;
    struct vgpu_dim3 grid, block;
    size_t dynamic_shared; /* bytes */
    void **args;           /* as for cudaLaunchKernel: one pointer per parameter, the values already copied */
    bool cooperative;      /* its blocks may wait for each other */
    uint64_t resident;     /* how many of its blocks a device has at once */
};

/*
 * Runs a whole grid in the calling host thread, and returns when its last thread has ended. Returns 0, or a
 * negative errno (-ENOMEM, -EFAULT when a kernel hit a trap, -ECANCELED when a device assert failed, -EDEADLK
 * when a barrier can never be met). Defined by the executor (exec.c).
 */
int vgpu_execute(const struct vgpu_launch *launch);

/*
 * Ends the process with status 65 and the message "vgpu: NAME is not modelled" plus `detail`. What the
 * virtual GPU does not model ends here, never in a silent success. Defined by the engine (fail.c).
 */
_Noreturn void vgpu_unmodelled(const char *name, const char *detail);

#endif
