// The functions that go past caches, and to surfaces, of which older clangs have none.
#ifndef KESCO_TEST_LIT_CACHE_FUNCTIONS_H
#define KESCO_TEST_LIT_CACHE_FUNCTIONS_H

#if __clang_major__ < 22
#define LOADS(name, operation)                                                                               \
    static __device__ inline int name(const int *from) {                                                     \
        int value;                                                                                           \
        asm("ld.global." operation ".s32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");                   \
        return value;                                                                                        \
    }                                                                                                        \
    static __device__ inline float4 name(const float4 *from) {                                               \
        float4 value;                                                                                        \
        asm("ld.global." operation ".v4.f32 {%0,%1,%2,%3}, [%4];"                                            \
            : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)                                     \
            : "l"(from)                                                                                      \
            : "memory");                                                                                     \
        return value;                                                                                        \
    }
LOADS(__ldcg, "cg")
LOADS(__ldcv, "cv")
#undef LOADS

static __device__ inline void __stwt(float4 *to, float4 value) {
    asm("st.global.wt.v4.f32 [%0], {%1,%2,%3,%4};" ::"l"(to), "f"(value.x), "f"(value.y), "f"(value.z),
        "f"(value.w)
        : "memory");
}
static __device__ inline void __stwt(int *to, int value) {
    asm("st.global.wt.s32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}

static __device__ inline void surf1Dwrite(float value, cudaSurfaceObject_t surface, int x) {
    asm volatile("sust.b.1d.b32.trap [%0, {%1}], {%2};" ::"l"(surface), "r"(x), "r"(__float_as_int(value))
                 : "memory");
}
#endif

#endif
