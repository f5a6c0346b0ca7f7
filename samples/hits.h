/*
 * All of the sample hits but for how its kernels are launched (hits.cu; by_hand/hits.cu and graph/hits.cu by
 * hand): which nodes of a directed graph are good hubs (they lead to good authorities) and good authorities
 * (good hubs lead to them). J. Kleinberg, "Authoritative sources in a hyperlinked environment" (1999).
 *
 *   hits [--graph FILE | --scale S] [--converge EPS] [--repeat N] [--times FILE] [--check]
 *
 *   --graph FILE    an edge a line (samples/edge_list.h); default samples/data/includes.txt, seen from the
 *                   current folder. An edge that is there twice counts twice
 *   --scale S       instead of a file, a graph from a generator with a fixed seed: at scale 1, 250000 edges
 *                   and a node for every 16; 100 to 720 are the 25 to 180 million of the paper, which
 *                   take 0.25 to 1.8 GB of device memory
 *   --converge EPS  iterates until neither scores change by more than EPS, summed over all nodes, or
 *                   MAX_ITERATIONS times; without it, ITERATIONS times
 *
 * For the others see samples/bench.h. --check allows for MAX_ERROR of a score, and TINY, because sums are
 * made in another order than the CPU's. Exit status: 0 the scores are computed, 1 they are not, or the check
 * failed.
 */
#ifndef KESCO_SAMPLES_HITS_H
#define KESCO_SAMPLES_HITS_H

#include "samples/bench.h"
#include "samples/edge_list.h"
#include "samples/reduction.h"

#include <math.h>

#define DEFAULT_GRAPH "samples/data/includes.txt"
#define EDGES 250000 /* at scale 1 */
#define EDGES_A_NODE 16
#define ITERATIONS 5
#define MAX_ITERATIONS 1000
#define TOP 5 /* nodes that are printed */
#define BLOCK 256
#define MAX_ERROR 1e-4
#define TINY 1e-9

/* A sparse matrix of zeros and ones (compressed sparse rows), on the device. */
struct matrix {
    uint32_t *first;  /* nodes + 1: where a row starts in `column` */
    uint32_t *column; /* edges: the columns that have a one */
};

/* A score for each node, on the device. */
struct scores {
    float *now;               /* normalised: their sum is 1 */
    float *next;              /* before that */
    struct reduction *norm;   /* the sum of `next` */
    struct reduction *change; /* of what `now` changes by; with `epsilon` only */
};

struct hits_data {
    struct matrix out; /* A: an edge is in the row of the node where it starts */
    struct matrix in;  /* its transpose */
    struct scores auth, hub;
    float *initial; /* of both, on the device */
    uint32_t nodes;
    size_t edges;
    double epsilon; /* 0: ITERATIONS iterations */
    int iterations; /* how many there were, after `run` */
};

BENCH_RUN(hits_data);

/* out = matrix * in; a thread for each row. */
__global__ void spmv(float *out, const uint32_t *first, const uint32_t *column, const float *in,
                     uint32_t nodes) {
    size_t row = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= nodes)
        return;
    float score = 0;
    for (size_t i = first[row]; i < first[row + 1]; i++)
        score += in[column[i]];
    out[row] = score;
}

__global__ void sum(struct reduction *norm, const float *in, uint32_t nodes) {
    float own = 0;
    for (size_t i = reduction_first(); i < nodes; i += reduction_stride())
        own += in[i];
    reduce_all(norm, REDUCTION_SUM, own);
}

__global__ void divide(float *out, const float *in, const struct reduction *norm, uint32_t nodes) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nodes)
        out[i] = in[i] / norm->value;
}

/* What divide will change `now` by, summed over all nodes. */
__global__ void difference(struct reduction *change, const float *now, const float *next,
                           const struct reduction *norm, uint32_t nodes) {
    float own = 0;
    for (size_t i = reduction_first(); i < nodes; i += reduction_stride())
        own += fabsf(next[i] / norm->value - now[i]);
    reduce_all(change, REDUCTION_SUM, own);
}

static inline unsigned blocks_of(const struct hits_data *data) {
    return (unsigned)(((size_t)data->nodes + BLOCK - 1) / BLOCK);
}

/* On the host, the matrices as in struct hits_data. */
struct host_graph {
    struct matrix out, in;
    uint32_t nodes;
    size_t edges;
};

