/*
 * What a user's source includes: annotations on kernels, and claims. Under a compiler without the KeSCo
 * plugin (nvcc, plain clang) they are empty, so one source builds everywhere.
 *
 *   KESCO_OUTPUTS(1) __global__ void blur(float *out, const float *in);
 *   KESCO_OUTPUTS("y", "z") __global__ void split(const float *x, float *y, float *z);
 *   KESCO_PRIORITY(2) KESCO_OUTPUTS(1) __global__ void urgent(float *out, const float *in);
 *
 * KESCO_OUTPUTS(N): the kernel writes its first N pointer parameters and only reads through the others.
 * KESCO_OUTPUTS("y", ...): it writes the parameters of these names and only reads through the others.
 * KESCO_PRIORITY(P): the priority of the task that the kernel belongs to; higher runs first; default 1.
 * KESCO_OFF: the function, or all launches of the kernel, stay as they are.
 *
 *   KESCO_DISTINCT(left, right);
 *
 * A statement of host code: from here on, within this function, what ops touch through the one pointer, or
 * through others that are computed from it after this, does not overlap what they touch through the other
 * pointer, as far as one of them writes it. `left` and `right` are variables that hold pointers (members and
 * elements of arrays, too); one that is set anew is under the claim no more. A program run with KESCO_CHECK=1
 * is told of claims that are false.
 */
#ifndef KESCO_H
#define KESCO_H

#if defined(__has_attribute)
#if __has_attribute(kesco_outputs)
#define KESCO_OUTPUTS(...) __attribute__((kesco_outputs(__VA_ARGS__)))
#define KESCO_PRIORITY(P) __attribute__((kesco_priority(P)))
#endif
#if __has_attribute(kesco_off)
#define KESCO_OFF __attribute__((kesco_off))
#endif
#endif

#if defined(KESCO_OFF) && defined(__cplusplus) && defined(__CUDACC__) && !defined(__CUDA_ARCH__)
/* The plugin takes its calls out. It is there for compilations without LLVM's passes, and for device code,
 * which the compilation for the host reads, too. */
extern "C" __attribute__((host, device)) inline void __kesco_distinct(const char *, const char *,
                                                                      ...) noexcept {
}
#define KESCO_DISTINCT(a, b) __kesco_distinct(#a, #b, (a), (b))
#else
#define KESCO_DISTINCT(a, b) ((void)sizeof(a), (void)sizeof(b))
#endif

#ifndef KESCO_OUTPUTS
#define KESCO_OUTPUTS(...)
#define KESCO_PRIORITY(P)
#endif
#ifndef KESCO_OFF
#define KESCO_OFF
#endif

#endif
