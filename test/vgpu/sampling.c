/*
 * What texture instructions read (CUDA Programming Guide, "Texture Fetching"): elements, as they are or as
 * real numbers, one of them or, with linear filtering, the mean of those around the place. There is one level
 * of detail.
 */
#include "test/vgpu/device.h"
#include "test/vgpu/exec.h"
#include "test/vgpu/texture.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CHANNELS = 4, OUTSIDE = -1, CUBE_FACES = 6 };

/* A place in a texture, in elements. */
struct place {
    int dimensions;
    double at[3];  /* along each dimension */
    int64_t layer; /* 0 where there are none */
};

static int64_t clamped(int64_t index, int64_t count) {
    return index < 0 ? 0 : index < count ? index : count - 1;
}

/* Which element an index stands for; OUTSIDE: none. */
static int64_t element_at(int64_t index, int64_t count, enum cudaTextureAddressMode mode) {
    const int64_t period = mode == cudaAddressModeMirror ? 2 * count : count;
    const int64_t inside = period ? (index % period + period) % period : OUTSIDE;
    switch (mode) {
    case cudaAddressModeWrap:
        return inside;
    case cudaAddressModeMirror:
        return inside < count ? inside : period - 1 - inside;
    case cudaAddressModeBorder:
        return index < 0 || index >= count ? OUTSIDE : index;
    default:
        return clamped(index, count);
    }
}

/* Elements */

/* A channel as a number between -1 and 1, or 0 and 1. */
static float normalized(uint32_t bits, int32_t integer, const struct cudaChannelFormatDesc *format) {
    if (format->f == cudaChannelFormatKindUnsigned)
        return (float)bits / (format->x == 8 ? 255.0F : 65535.0F);
    return fmaxf((float)integer / (format->x == 8 ? 127.0F : 32767.0F), -1.0F);
}

static union vgpu_word read_channel(const struct texture *texture, const char *from) {
    const struct cudaChannelFormatDesc *format = &texture->texels.format;
    const int unused = 32 - format->x;
    union vgpu_word word = {.bits = 0};
    memcpy(&word, from, (size_t)format->x / 8);
    if (format->f == cudaChannelFormatKindFloat) {
        _Float16 half;
        memcpy(&half, &word, sizeof(half));
        return format->x == 16 ? (union vgpu_word){.real = (float)half} : word;
    }
    const int32_t integer = (int32_t)(word.bits << unused) >> unused;
    if (texture->sampling.readMode == cudaReadModeNormalizedFloat)
        return (union vgpu_word){.real = normalized(word.bits, integer, format)};
    return format->f == cudaChannelFormatKindSigned ? (union vgpu_word){.integer = integer} : word;
}

/* An element by its indices, of which some may be outside: it is zero then. */
static void read_element(const struct texture *texture, const int64_t indices[3], int64_t layer,
                         union vgpu_word channels[CHANNELS]) {
    const struct texels *texels = &texture->texels;
    const int64_t counts[] = {(int64_t)texels->width, (int64_t)texels->height, (int64_t)texels->depth};
    const size_t strides[] = {texels->element, texels->pitch, texels->slice};
    const char *from = texels->base + (size_t)layer * texels->slice;
    memset(channels, 0, CHANNELS * sizeof(*channels));
    for (int i = 0; i < 3; i++) {
        const int64_t index = element_at(indices[i], counts[i], texture->modes[i]);
        if (index == OUTSIDE)
            return;
        from += (size_t)index * strides[i];
    }
    if (vgpu_recording)
        vgpu_access(from, texels->element, VGPU_READ);
    const size_t size = (size_t)texels->format.x / 8;
    for (size_t i = 0; i * size < texels->element; i++)
        channels[i] = read_channel(texture, from + i * size);
}

/* Filtering */

static void fetch_nearest(const struct texture *texture, const struct place *place,
                          union vgpu_word channels[CHANNELS]) {
    int64_t indices[3] = {0};
    for (int i = 0; i < place->dimensions; i++)
        indices[i] = (int64_t)floor(place->at[i]);
    read_element(texture, indices, place->layer, channels);
}

/* "9-bit fixed point format with 8 bits of fractional value" */
static double weight(double fraction) {
    return rint(fraction * 256) / 256;
}

/* The mean of the elements around the place: bit i of a corner says that it is the later one along dimension
 * i. */
