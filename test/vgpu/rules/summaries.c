/* VGPU_CHECK=races: what kernels do must be in their access summaries. */
#include "test/vgpu/rules/rules.h"

#include <jansson.h>

enum { SIZE = 256 };

static char *memory;
static long result;

static void fill_once(void) {
    memory = new_memory(SIZE);
    launch_fill(memory, SIZE, 1, 0);
    OK(cudaDeviceSynchronize());
}

static void sum_once(void) {
    memory = new_memory(SIZE);
    launch_sum(memory, SIZE, &result, 0);
    OK(cudaDeviceSynchronize());
}

static void add_once(void) {
    launch_add(new_memory(SIZE), 1, 0);
    OK(cudaDeviceSynchronize());
}

static void count_once(void) {
    int value = 1;
    OK(launch(&count_stub, (void *[]){&value}, 0));
    OK(cudaDeviceSynchronize());
}

static void move_once(void) {
    struct pair pair = {0, new_memory(SIZE), new_memory(SIZE)};
    OK(launch(&move_stub, (void *[]){&pair}, 0));
    OK(cudaDeviceSynchronize());
}

static void print_once(void) {
    OK(launch(&print_stub, NULL, 0));
    OK(cudaDeviceSynchronize());
}

static void trap_once(void) {
    OK(launch(&trap_stub, NULL, 0));
    REQUIRE(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
}

/* Allowed */

static void a_right_summary_passes(void) {
    print_once();
    fill_once();
    sum_once();
    add_once();
    count_once();
    move_once();
}

static void a_trap_that_it_has_passes(void) {
    trap_once();
}

static void a_pointer_into_the_middle_counts(void) {
    memory = new_memory(SIZE);
    launch_fill(memory + 100, 10, 1, 0);
    OK(cudaDeviceSynchronize());
}

/* As one that a kernel walks backwards from. */
static void a_pointer_behind_the_end_counts(void) {
    struct pair pair = {1, (char *)new_memory(SIZE) + SIZE, (char *)new_memory(SIZE) + SIZE};
    OK(launch(&move_stub, (void *[]){&pair}, 0));
    OK(cudaDeviceSynchronize());
}

static void one_allocation_through_two_pointers_unites_them(void) {
    char *both = new_memory(SIZE);
    struct pair pair = {0, both, both + 1};
    OK(launch(&move_stub, (void *[]){&pair}, 0));
    OK(cudaDeviceSynchronize());
}

static void a_variable_through_a_pointer_counts(void) {
    void *address;
    OK(cudaGetSymbolAddress(&address, &counter_shadow));
    launch_fill(address, sizeof(int), 1, 0);
    OK(cudaDeviceSynchronize());
}

static void memory_anywhere_may_be_any(void) {
    move_once();
}

static void unseen_code_may_do_anything(void) {
    move_once();
    count_once();
    print_once();
}

static void unchecked_without_the_variable(void) {
    fill_once();
}

/* Not allowed */

static void a_write_that_is_missing(void) {
    fill_once();
}

static void a_read_that_is_missing(void) {
    sum_once();
}

static void an_atomic_is_a_read(void) {
    add_once();
}

static void an_atomic_is_a_write(void) {
    add_once();
}

static void a_variable_that_is_missing(void) {
    count_once();
}

static void a_write_to_a_variable_that_is_missing(void) {
    count_once();
}

static void another_variable(void) {
    count_once();
}

static void a_member_that_is_missing(void) {
    move_once();
}

static void a_member_at_another_place(void) {
    move_once();
}

static void members_the_other_way_round(void) {
    move_once();
}

static void another_pointer(void) {
    void *one = new_memory(SIZE);
    const size_t size = SIZE;
    memory = new_memory(SIZE);
    OK(launch(&sum_stub, (void *[]){&memory, (void *)&size, &one}, 0));
    OK(cudaDeviceSynchronize());
}

static void an_empty_summary(void) {
    fill_once();
}

static void only_reads_anywhere(void) {
    fill_once();
}

static void a_print_that_is_missing(void) {
    print_once();
}

static void a_trap_that_is_missing(void) {
    trap_once();
}

static void a_kernel_without_summary(void) {
}

static void a_parameter_that_is_missing(void) {
}

static void a_member_behind_the_end(void) {
}

static void a_text_that_is_damaged(void) {
    fill_once();
}

static void a_launch_of_a_graph(void) {
    const cudaStream_t stream = new_stream(0);
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    memory = new_memory(SIZE);
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    launch_fill(memory, SIZE, 1, stream);
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphInstantiate(&executable, graph, 0));
    OK(cudaGraphLaunch(executable, stream));
    OK(cudaStreamSynchronize(stream));
}

/* Copies have no summary. */
static void only_kernels_are_checked(void) {
    char host[SIZE] = {0};
    memory = new_memory(SIZE);
    OK(cudaMemcpy(memory, host, SIZE, cudaMemcpyHostToDevice));
    OK(cudaMemset(memory, 0, SIZE));
}

