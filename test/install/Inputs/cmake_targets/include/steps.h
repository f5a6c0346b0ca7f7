// What main.cu has of the library and of host.cpp.
void fill(int *to, int value);
const char *end();
