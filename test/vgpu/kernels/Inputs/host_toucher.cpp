// Host code in a translation unit of its own.
void touch(int *values) {
    values[7] = 1;
}