/* In [0, nodes), low numbers more often: as in graphs of the web, some nodes have far more edges. */
static uint32_t random_node(uint64_t *state, uint32_t nodes) {
    double place = bench_random(state);
    return (uint32_t)(place * sqrt(sqrt(place)) * nodes);
}

static void generate(struct edge_list *list, const struct bench *bench) {
    size_t count = bench_scaled(bench, EDGES, EDGE_LIST_MAX_EDGES, "edges");
    uint32_t nodes = (uint32_t)(count / EDGES_A_NODE + 1);
    uint64_t state = 2023;
    list->edges = (struct edge *)bench_alloc(bench, count, sizeof *list->edges);
    list->count = list->room = count;
    for (size_t i = 0; i < count; i++) {
        list->edges[i].from = random_node(&state, nodes);
        list->edges[i].to = nodes - 1 - random_node(&state, nodes);
    }
}

static uint32_t count_nodes(const struct edge_list *list) {
    uint32_t last = 0;
    for (size_t i = 0; i < list->count; i++) {
        uint32_t from = list->edges[i].from, to = list->edges[i].to;
        last = from > last ? from : last;
        last = to > last ? to : last;
    }
    return last + 1;
}

/* The matrix of `list`, or its transpose: counts a row's edges, adds up where rows start, and places each. */
static struct matrix compress(const struct bench *bench, const struct edge_list *list, uint32_t nodes,
                              bool transposed) {
    struct matrix matrix;
    matrix.first = (uint32_t *)bench_alloc(bench, (size_t)nodes + 2, sizeof *matrix.first);
    matrix.column = (uint32_t *)bench_alloc(bench, list->count, sizeof *matrix.column);
    uint32_t *next = matrix.first + 1;
    for (size_t i = 0; i < list->count; i++)
        next[(transposed ? list->edges[i].to : list->edges[i].from) + (size_t)1]++;
    for (size_t row = 1; row <= nodes; row++)
        next[row] += next[row - 1];
    for (size_t i = 0; i < list->count; i++) {
        const struct edge *edge = &list->edges[i];
        matrix.column[next[transposed ? edge->to : edge->from]++] = transposed ? edge->from : edge->to;
    }
    return matrix;
}

static struct host_graph graph_of(const struct bench *bench, const struct edge_list *list) {
    struct host_graph graph;
    graph.nodes = count_nodes(list);
    graph.edges = list->count;
    graph.out = compress(bench, list, graph.nodes, false);
    graph.in = compress(bench, list, graph.nodes, true);
    return graph;
}

static void free_matrix(struct matrix *matrix) {
    free(matrix->column);
    free(matrix->first);
}

static struct matrix upload(const struct matrix *host, uint32_t nodes, size_t edges) {
    struct matrix matrix;
    size_t rows = ((size_t)nodes + 1) * sizeof *matrix.first;
    CHECK(MEMORY_MALLOC(&matrix.first, rows));
    CHECK(MEMORY_MALLOC(&matrix.column, edges * sizeof *matrix.column));
    memory_fill(matrix.first, host->first, rows);
    memory_fill(matrix.column, host->column, edges * sizeof *matrix.column);
    return matrix;
}

/* `scores`: room for a score a node. */
static void create(struct hits_data *data, const struct host_graph *graph, float *scores) {
    size_t bytes = graph->nodes * sizeof(float);
    data->nodes = graph->nodes;
    data->edges = graph->edges;
    data->out = upload(&graph->out, graph->nodes, graph->edges);
    data->in = upload(&graph->in, graph->nodes, graph->edges);
    CHECK(MEMORY_MALLOC(&data->auth.now, bytes));
    CHECK(MEMORY_MALLOC(&data->hub.now, bytes));
    CHECK(MEMORY_MALLOC(&data->auth.next, bytes));
    CHECK(MEMORY_MALLOC(&data->hub.next, bytes));
    CHECK(MEMORY_MALLOC(&data->initial, bytes));
    data->auth.norm = reduction_create();
    data->hub.norm = reduction_create();
    data->auth.change = reduction_create();
    data->hub.change = reduction_create();
    for (size_t i = 0; i < graph->nodes; i++)
        scores[i] = 1.0f / (float)graph->nodes;
    memory_set(data->initial, scores, bytes);
#ifdef MEMORY_MANAGED
    memory_fill(data->auth.now, scores, bytes);
    memory_fill(data->hub.now, scores, bytes);
#endif
    memory_add_result(data->auth.now);
    memory_add_result(data->hub.now);
}

