/*
 * Scenarios of what a program must not notice while its regions are observed: each runs the region that it is
 * given, which opens on `origin`, issues ops, and closes.
 */
#ifndef KESCO_TEST_RUNTIME_UNSEEN_H
#define KESCO_TEST_RUNTIME_UNSEEN_H

/* Behind an error that the program has not seen, and behind none: it stays the program's. */
int unseen_pending_error(void (*run_region)(void));

/* Calls of the observer fail. */
int unseen_failing_calls(void (*run_region)(void));

/* The device is reset between two regions. */
int unseen_reset_between(void (*run_region)(void));

/* A region on device 1, then one on device 0. */
int unseen_two_devices(void (*run_region)(void));

/* Another stream's capture, of the mode that forbids most, goes on beside the region. */
int unseen_captured_elsewhere(void (*run_region)(void));

/* Two threads run it at once, `times` times each. */
int unseen_two_threads(void (*run_region)(void), int times);

#endif
