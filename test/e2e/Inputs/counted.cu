// A comment is nothing,
/* however
   long. */
#include "nowhere.h"

#define TWICE(x) \
    ((x) + (x)) /* nor is one here */

__global__ void f(int *a) { *a = TWICE(1); }

int main() {
    f<<<1, 2>>>(0); // 10 tokens
    return "a\
b"[0];
}
