/*
 * The functions by which threads order themselves and wait, as sync.h says, and the clock by which durations
 * are measured, which shows virtual time where that is kept: programs, and the C++ library, find these before
 * the C library's, which do the work.
 */
#define _GNU_SOURCE
#include "test/vgpu/api.h"
#include "test/vgpu/engine.h"
#include "test/vgpu/hardware.h"
#include "test/vgpu/sync.h"
#include "test/vgpu/timeline.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* The C library's function of this name; condition variables have old ones, too. */
#define NEXT(name)                                                                                           \
    static __typeof__(&name) next;                                                                           \
    if (!next)                                                                                               \
        next = (__typeof__(&name))find_next(#name);

static void *find_next(const char *name) {
    void *found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
    return found ? found : dlsym(RTLD_NEXT, name);
}

/*
 * The monotonic clock. What the engine itself measures is real time. Sanitizers read it, now and then, where
 * they keep everybody from the heap: so nothing here looks a function up, allocates, or waits for the engine;
 * nor is it work of the program.
 */

static struct {
    __typeof__(&clock_gettime) read;
    __typeof__(&pthread_mutex_trylock) try_lock;
    __typeof__(&pthread_mutex_unlock) unlock;
} next_clock;

__attribute__((constructor)) static void find_clock(void) {
    next_clock.try_lock = (__typeof__(&pthread_mutex_trylock))find_next("pthread_mutex_trylock");
    next_clock.unlock = (__typeof__(&pthread_mutex_unlock))find_next("pthread_mutex_unlock");
    next_clock.read = (__typeof__(&clock_gettime))find_next("clock_gettime");
}

static struct timespec time_of(int64_t ns) {
    return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

static int64_t nanoseconds(const struct timespec *time) {
    return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

static bool is_virtual(clockid_t clock) {
    return clock == CLOCK_MONOTONIC && timeline_is_kept() && !thread_state.locked && next_clock.read;
}

static struct timespec virtual_time(void) {
    static _Atomic int64_t shown;
    if (next_clock.try_lock(&engine.lock) == 0) {
        timeline_sleep(hardware->host.clock_us);
        shown = (int64_t)(timeline_now() * 1000);
        next_clock.unlock(&engine.lock);
    }
    return time_of(shown);
}

/* Before it is found, the one that counts from an epoch will do. */
static int real_time(clockid_t clock, struct timespec *time) {
    struct timeval epoch;
    if (next_clock.read)
        return next_clock.read(clock, time);
    gettimeofday(&epoch, NULL);
    *time = (struct timespec){.tv_sec = epoch.tv_sec, .tv_nsec = epoch.tv_usec * 1000};
    return 0;
}

VGPU_EXPORT int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!is_virtual(clock))
        return real_time(clock, time);
    *time = virtual_time();
    return 0;
}

/* A thread has slept for so long, which it will look for on the clock. */
static void note_sleep(int64_t ns) {
    if (ns <= 0 || !is_virtual(CLOCK_MONOTONIC))
        return;
    pthread_mutex_lock(&engine.lock);
    timeline_sleep((double)ns / 1000);
    pthread_mutex_unlock(&engine.lock);
}

/* A time to wait for. */
struct deadline {
    struct timespec real; /* by the C library's clock */
    int64_t left;         /* nanoseconds by the virtual one; 0: it has nothing to do with that */
};

static struct deadline deadline_of(clockid_t clock, const struct timespec *until) {
    if (!is_virtual(clock))
        return (struct deadline){.real = *until};
    const struct timespec shown = virtual_time();
    const int64_t left = nanoseconds(until) - nanoseconds(&shown);
    struct timespec real;
    real_time(clock, &real);
    return (struct deadline){time_of(nanoseconds(&real) + left), left};
}

/* Mutexes. What the engine, and libraries that it calls, lock while they have its lock is none of the
 * program's. */

#define LOCKS(name, parameters, object, ...)                                                                 \
    VGPU_EXPORT int name parameters {                                                                        \
        NEXT(name)                                                                                           \
        const int error = next(__VA_ARGS__);                                                                 \
        if (!error)                                                                                          \
            sync_acquired(object);                                                                           \
        return error;                                                                                        \
    }

LOCKS(pthread_mutex_trylock, (pthread_mutex_t * mutex), mutex, mutex)
LOCKS(pthread_mutex_timedlock, (pthread_mutex_t * mutex, const struct timespec *until), mutex, mutex, until)
LOCKS(pthread_rwlock_rdlock, (pthread_rwlock_t * lock), lock, lock)
LOCKS(pthread_rwlock_wrlock, (pthread_rwlock_t * lock), lock, lock)
LOCKS(sem_trywait, (sem_t * semaphore), semaphore, semaphore)

VGPU_EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex) {
    NEXT(pthread_mutex_lock)
    const int error = next(mutex);
    if (mutex == &engine.lock)
        thread_state.locked = true;
    else if (!error)
        sync_acquired(mutex);
    return error;
}

VGPU_EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    NEXT(pthread_mutex_unlock)
    if (mutex == &engine.lock)
        thread_state.locked = false;
    else
        sync_released(mutex);
    return next(mutex);
}

VGPU_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
    NEXT(pthread_rwlock_unlock)
    sync_released(lock);
    return next(lock);
}

/* Waits. An engine's wait gives its lock away. */

