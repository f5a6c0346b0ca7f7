/*
 * Scenarios: tests of the runtime's ABI on the virtual GPU, each in a process of its own, because VGPU_ and
 * KESCO_ variables are read at start. The test program starts itself again with the scenario's name and a
 * kind of origin as its arguments. Ops are host functions, so that their order can be watched, or copies, so
 * that VGPU_CHECK=races sees what is not ordered.
 */
#ifndef KESCO_TEST_RUNTIME_SCENARIO_H
#define KESCO_TEST_RUNTIME_SCENARIO_H

#include "runtime/kesco_abi.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AS_LATE_AS_POSSIBLE "1" /* as VGPU_SEED */

struct scenario {
    const char *name;
    int (*run)(void); /* 0: it holds */
};

#define SCENARIO(function) {#function, function}

enum { SCENARIO_RACES = 66, SCENARIO_OTHER = 2, SCENARIO_CELLS = 8, SCENARIO_CELL_SIZE = 64 };

/* Ends a scenario with status 1, naming the place, unless the condition holds. */
#define REQUIRE(condition)                                                                                   \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            scenario_complain(__FILE__, __LINE__, #condition);                                               \
            return 1;                                                                                        \
        }                                                                                                    \
    } while (0)
void scenario_complain(const char *file, int line, const char *text);

/* Enters a region of so many lanes and events on the origin `on`: each place in the source is another one. */
#define ENTER(on, lane_count, event_count) ENTER_LEVELS(on, lane_count, event_count, NULL)

/* The same behind a call that acted on the legacy default stream and returned `error`. */
#define ENTER_BEHIND(on, lane_count, event_count, error)                                                     \
    do {                                                                                                     \
        static const struct kesco_region entered = {.lanes = (lane_count), .events = (event_count)};         \
        __kesco1_enter_behind(on, &entered, error);                                                          \
    } while (0)

/* The same with levels of lanes. */
#define ENTER_LEVELS(on, lane_count, event_count, level_table)                                               \
    do {                                                                                                     \
        static const struct kesco_region entered = {                                                         \
            .lanes = (lane_count), .events = (event_count), .levels = (level_table)};                        \
        __kesco1_enter(on, &entered);                                                                        \
    } while (0)

/* In a scenario */

/* The origin that the scenario is run with; as a kind: "null", "legacy", "blocking", "nonblocking",
 * "per-thread". */
extern void *origin;

/* True if the origin is the legacy default stream. */
bool origin_is_legacy(void);

/* A new stream, made by a call that the runtime uses for lanes with levels only. */
cudaStream_t scenario_stream(unsigned flags);

/* Queues a host function that writes down a letter. */
void issue(char letter, void *stream);

/* True if both letters were written down, in this order. */
bool come_in_order(char first, char second);

/* How many letters were written down; forget_letters sets it back to 0. */
size_t letters(void);
void forget_letters(void);

/* Device memory of SCENARIO_CELLS cells; made at the first call, and anew behind forget_cells. */
char *cells(void);
void forget_cells(void);

/* Resets the device; an origin that the program made, it makes again. 0 if that works. */
int scenario_reset(void);

/* Queues an op that writes a cell, and one that reads cell `from` and writes cell `to`. */
void write_cell(int cell, void *stream);
void copy_cell(int to, int from, void *stream);

/* In the test program */

/* Runs a scenario in a child and returns the child's exit status. */
int run_child(const char *scenario, const char *kind);

/* The same with one more environment variable. */
int run_child_with(const char *scenario, const char *kind, const char *variable, const char *value);

/* Requires that a scenario makes so many records of events, and as many waits for some. */
void require_events(const char *scenario, const char *kind, int records, int waits);

/* Requires status 0 under each of 12 seeds and, in one more child, no race. */
void require_order(const char *scenario, const char *kind);

/* require_order on every kind of origin. */
void require_order_everywhere(const char *scenario);

/* Requires that VGPU_CHECK=races finds a race. */
void require_races(const char *scenario, const char *kind);

/* Requires status 0 of the scenario on every kind of origin, with one more environment variable. */
void require_everywhere(const char *scenario, const char *variable, const char *value);

/* All kinds of origin, and how many there are. */
extern const char *const origin_kinds[];
extern const size_t origin_kind_count;

/* For a test program's main: runs the scenario that its arguments name. */
int run_scenario(char **argv, const struct scenario *scenarios, size_t count);
#define RUN_SCENARIO(argv, scenarios) run_scenario(argv, scenarios, sizeof(scenarios) / sizeof *(scenarios))

#endif
