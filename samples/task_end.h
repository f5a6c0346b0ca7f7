/* See samples/task_begin.h. */
#pragma pop_macro("__global__")

#undef TASK_PRIORITY
#undef BLOCK
#undef CHANNELS
#undef CHUNK
#undef CLASSES
#undef COUNT
#undef FEATURES
#undef MAX_COUNT
#undef MAX_ERROR
#undef MAX_PIXELS
#undef MAX_ROWS
#undef PIXELS
#undef RADIUS
#undef RATE
#undef ROWS
#undef STRIKE
#undef VECTORS
#undef VOLATILITY
#undef WEIGHTS1
#undef WEIGHTS2
#undef WINDOW
#undef YEARS
