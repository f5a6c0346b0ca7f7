#include "steps.h"

__global__ void set(int *to, int value) { *to = value; }

void fill(int *to, int value) { set<<<1, 1>>>(to, FACTOR * value); }
