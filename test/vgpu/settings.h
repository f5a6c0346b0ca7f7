/*
 * What the VGPU_ variables of the environment ask for. Read once, before main; a value that is not allowed
 * ends the process with status 64 and a message that names the variable and what is allowed. A name that is
 * nearly one of them is told of.
 */
#ifndef KESCO_TEST_VGPU_SETTINGS_H
#define KESCO_TEST_VGPU_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    EXIT_BAD_SETTING = 64, /* a VGPU_ variable has a value that is not allowed */
    EXIT_UNMODELLED = 65,  /* the program needs what the virtual GPU does not model */
    EXIT_RACES = 66,       /* VGPU_CHECK=races found a race, or what a summary does not have */
    EXIT_BAD_HANDLE = 67   /* the program hands over what was destroyed, or never was a handle */
};

enum { DEVICE_LIMIT = 16 };

struct settings {
    uint64_t seed;    /* VGPU_SEED: which legal order ops run in; 0: issue order */
    bool check_races; /* VGPU_CHECK=races: race.h, summary_check.h */
    int devices;      /* VGPU_DEVICES: how many there are; 1 if not set */
    bool
        concurrent_managed; /* VGPU_CONCURRENT_MANAGED: cudaDevAttrConcurrentManagedAccess; true if not set */
    uint64_t memory;        /* VGPU_MEMORY: bytes that a device has; 16 GiB if not set */
    FILE *stats;            /* VGPU_STATS, open for writing, or NULL */
    FILE *counts;           /* VGPU_COUNTS, the same */
    FILE *trace;            /* VGPU_TRACE, the same */
    bool small_touches;     /* VGPU_EXTRAPOLATE_TOUCHES=0: extrapolation.h */
    bool null_mode;         /* VGPU_MODE=null: nothing runs (api_list.h, API_WORKS) */
    bool time;              /* VGPU_TIME=1, or needed by another setting: virtual time is kept (timeline.h) */
};
extern struct settings settings;

/* Fills `settings`, VGPU_FAIL's table (fail.h), `hardware` (hardware.h) and VGPU_EXTRAPOLATE's counts
 * (extrapolation.h) from the environment. */
void settings_read(void);

struct json_t;

/* Writes JSON, of which it takes the reference, to the open file of a setting, and closes it. */
void settings_finish(FILE *file, const char *name, struct json_t *root);

/* Prints "vgpu: " and the message, flushes, and ends the process at once, running no exit handler. */
__attribute__((format(printf, 2, 3))) _Noreturn void die(int status, const char *format, ...);

#endif