static void many_findings_are_counted(void) {
    for (int i = 0; i < 120; i++)
        fill_once();
}

#define STATS_FILE "vgpu_rule_summaries.json"

/* What the rule before has left. */
static void expect_stats(json_int_t checked, json_int_t violations) {
    json_t *stats = json_load_file(STATS_FILE, 0, NULL);
    REQUIRE(stats);
    REQUIRE(json_integer_value(json_object_get(stats, "summaries_checked")) == checked);
    REQUIRE(json_integer_value(json_object_get(stats, "summary_violations")) == violations);
    json_decref(stats);
    REQUIRE(remove(STATS_FILE) == 0);
}

static void stats_have_what_was_found(void) {
    expect_stats(120, 120);
}

static void stats_have_what_was_checked(void) {
    expect_stats(6, 0);
}

static void expect(const json_t *stats, const char *name, json_int_t value) {
    REQUIRE(json_integer_value(json_object_get(stats, name)) == value);
}

/* Four launches, one of which accesses nothing. */
static void use_ranges(void) {
    fill_once();
    launch_fill(memory, 0, 1, 0);
    sum_once();
    add_once();
}

static void exact_ranges_are_counted(void) {
    use_ranges();
}

static void wider_ranges_are_counted(void) {
    use_ranges();
}

static void missing_ranges_are_counted(void) {
    use_ranges();
}

static void expect_ranges(json_int_t exact, json_int_t wider, json_int_t whole) {
    json_t *stats = json_load_file(STATS_FILE, 0, NULL);
    REQUIRE(stats);
    expect(stats, "ranges_exact", exact);
    expect(stats, "ranges_wider", wider);
    expect(stats, "ranges_whole", whole);
    json_decref(stats);
    REQUIRE(remove(STATS_FILE) == 0);
}

static void stats_have_exact_ranges(void) {
    expect_ranges(3, 0, 2);
}

static void stats_have_wider_ranges(void) {
    expect_ranges(0, 3, 2);
}

static void stats_have_no_ranges(void) {
    expect_ranges(0, 0, 5);
}

#define REST "K _Z4notePvi\nP 0 0 rw\nK _Z4trapv\nF t\nK _Z5sharev\nF t\nK _Z4workPKcmm\nP 0 0 r\n"
#define FILL "K _Z4fillPcmc\nP 0 0 w 10\n"
#define SUM "K _Z3sumPKcmPl\nP 0 0 r\nP 2 0 w 20\n"
#define ADD "K _Z3addPii\nP 0 0 rw 30\n"
#define COUNT "K _Z5counti\nV counter rw\n"
#define MOVE "K _Z4move4pair\nP 0 8 w 40\nP 0 16 r\n"
#define PRINT "K _Z5printv\nF p\n"
#define ALL REST FILL SUM ADD COUNT MOVE PRINT

#define EXACT                                                                                                \
    REST COUNT MOVE PRINT "K _Z4fillPcmc\nP 0 0 w\nR 0 0 w 0;a1:0:64\nK _Z3sumPKcmPl\nP 0 0 r\nR 0 0 r "     \
                          "0;a1:0:64\nP 2 0 w\n" ADD
#define WIDER                                                                                                \
    REST COUNT MOVE PRINT "K _Z4fillPcmc\nP 0 0 w\nR 0 0 w -1;a1:0:64\nK _Z3sumPKcmPl\nP 0 0 r\nR 0 0 r "    \
                          "0;a1:0:64,1,+\nP 2 0 w\n" ADD

#define CHECKED .environment = "VGPU_CHECK=races"
#define STATS .environment = "VGPU_CHECK=races VGPU_STATS=" STATS_FILE
#define PASSES(run_, text) RULE(run_, ONCE, CHECKED, .summaries = text, .prints_not = "vgpu: summary")
#define FOUND(run_, text, message)                                                                           \
    RULE(run_, ONCE, CHECKED, .summaries = text, .status = 66, .prints = message)