#define WAITS(name, parameters, mutex, object, ...)                                                          \
    VGPU_EXPORT int name parameters {                                                                        \
        NEXT(name)                                                                                           \
        if (thread_state.locked)                                                                             \
            return next(__VA_ARGS__);                                                                        \
        sync_released(mutex);                                                                                \
        sync_before_waiting();                                                                               \
        const int error = next(__VA_ARGS__);                                                                 \
        sync_after_waiting();                                                                                \
        sync_acquired(mutex);                                                                                \
        sync_acquired(object);                                                                               \
        return error;                                                                                        \
    }

WAITS(pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t *mutex), mutex, condition, condition,
      mutex)
WAITS(pthread_cond_timedwait,
      (pthread_cond_t * condition, pthread_mutex_t *mutex, const struct timespec *until), mutex, condition,
      condition, mutex, until)

/* Until the deadline, by the C library's clock. */
static int wait_until(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                      const struct timespec *until) {
    NEXT(pthread_cond_clockwait)
    if (thread_state.locked)
        return next(condition, mutex, clock, until);
    sync_released(mutex);
    sync_before_waiting();
    const int error = next(condition, mutex, clock, until);
    sync_after_waiting();
    sync_acquired(mutex);
    sync_acquired(condition);
    return error;
}

VGPU_EXPORT int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                                       const struct timespec *until) {
    const struct deadline deadline = deadline_of(clock, until);
    const int error = wait_until(condition, mutex, clock, &deadline.real);
    if (error == ETIMEDOUT)
        note_sleep(deadline.left);
    return error;
}

VGPU_EXPORT int pthread_cond_signal(pthread_cond_t *condition) {
    NEXT(pthread_cond_signal)
    sync_released(condition);
    return next(condition);
}

VGPU_EXPORT int pthread_cond_broadcast(pthread_cond_t *condition) {
    NEXT(pthread_cond_broadcast)
    sync_released(condition);
    return next(condition);
}

VGPU_EXPORT int sem_post(sem_t *semaphore) {
    NEXT(sem_post)
    sync_released(semaphore);
    return next(semaphore);
}

VGPU_EXPORT int sem_wait(sem_t *semaphore) {
    NEXT(sem_wait)
    sync_before_waiting();
    const int error = next(semaphore);
    sync_after_waiting();
    sync_acquired(semaphore);
    return error;
}

VGPU_EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier) {
    NEXT(pthread_barrier_wait)
    sync_released(barrier);
    sync_before_waiting();
    const int error = next(barrier);
    sync_after_waiting();
    sync_acquired(barrier);
    return error;
}

/* Threads. One that a host function makes begins with what that knows. */

struct beginning {
    void *(*run)(void *);
    void *data;
};

static void *begin(void *data) {
    const struct beginning beginning = *(struct beginning *)data;
    sync_acquired(data);
    free(data);
    return beginning.run(beginning.data);
}

VGPU_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                               void *data) {
    NEXT(pthread_create)
    if (!thread_state.host_function || !settings.check_races)
        return next(thread, attributes, run, data);
    struct beginning *beginning = malloc(sizeof(*beginning));
    if (!beginning)
        return EAGAIN;
    *beginning = (struct beginning){run, data};
    sync_released(beginning);
    const int error = next(thread, attributes, begin, beginning);
    if (error)
        free(beginning);
    return error;
}

VGPU_EXPORT int pthread_join(pthread_t thread, void **result) {
    NEXT(pthread_join)
    sync_before_waiting();
    const int error = next(thread, result);
    sync_after_waiting();
    return error;
}

/* The C++ library's atomics and futures wait by the system call. */
VGPU_EXPORT long syscall(long number, ...) {
    NEXT(syscall)
    long a[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    const int command = number == SYS_futex ? (int)a[1] & FUTEX_CMD_MASK : -1;
    const bool waits = command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET;
    if (command == FUTEX_WAKE)
        sync_released((const void *)a[0]);
    if (waits)
        sync_before_waiting();
    const long result = next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (waits) {
        sync_after_waiting();
        sync_acquired((const void *)a[0]);
    }
    return result;
}

/* Sleeps, in which a device goes on. */

/* A leak checker yields while it keeps everybody from the heap, so this is found before. */
static int (*next_yield)(void);

__attribute__((constructor)) static void find_yield(void) {
    next_yield = (__typeof__(next_yield))dlsym(RTLD_NEXT, "sched_yield");
}

VGPU_EXPORT int sched_yield(void) {
    const bool ending = sync_is_ending();
    if (!ending)
        sync_before_waiting();
    const int error = next_yield ? next_yield() : 0;
    if (!ending)
        sync_after_waiting();
    return error;
}

VGPU_EXPORT int usleep(useconds_t duration) {
    NEXT(usleep)
    sync_before_waiting();
    const int error = next(duration);
    sync_after_waiting();
    note_sleep((int64_t)duration * 1000);
    return error;
}

VGPU_EXPORT int nanosleep(const struct timespec *duration, struct timespec *left) {
    NEXT(nanosleep)
    sync_before_waiting();
    const int error = next(duration, left);
    sync_after_waiting();
    if (!error)
        note_sleep(nanoseconds(duration));
    return error;
}

VGPU_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *duration,
                                struct timespec *left) {
    NEXT(clock_nanosleep)
    struct deadline deadline = {*duration, nanoseconds(duration)};
    sync_before_waiting();
    if (flags & TIMER_ABSTIME)
        deadline = deadline_of(clock, duration);
    const int error = next(clock, flags, &deadline.real, left);
    sync_after_waiting();
    if (!error)
        note_sleep(deadline.left);
    return error;
}
