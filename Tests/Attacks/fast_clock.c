// Time that goes FAST_CLOCK times as fast for a program that is started with this as LD_PRELOAD: its clocks, and every wait.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define CLOCKS 16
#define BILLION 1000000000

static int64_t speed = 1, base[CLOCKS];
static int clocks[65536]; // of timers, by descriptor

static int64_t nanoseconds(const struct timespec *time) { return (int64_t)time->tv_sec * BILLION + time->tv_nsec; }
static struct timespec timespec_of(int64_t time) { return (struct timespec){.tv_sec = time / BILLION, .tv_nsec = time % BILLION}; }

static int64_t now(clockid_t clock) {
    struct timespec time = {0};
    (void)syscall(SYS_clock_gettime, clock, &time);
    return nanoseconds(&time);
}

// Clocks of processors go on as they are.
static int is_fast(clockid_t clock) {
    return clock >= 0 && clock < CLOCKS && clock != CLOCK_PROCESS_CPUTIME_ID && clock != CLOCK_THREAD_CPUTIME_ID;
}

__attribute__((constructor)) static void begin(void) {
    const char *given = getenv("FAST_CLOCK");
    for (clockid_t clock = 0; clock < CLOCKS; clock++) { base[clock] = now(clock); }
    speed = given ? atoi(given) : 1;
    if (speed < 1) { speed = 1; }
}

static int64_t fast(clockid_t clock) {
    int64_t time = now(clock);
    return is_fast(clock) ? base[clock] + (time - base[clock]) * speed : time;
}

// What is left of a wait in real time, never less than a nanosecond.
static struct timespec shorter(int64_t wait) { return timespec_of(wait <= 0 ? 1 : (wait + speed - 1) / speed); }
static int milliseconds(int wait) { return wait <= 0 ? wait : (int)((wait + speed - 1) / speed); }

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!is_fast(clock)) { return (int)syscall(SYS_clock_gettime, clock, time); }
    *time = timespec_of(fast(clock));
    return 0;
}

time_t time(time_t *result) {
    time_t seconds = fast(CLOCK_REALTIME) / BILLION;
    if (result) { *result = seconds; }
    return seconds;
}

int gettimeofday(struct timeval *restrict result, void *restrict zone) {
    (void)zone;
    int64_t time = fast(CLOCK_REALTIME);
    *result = (struct timeval){.tv_sec = time / BILLION, .tv_usec = time % BILLION / 1000};
    return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wait, struct timespec *left) {
    struct timespec real = shorter(nanoseconds(wait) - (flags & TIMER_ABSTIME ? fast(clock) : 0));
    (void)left;
    return syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &real, NULL) == 0 ? 0 : 4; // EINTR
}

int nanosleep(const struct timespec *wait, struct timespec *left) {
    struct timespec real = shorter(nanoseconds(wait));
    return (int)syscall(SYS_nanosleep, &real, left);
}

int usleep(useconds_t wait) {
    struct timespec real = shorter((int64_t)wait * 1000);
    return (int)syscall(SYS_nanosleep, &real, NULL);
}

int ppoll(struct pollfd *files, nfds_t count, const struct timespec *wait, const sigset_t *mask) {
    struct timespec real = shorter(wait ? nanoseconds(wait) : 0), none = {0};
    struct timespec *limit = !wait ? NULL : nanoseconds(wait) == 0 ? &none : &real;
    return (int)syscall(SYS_ppoll, files, count, limit, mask, _NSIG / 8);
}

int poll(struct pollfd *files, nfds_t count, int wait) {
    struct timespec time = timespec_of((int64_t)wait * 1000000);
    return ppoll(files, count, wait < 0 ? NULL : &time, NULL);
}

int epoll_pwait(int file, struct epoll_event *events, int count, int wait, const sigset_t *mask) {
    return (int)syscall(SYS_epoll_pwait, file, events, count, milliseconds(wait), mask, _NSIG / 8);
}

int epoll_wait(int file, struct epoll_event *events, int count, int wait) { return epoll_pwait(file, events, count, wait, NULL); }

int timerfd_create(int clock, int flags) {
    int file = (int)syscall(SYS_timerfd_create, clock, flags);
    if (file >= 0 && file < 65536) { clocks[file] = clock; }
    return file;
}

int timerfd_settime(int file, int flags, const struct itimerspec *wanted, struct itimerspec *before) {
    struct itimerspec real = {0};
    int64_t wait = nanoseconds(&wanted->it_value), period = nanoseconds(&wanted->it_interval);
    int clock = file >= 0 && file < 65536 ? clocks[file] : CLOCK_MONOTONIC;
    if (wait != 0) { real.it_value = shorter(wait - (flags & TFD_TIMER_ABSTIME ? fast(clock) : 0)); }
    if (period != 0) { real.it_interval = shorter(period); }
    return (int)syscall(SYS_timerfd_settime, file, 0, &real, before);
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until) {
    static int (*next)(sem_t *, const struct timespec *);
    if (!next) { next = (int (*)(sem_t *, const struct timespec *))dlsym(RTLD_NEXT, "sem_timedwait"); }
    struct timespec wait = shorter(nanoseconds(until) - fast(CLOCK_REALTIME));
    struct timespec real = timespec_of(now(CLOCK_REALTIME) + nanoseconds(&wait));
    return next(semaphore, &real);
}
