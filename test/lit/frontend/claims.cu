// KESCO_DISTINCT takes two variables that hold pointers.
// RUN: %kesco-host -std=c++11 -fsyntax-only -ferror-limit=0 -Xclang -verify %s
// RUN: %kesco-host -std=c++11 -fsyntax-only -ferror-limit=0 -Xclang -verify -fplugin-arg-kesco-off %s
// Without the plugin, and for the device, it is nothing.
// RUN: %cuda-host -std=c++11 -fsyntax-only -DFINE -Wall -Wextra -Werror %s
// RUN: %kesco --cuda-device-only -std=c++11 -fsyntax-only -DFINE -Wall -Wextra -Werror %s

#include <kesco.h>

struct Buffer {
    float *data;
    int size;
};

struct Array {
    float *&operator[](int i);
};
struct Handle {
    Buffer *operator->();
};

template <typename T> void claim(T first, T second) {
    // expected-error@+2 {{'KESCO_DISTINCT' is given 'first' of type 'int', which is no pointer; it takes two variables that hold pointers}}
    // expected-error@+1 {{'KESCO_DISTINCT' is given 'second' of type 'int', which is no pointer}}
    KESCO_DISTINCT(first, second);
}

__host__ __device__ void anywhere(float *a, const float *b) { KESCO_DISTINCT(a, b); }
__device__ void onDevice(float *a, const float *b) { KESCO_DISTINCT(a, b); }
__global__ void kernel(float *a, const float *b) { KESCO_DISTINCT(a, b); }

void fine(float *a, float *b, void *c, const Buffer &first, Buffer *second, float **several, int i) {
    claim(a, b);
    KESCO_DISTINCT(a, c);
    KESCO_DISTINCT(first.data, second->data);
    KESCO_DISTINCT(several[i], several[i + 1]);
    KESCO_DISTINCT((*several), a);
    anywhere(a, b);
}

#ifndef FINE
void wrong(float *a, Buffer *buffer, float *(*make)(), void (*code)(), Array array, Handle handle) {
    float memory[2];
    claim(1, 2);
    KESCO_DISTINCT(buffer->size, a); // expected-error {{'KESCO_DISTINCT' is given 'buffer->size' of type 'int', which is no pointer}}
    KESCO_DISTINCT(a, *a);           // expected-error {{'KESCO_DISTINCT' is given '*a' of type 'float', which is no pointer}}
    KESCO_DISTINCT(a, code);         // expected-error {{'KESCO_DISTINCT' is given 'code' of type 'void (*)()', which is no pointer}}
    KESCO_DISTINCT(memory, a);       // expected-error {{'KESCO_DISTINCT' is given 'memory' of type 'float[2]', which is no pointer}}
    KESCO_DISTINCT(nullptr, a);      // expected-error {{'KESCO_DISTINCT' is given 'nullptr', a null pointer; it takes two variables that hold pointers}}
    KESCO_DISTINCT(a, 0);            // expected-error {{'KESCO_DISTINCT' is given '0', a null pointer}}
    KESCO_DISTINCT(a, a + 1);        // expected-error {{'KESCO_DISTINCT' is given 'a + 1', which is no variable}}
    KESCO_DISTINCT(make(), a);       // expected-error {{'KESCO_DISTINCT' is given 'make()', which is no variable}}
    KESCO_DISTINCT(++a, buffer->data); // expected-error {{'KESCO_DISTINCT' is given '++a', which is no variable}}
    KESCO_DISTINCT(array[0], a);     // expected-error {{'KESCO_DISTINCT' is given 'array[0]', which is no variable; it takes two variables that hold pointers, and says something of what is computed from these: store 'array[0]' in one}}
    KESCO_DISTINCT(a, handle->data); // expected-error {{'KESCO_DISTINCT' is given 'handle->data', which is no variable}}
    KESCO_DISTINCT(a, (a));                       // expected-error {{'KESCO_DISTINCT' is given the same pointer twice}}
    KESCO_DISTINCT(buffer->data, buffer->data);   // expected-error {{'KESCO_DISTINCT' is given the same pointer twice}}
}
#endif
