/*
 * What translated device code (made by vgpu-device) asks of libvgpu.so beyond device.h. Device code calls
 *   vgpu_nvvm_A_B_C   for the intrinsic llvm.nvvm.a.b.c
 *   vgpu_asm_A_B      for the instruction a.b of inline asm, with its operands behind the result
 *   vgpu_fn_F         for the function F that the translation unit does not define (libdevice, vprintf, ...)
 * and what libvgpu.so does not export under such a name is not modelled: vgpu-device reads the library's
 * symbols and makes every other call end in vgpu_unmodelled. So a definition in the library is all that it
 * takes to model one more. Arguments of such a function are C's int32_t, int64_t, float, double and pointers;
 * an i1, i8 or i16 is passed zero-extended as uint32_t. A second result ({i32, i1}) is returned through a
 * last pointer argument.
 */
#ifndef KESCO_TEST_VGPU_DEVICE_ABI_H
#define KESCO_TEST_VGPU_DEVICE_ABI_H

#include <stddef.h>
#include <stdint.h>

/* Marks what device code may call or read. */
#define VGPU_DEVICE __attribute__((visibility("default")))

/* Declares and opens the definition of a function that device code may call. */
#define VGPU_DEVICE_FN(result, name, ...)                                                                    \
    VGPU_DEVICE result name(__VA_ARGS__);                                                                    \
    result name(__VA_ARGS__)

#define VGPU_WARP_SIZE 32u
#define VGPU_BLOCK_LIMIT 1024u                 /* threads of a block */
#define VGPU_DYNAMIC_SHARED_LIMIT (256u << 10) /* bytes; more than any GPU has */
#define VGPU_RESERVED_SHARED (1u << 10) /* bytes behind it, which the system has for cooperative groups */

/* Special registers of the running thread, read by device code by field offset. */
struct vgpu_registers {
    uint32_t tid[3];         /* threadIdx */
    uint32_t ntid[3];        /* blockDim */
    uint32_t ctaid[3];       /* blockIdx */
    uint32_t nctaid[3];      /* gridDim */
    uint32_t laneid;         /* place in the warp */
    uint32_t warpid;         /* the warp's place in the block */
    uint32_t dynamic_shared; /* bytes of dynamic shared memory of the launch */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Written by exec.c whenever another thread runs. */
VGPU_DEVICE extern struct vgpu_registers vgpu_registers;

/*
 * Instructions that the threads of the running grid have run, as device code has them: clang's, before the
 * translation adds to them. Device code adds to it before a function returns. Floating-point arithmetic
 * counts once more by its precision. What stands for several instructions of a device counts as them
 * (image/work.cpp).
 */
enum { VGPU_WORK_ALL, VGPU_WORK_SINGLE, VGPU_WORK_DOUBLE, VGPU_WORK_KINDS };
VGPU_DEVICE extern uint64_t vgpu_work[VGPU_WORK_KINDS];

/* The one buffer behind every `extern __shared__` array, and the reserved bytes: one block runs at a time. */
VGPU_DEVICE extern char vgpu_dynamic_shared[VGPU_DYNAMIC_SHARED_LIMIT + VGPU_RESERVED_SHARED];

/*
 * vgpu_access for device code: leaves out what is not global memory (the running thread's local variables and
 * dynamic shared memory). Static shared memory is left out by the caller.
 */
VGPU_DEVICE void vgpu_device_access(const void *address, uint64_t size, uint32_t kind);

/*
 * Where an address of PTX's shared memory leads, of which the lower 32 bits count: into the image's `size`
 * bytes of static shared memory at `start`, or into dynamic shared memory. Small numbers count from the
 * beginning of the first, and go on in the second, as on a device.
 */
VGPU_DEVICE void *vgpu_shared_pointer(char *start, uint64_t size, uint32_t address);

/* A value of a texture's or a surface's instruction, of which the type is the instruction's. */
union vgpu_word {
    float real;
    int32_t integer;
    uint32_t bits;
};

/*
 * What an instruction says of its access: how many coordinates a place has; before them stands the number of
 * a layer. A place of a cube is a direction. Coordinates are real numbers, or integers (of surfaces always,
 * in bytes the first). A gather gives a channel of the four elements that linear filtering would take.
 */
enum {
    VGPU_TEXELS_DIMENSIONS = 3,
    VGPU_TEXELS_LAYERED = 4,
    VGPU_TEXELS_CUBE = 8,
    VGPU_TEXELS_INTEGERS = 16,
    VGPU_TEXELS_GATHER = 32,
    VGPU_TEXELS_WRITES = 64,
    VGPU_TEXELS_CLAMPS = 128, /* places outside a surface: the nearest inside; */
    VGPU_TEXELS_ZEROS = 256,  /* read as zero, and not written; neither: they end the kernel */
    VGPU_TEXELS_CHANNEL = 512 /* times the channel */
};

/* Four channels of a texture at a place, of which an instruction has at most four words. */
VGPU_DEVICE void vgpu_texture_fetch(uint64_t texture, uint32_t form, const union vgpu_word *place,
                                    union vgpu_word *channels);

/* Reads or writes `size` bytes of a surface at a place. */
VGPU_DEVICE void vgpu_surface_access(uint64_t surface, uint32_t form, const union vgpu_word *place,
                                     char *data, uint64_t size);

/*
 * Called before every atomic and volatile load, by which a thread may wait for another one: lets the other
 * threads of the block go on now and then, and ends the process once nothing else can be the reason for so
 * many.
 */
VGPU_DEVICE void vgpu_device_spin(void);

#ifdef __cplusplus
}
#endif

#endif
