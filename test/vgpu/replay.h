/*
 * What the host did (timeline.h), replayed on the clock (clock.h), in order: its own time passes, ops become
 * jobs, and a wait takes it to the time that the clock has come to.
 */
#ifndef KESCO_TEST_VGPU_REPLAY_H
#define KESCO_TEST_VGPU_REPLAY_H

#include "test/vgpu/op.h"

/* The host touches a page of managed memory. */
struct page_touch {
    struct residence *residence; /* a reference */
    size_t page;
    uint64_t job;   /* that brings the page, if it lives elsewhere */
    uint64_t epoch; /* in which it is touched (residence_note_host) */
};

void replay_host(double us);            /* spends time of its own */
void replay_op(struct op *op);          /* issues an op, which has run */
void replay_stage(const struct op *op); /* moves what a copy brought to pageable memory, which is replayed */
void replay_wait(const struct op_jobs *jobs);
void replay_wait_device(int device);
void replay_touch(const struct page_touch *touch);

/* Simulates up to a time of the host's that nothing is to be issued before, in microseconds. */
void replay_until(double us);

/* The host's time so far, in microseconds. */
double replay_now(void);

/* The host has ended: when is all work done? In microseconds. */
double replay_end(void);

#endif