static void fetch_mean(const struct texture *texture, const struct place *place,
                       union vgpu_word channels[CHANNELS]) {
    double sums[CHANNELS] = {0};
    for (unsigned corner = 0; corner < 1U << place->dimensions; corner++) {
        int64_t indices[3] = {0};
        double share = 1;
        union vgpu_word element[CHANNELS];
        for (int i = 0; i < place->dimensions; i++) {
            const bool later = corner >> i & 1;
            const double first = floor(place->at[i] - 0.5), part = weight(place->at[i] - 0.5 - first);
            indices[i] = (int64_t)first + later;
            share *= later ? part : 1 - part;
        }
        read_element(texture, indices, place->layer, element);
        for (int i = 0; i < CHANNELS && share > 0; i++)
            sums[i] += share * (double)element[i].real;
    }
    for (int i = 0; i < CHANNELS; i++)
        channels[i].real = (float)sums[i];
}

/* A channel of the four elements around the place, counterclockwise from the lower left one. */
static void gather(const struct texture *texture, const struct place *place, uint32_t channel,
                   union vgpu_word channels[CHANNELS]) {
    static const int64_t corners[CHANNELS][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    for (int i = 0; i < CHANNELS; i++) {
        const int64_t indices[3] = {(int64_t)floor(place->at[0] - 0.5) + corners[i][0],
                                    (int64_t)floor(place->at[1] - 0.5) + corners[i][1], 0};
        union vgpu_word element[CHANNELS];
        read_element(texture, indices, place->layer, element);
        channels[i] = element[channel];
    }
}

/* Places */

/*
 * CUDA Programming Guide, "Cubemap Textures": the face that a direction leads to, and where on it, by the
 * largest of its coordinates m and two others s and t.
 */
static int find_face(const union vgpu_word *direction, double *s, double *t) {
    const double x = (double)direction[0].real, y = (double)direction[1].real, z = (double)direction[2].real;
    double m;
    int face;
    if (fabs(x) >= fabs(y) && fabs(x) >= fabs(z)) {
        face = x >= 0 ? 0 : 1;
        m = x, *s = x >= 0 ? -z : z, *t = -y;
    } else if (fabs(y) >= fabs(z)) {
        face = y >= 0 ? 2 : 3;
        m = y, *s = x, *t = y >= 0 ? z : -z;
    } else {
        face = z >= 0 ? 4 : 5;
        m = z, *s = z >= 0 ? x : -x, *t = -y;
    }
    *s = (*s / fabs(m) + 1) / 2;
    *t = (*t / fabs(m) + 1) / 2;
    return face;
}

static struct place place_of(const struct texture *texture, uint32_t form, const union vgpu_word *given) {
    const struct texels *texels = &texture->texels;
    const double counts[] = {(double)texels->width, (double)texels->height, (double)texels->depth};
    struct place place = {.dimensions = (int)(form & VGPU_TEXELS_DIMENSIONS)};
    if (form & VGPU_TEXELS_LAYERED)
        place.layer = (given++)->integer;
    for (int i = 0; i < place.dimensions; i++)
        place.at[i] = form & VGPU_TEXELS_INTEGERS ? given[i].integer : (double)given[i].real;
    if (form & VGPU_TEXELS_CUBE) {
        place.dimensions = 2;
        place.layer = CUBE_FACES * place.layer + find_face(given, &place.at[0], &place.at[1]);
    }
    if (texture->sampling.normalizedCoords && !(form & VGPU_TEXELS_INTEGERS))
        for (int i = 0; i < place.dimensions; i++)
            place.at[i] *= counts[i];
    place.layer = place.dimensions < 3 ? clamped(place.layer, (int64_t)texels->depth) : 0;
    return place;
}

static bool is_linear(const struct texture *texture, uint32_t form) {
    return texture->sampling.filterMode == cudaFilterModeLinear && !(form & VGPU_TEXELS_INTEGERS);
}

void vgpu_texture_fetch(uint64_t handle, uint32_t form, const union vgpu_word *given,
                        union vgpu_word *channels) {
    const struct texture *texture = texture_find(handle);
    if (!texture) {
        fprintf(stderr, "vgpu: kernel %s: 0x%llx is no texture\n", vgpu_kernel_name(),
                (unsigned long long)handle);
        vgpu_grid_abort(-EFAULT);
    }
    const struct place place = place_of(texture, form, given);
    if (form & VGPU_TEXELS_GATHER)
        gather(texture, &place, form / VGPU_TEXELS_CHANNEL, channels);
    else if (is_linear(texture, form))
        fetch_mean(texture, &place, channels);
    else
        fetch_nearest(texture, &place, channels);
}
