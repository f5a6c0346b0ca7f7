/* Buffers in memory of the kind that a program is asked for. */
#include <cstring>
#include <vector>

/* So many floats of "device", "managed" or "pinned" memory; "one": only that of number 2 is managed. */
static float *allocate(const char *kind, int number, int count) {
    float *made;
    if (strcmp(kind, "managed") == 0 || (strcmp(kind, "one") == 0 && number == 2))
        cudaMallocManaged(&made, count * sizeof *made);
    else if (strcmp(kind, "pinned") == 0)
        cudaMallocHost(&made, count * sizeof *made);
    else
        cudaMalloc(&made, count * sizeof *made);
    return made;
}

/* Adds so many floats of `buffer` to `total`, one by one. */
static void addAll(float &total, const float *buffer, int count) {
    std::vector<float> values(count);
    cudaMemcpy(values.data(), buffer, count * sizeof *buffer, cudaMemcpyDeviceToHost);
    for (float value : values)
        total += value;
}
