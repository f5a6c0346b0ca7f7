/* What surface instructions read and write: elements of an array, by the byte of a row where they begin. */
#include "test/vgpu/device.h"
#include "test/vgpu/exec.h"
#include "test/vgpu/texture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

_Noreturn static void abort_access(const char *what, uint64_t handle) {
    fprintf(stderr, "vgpu: kernel %s: surface 0x%llx: %s\n", vgpu_kernel_name(), (unsigned long long)handle,
            what);
    vgpu_grid_abort(-EFAULT);
}

/* Where the bytes are that a place stands for; NULL: outside. */
static char *find(const struct texels *texels, uint32_t form, const union vgpu_word *place, uint64_t size) {
    const int dimensions = (int)(form & VGPU_TEXELS_DIMENSIONS);
    const int64_t ends[] = {(int64_t)(texels->pitch - size), (int64_t)texels->height - 1,
                            (int64_t)texels->depth - 1};
    const size_t strides[] = {1, texels->pitch, texels->slice};
    int64_t at[3] = {0};
    if (form & VGPU_TEXELS_LAYERED)
        at[2] = (place++)->integer;
    for (int i = 0; i < dimensions; i++)
        at[i] = place[i].integer;
    char *found = texels->base;
    for (int i = 0; i < 3; i++) {
        if (form & VGPU_TEXELS_CLAMPS)
            at[i] = at[i] < 0 ? 0 : at[i] < ends[i] ? at[i] : ends[i];
        if (at[i] < 0 || at[i] > ends[i])
            return NULL;
        found += (size_t)at[i] * strides[i];
    }
    return found;
}

void vgpu_surface_access(uint64_t handle, uint32_t form, const union vgpu_word *place, char *data,
                         uint64_t size) {
    const struct texels *texels = surface_find(handle);
    const bool writes = form & VGPU_TEXELS_WRITES;
    char *found = texels && size <= texels->pitch ? find(texels, form, place, size) : NULL;
    if (!texels)
        abort_access("there is none of that handle", handle);
    if (!found && !(form & VGPU_TEXELS_ZEROS))
        abort_access("access outside", handle);
    if (found && vgpu_recording)
        vgpu_access(found, size, writes ? VGPU_WRITE : VGPU_READ);
    if (!found)
        memset(data, 0, size);
    else if (writes)
        memcpy(found, data, size);
    else
        memcpy(data, found, size);
}