/* Of managed memory, the host does that. */
static void reset(struct hits_data *data) {
#ifdef MEMORY_MANAGED
    (void)data;
#else
    CHECK(cudaMemcpy(data->auth.now, data->initial, data->nodes * sizeof(float), cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy(data->hub.now, data->initial, data->nodes * sizeof(float), cudaMemcpyDeviceToDevice));
#endif
}

static void destroy(struct hits_data *data) {
    CHECK(cudaFree(data->hub.change));
    CHECK(cudaFree(data->auth.change));
    CHECK(cudaFree(data->hub.norm));
    CHECK(cudaFree(data->auth.norm));
    CHECK(cudaFree(data->initial));
    CHECK(cudaFree(data->hub.next));
    CHECK(cudaFree(data->auth.next));
    CHECK(cudaFree(data->hub.now));
    CHECK(cudaFree(data->auth.now));
    CHECK(cudaFree(data->in.column));
    CHECK(cudaFree(data->in.first));
    CHECK(cudaFree(data->out.column));
    CHECK(cudaFree(data->out.first));
}

/* The CPU's reference. */

static void multiply(double *out, const struct matrix *matrix, const double *in, uint32_t nodes) {
    for (size_t row = 0; row < nodes; row++) {
        out[row] = 0;
        for (size_t i = matrix->first[row]; i < matrix->first[row + 1]; i++)
            out[row] += in[matrix->column[i]];
    }
}

static void normalise(double *out, const double *in, uint32_t nodes) {
    double norm = 0;
    for (size_t i = 0; i < nodes; i++)
        norm += in[i];
    for (size_t i = 0; i < nodes; i++)
        out[i] = in[i] / norm;
}

static int compare_scores(const float *scores, const double *expected, uint32_t nodes, const char *what) {
    for (size_t i = 0; i < nodes; i++) {
        if (!(fabs(scores[i] - expected[i]) <= MAX_ERROR * expected[i] + TINY)) {
            fprintf(stderr, "hits: wrong result: node %zu has the %s score %g instead of %g\n", i, what,
                    scores[i], expected[i]);
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}

static int compare(const struct bench *bench, const struct host_graph *graph, const float *auth,
                   const float *hub, int iterations) {
    uint32_t nodes = graph->nodes;
    double *auth1 = (double *)bench_alloc(bench, nodes, sizeof(double));
    double *hub1 = (double *)bench_alloc(bench, nodes, sizeof(double));
    double *auth2 = (double *)bench_alloc(bench, nodes, sizeof(double));
    double *hub2 = (double *)bench_alloc(bench, nodes, sizeof(double));
    for (size_t i = 0; i < nodes; i++)
        auth1[i] = hub1[i] = 1.0 / nodes;
    for (int i = 0; i < iterations; i++) {
        multiply(auth2, &graph->in, hub1, nodes);
        multiply(hub2, &graph->out, auth1, nodes);
        normalise(auth1, auth2, nodes);
        normalise(hub1, hub2, nodes);
    }
    int status = compare_scores(auth, auth1, nodes, "authority");
    if (status == EXIT_SUCCESS)
        status = compare_scores(hub, hub1, nodes, "hub");
    free(hub2);
    free(auth2);
    free(hub1);
    free(auth1);
    return status;
}

/* Prints the nodes with the highest scores. */
static void print_top(const char *what, const float *scores, uint32_t nodes) {
    uint32_t top[TOP];
    uint32_t count = nodes < TOP ? nodes : TOP;
    printf(", %s", what);
    for (uint32_t rank = 0; rank < count; rank++) {
        bool found = false;
        for (uint32_t i = 0; i < nodes; i++) {
            bool taken = false;
            for (uint32_t above = 0; above < rank; above++)
                taken = taken || top[above] == i;
            if (!taken && (!found || scores[i] > scores[top[rank]])) {
                top[rank] = i;
                found = true;
            }
        }
        printf(" %u", top[rank]);
    }
}

/* Prints the result; with --check, compares it. */
static int show(const struct bench *bench, const struct hits_data *data, const struct host_graph *graph) {
    size_t bytes = data->nodes * sizeof(float);
    float *auth = (float *)bench_alloc(bench, data->nodes, sizeof(float));
    float *hub = (float *)bench_alloc(bench, data->nodes, sizeof(float));
    CHECK(cudaMemcpy(auth, data->auth.now, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(hub, data->hub.now, bytes, cudaMemcpyDeviceToHost));
    int status = bench->check ? compare(bench, graph, auth, hub, data->iterations) : EXIT_SUCCESS;
    if (status == EXIT_SUCCESS) {
        uint64_t digest = bench_digest(bench_digest(BENCH_DIGEST, auth, bytes), hub, bytes);
        printf("hits: %u nodes, %zu edges, %d iterations", data->nodes, data->edges, data->iterations);
        print_top("hubs", hub, data->nodes);
        print_top("authorities", auth, data->nodes);
        printf(", digest %016llx\n", (unsigned long long)digest);
    }
    free(hub);
    free(auth);
    return status;
}

struct hits_task {
    struct hits_data data;
    struct host_graph graph;
};

/* Takes what `list` owns. */
static void create_from(struct hits_task *task, const struct bench *bench, struct edge_list *list) {
    task->graph = graph_of(bench, list);
    edge_list_destroy(list);
    float *scores = (float *)bench_alloc(bench, task->graph.nodes, sizeof(float));
    create(&task->data, &task->graph, scores);
    task->data.epsilon = 0;
    free(scores);
}

static int show_task(const struct hits_task *task, const struct bench *bench) {
    return show(bench, &task->data, &task->graph);
}

static void destroy_task(struct hits_task *task) {
    destroy(&task->data);
    free_matrix(&task->graph.in);
    free_matrix(&task->graph.out);
}

#ifdef BENCH_PARTS
static void create_task(struct hits_task *task, const struct bench *bench) {
    struct edge_list list;
    generate(&list, bench);
    create_from(task, bench, &list);
}

#else
struct hits_options {
    const char *path; /* of the graph, or NULL */
    bool scaled;      /* a size was given */
    double epsilon;
};

static double parse_epsilon(const char *text) {
    char *end;
    double epsilon = strtod(text, &end);
    if (end == text || *end || !(epsilon > 0) || epsilon > 2) {
        fprintf(stderr, "hits: --converge '%s' is not a number above 0 and up to 2\n", text);
        exit(EXIT_FAILURE);
    }
    return epsilon;
}

static struct bench parse(struct hits_options *options, int argc, char **argv) {
    struct bench bench = bench_create("hits", "[--graph FILE] [--converge EPS]");
    memset(options, 0, sizeof *options);
    for (int i = 1; i < argc; i++) {
        options->scaled = options->scaled || strcmp(argv[i], "--scale") == 0;
        if (strcmp(argv[i], "--graph") == 0)
            options->path = bench_value(&bench, argc, argv, &i);
        else if (strcmp(argv[i], "--converge") == 0)
            options->epsilon = parse_epsilon(bench_value(&bench, argc, argv, &i));
        else if (!bench_take(&bench, argc, argv, &i))
            bench_reject(&bench, argv[i]);
    }
    if (options->path && options->scaled) {
        fprintf(stderr, "hits: --graph and --scale exclude each other\n");
        exit(EXIT_FAILURE);
    }
    return bench;
}

static void load(struct edge_list *list, const struct bench *bench, const struct hits_options *options) {
    char error[EDGE_LIST_ERROR_SIZE];
    if (options->scaled) {
        generate(list, bench);
    } else if (edge_list_read(list, options->path ? options->path : DEFAULT_GRAPH, error)) {
        fprintf(stderr, "hits: %s\n", error);
        exit(EXIT_FAILURE);
    }
}

int main(int argc, char **argv) {
    struct hits_options options;
    struct bench bench = parse(&options, argc, argv);
    struct edge_list list;
    struct hits_task task;
    load(&list, &bench, &options);
    create_from(&task, &bench, &list);
    task.data.epsilon = options.epsilon;
    setup_run(&task.data);
    bench_begin(&bench);
    for (unsigned long i = 0; i < bench.repeat; i++) {
        memory_refill();
        reset(&task.data);
        bench_start(&bench);
        run(&task.data);
        memory_read_results();
        bench_stop(&bench);
    }
    bench_end(&bench);
    memory_end();
    teardown_run();
    int status = show_task(&task, &bench);
    destroy_task(&task);
    return status;
}
#endif

#endif
