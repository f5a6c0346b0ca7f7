#include <cuda_runtime.h>

#include <memory>

enum { SIZE = 300 };
extern int rounds; /* that kernels take */

/* Of steps.cu, which is compiled with KeSCo and without. */
struct Layer {
    virtual ~Layer() = default;
    virtual void run(int *a, int *b) = 0;
};
std::unique_ptr<Layer> make_layer(int kind);

void fill(int *to, int value);
void work(int *to);
void add(int *to, const int *from);
void work_on(int *to, cudaStream_t stream);
void clear(int *to);
void copy(int *to, const int *from);
void work_or_throw(int *to, bool throws);
void step_of_steps(int **all, int count, int depth);
extern void (*steps[2])(int *);

int next(int i);
void check(const char *what);
unsigned sum_on_host(const int *managed);

/* Of plain.cu, which is compiled without. */
void plain_work(int *to);
void plain_on_stream(int *to);
unsigned plain_sum(const int *managed);
unsigned plain_sum_of(const int *device);
