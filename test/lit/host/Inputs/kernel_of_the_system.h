/* Included as a system header, where KeSCo does not look. */
__global__ void of_the_system(float *out);
