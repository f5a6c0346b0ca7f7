/* Each has a kernel for either array of 32 numbers. */
void left(float *a, float *b);
void right(float *a, float *b);
void spread(float *const *all, int count);
