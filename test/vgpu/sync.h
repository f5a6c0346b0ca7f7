/*
 * What pthreads' functions order between the host's threads and host functions. Programs call them here
 * first:
 *   - while races are checked, what a host function did before it released an object (unlocked a mutex,
 *     signalled, posted, ended) is known to the host's threads once one of them has acquired it (locked,
 *     waited, joined), and the other way round; so it is to a thread that the host function makes. Among the
 * host's own threads all is known anyway (engine.h);
 *   - a thread that is about to wait, sleep or yield may wait for a host function: those that were issued run
 *     then, on another thread, as they would on a device, which needs nobody to ask.
 */
#ifndef KESCO_TEST_VGPU_SYNC_H
#define KESCO_TEST_VGPU_SYNC_H

#include <stdbool.h>

/* The calling thread is about to wait for others, by whatever means, and has waited. */
void sync_before_waiting(void);
void sync_after_waiting(void);

/* A host function is issued, with the engine's lock: from now on it is known when the program ends. A thread
 * that waits already may wait for this one, too: it runs soon. */
void sync_issued(void);

/* True where the program runs what it does at its end. A leak checker yields there, while nobody can make a
 * thread or lock anything. */
bool sync_is_ending(void);

/* The calling thread has released or acquired an object, of which `object` is the address. */
void sync_released(const void *object);
void sync_acquired(const void *object);

#endif