int main(int argc, char **argv) {
    static const struct rule rules[] = {
        RULE(a_right_summary_passes, EVERY_SEED, STATS, .summaries = ALL, .prints_not = "vgpu: summary"),
        RULE(stats_have_what_was_checked, ONCE),
        PASSES(a_trap_that_it_has_passes, ALL),
        PASSES(a_pointer_into_the_middle_counts, ALL),
        PASSES(a_pointer_behind_the_end_counts, ALL),
        PASSES(one_allocation_through_two_pointers_unites_them, ALL),
        PASSES(a_variable_through_a_pointer_counts, ALL),
        PASSES(memory_anywhere_may_be_any, REST FILL SUM ADD COUNT PRINT "K _Z4move4pair\nA rw - why\n"),
        PASSES(unseen_code_may_do_anything,
               REST FILL SUM ADD "K _Z4move4pair\nU - f\nK _Z5counti\nU - f\nK _Z5printv\nU - f\n"),
        RULE(unchecked_without_the_variable, ONCE, .summaries = "K other\n"),
        FOUND(a_write_that_is_missing, REST SUM ADD COUNT MOVE PRINT "K _Z4fillPcmc\nP 0 0 r\n",
              "writes bytes 0 to 255 of the allocation of 256 bytes"),
        FOUND(a_read_that_is_missing, REST FILL ADD COUNT MOVE PRINT "K _Z3sumPKcmPl\nP 0 0 w\n",
              "reads bytes 0 to 255 of the allocation of 256 bytes"),
        FOUND(an_atomic_is_a_read, REST FILL SUM COUNT MOVE PRINT "K _Z3addPii\nP 0 0 w\n",
              "reads bytes 0 to 3 of the allocation"),
        FOUND(an_atomic_is_a_write, REST FILL SUM COUNT MOVE PRINT "K _Z3addPii\nP 0 0 r\n",
              "writes bytes 0 to 3 of the allocation"),
        FOUND(a_variable_that_is_missing, REST FILL SUM ADD MOVE PRINT "K _Z5counti\n",
              "writes bytes 0 to 3 of the variable counter of 4 bytes"),
        FOUND(a_write_to_a_variable_that_is_missing,
              REST FILL SUM ADD MOVE PRINT "K _Z5counti\nV counter r\n",
              "its summary has: reads variable counter"),
        FOUND(another_variable, REST FILL SUM ADD MOVE PRINT "K _Z5counti\nV counters rw\n",
              "its summary has: reads and writes variable counters"),
        FOUND(a_member_that_is_missing, REST FILL SUM ADD COUNT PRINT "K _Z4move4pair\nP 0 8 w\n",
              "reads bytes 0 to 0 of the allocation"),
        FOUND(a_member_at_another_place, REST FILL SUM ADD COUNT PRINT "K _Z4move4pair\nP 0 0 rw\nP 0 8 w\n",
              "reads bytes 0 to 0 of the allocation"),
        FOUND(members_the_other_way_round,
              REST FILL SUM ADD COUNT PRINT "K _Z4move4pair\nP 0 8 r\nP 0 16 w\n",
              "its summary has: reads through parameter 0 at offset 8, which is 0x"),
        FOUND(another_pointer, REST FILL ADD COUNT MOVE PRINT "K _Z3sumPKcmPl\nP 2 0 r\n", ", elsewhere"),
        FOUND(an_empty_summary, REST SUM ADD COUNT MOVE PRINT "K _Z4fillPcmc\n",
              "its summary has: nothing anywhere else"),
        FOUND(only_reads_anywhere, REST SUM ADD COUNT MOVE PRINT "K _Z4fillPcmc\nA r - why\n",
              "its summary has: reads anywhere else"),
        FOUND(a_print_that_is_missing, REST FILL SUM ADD COUNT MOVE "K _Z5printv\nF htw\n",
              "prints, against its summary"),
        FOUND(a_trap_that_is_missing,
              FILL SUM ADD COUNT MOVE PRINT "K _Z4notePvi\nP 0 0 rw\nK _Z4trapv\nK _Z5sharev\nF t\nK "
                                            "_Z4workPKcmm\nP 0 0 r\n",
              "traps, against its summary"),
        FOUND(a_kernel_without_summary, REST SUM ADD COUNT MOVE PRINT,
              "kernel fill(char*, unsigned long, char) has no summary, but its image has summaries"),
        FOUND(a_parameter_that_is_missing, ALL "K _Z4fillPcmc\nP 3 0 w\n",
              "kernel fill(char*, unsigned long, char) has no pointer at offset 0 in parameter 3"),
        FOUND(a_member_behind_the_end, ALL "K _Z4move4pair\nP 0 17 w\n",
              "kernel move(pair) has no pointer at offset 17 in parameter 0"),
        FOUND(a_text_that_is_damaged, ALL "X\n",
              "a device image has a text of access summaries that is unfit: it has a line"),
        FOUND(a_launch_of_a_graph, REST SUM ADD COUNT MOVE PRINT "K _Z4fillPcmc\n",
              "vgpu: summary: kernel fill(char*, unsigned long, char), launched at"),
        PASSES(only_kernels_are_checked, ALL),
        RULE(many_findings_are_counted, ONCE, STATS, .status = 66, .prints = "100 findings",
             .summaries = REST SUM ADD COUNT MOVE PRINT "K _Z4fillPcmc\n"),
        RULE(stats_have_what_was_found, ONCE),
        RULE(exact_ranges_are_counted, ONCE, STATS, .summaries = EXACT),
        RULE(stats_have_exact_ranges, ONCE),
        RULE(wider_ranges_are_counted, ONCE, STATS, .summaries = WIDER),
        RULE(stats_have_wider_ranges, ONCE),
        RULE(missing_ranges_are_counted, ONCE, STATS, .summaries = ALL),
        RULE(stats_have_no_ranges, ONCE),
    };
    return RULES_MAIN(rules);
}
