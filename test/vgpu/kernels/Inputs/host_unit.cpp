/* The host unit of two_units.cu. */
int run_host(int n);
int run_host(int n) {
    return 2 * n;
}
