/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench/micro_floor.c - what this machine asks for before farwire does anything
 *
 *   floor_call    a system call that does nothing
 *   floor_switch  from one process to another on the same CPU, by a pipe; two calls
 *                 included
 *   floor_late_*  a bare timer, real-time where that is permitted, while every core is
 *                 kept busy at normal priority: no forwarder is earlier
 *
 *   micro_floor late N     the last alone, of N wake-ups, the cores as they are
 *
 * Rows with a bar in microseconds are to be read beside these.
 */
#define _GNU_SOURCE
#include "micro.h"

#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 9
#define CALLS 20000
#define N_SWITCHES 2000
#define WAKES 3000
#define WAKE_NS (500 * NSEC_PER_USEC)
#define CPUS_MAX 64

static double call_ns(void)
{
	nsec_t from = clock_now_ns();

	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	return (double)(clock_now_ns() - from) / CALLS;
}

/* Echoes until its input ends. */
static void echo(int in, int out)
{
	char c;

	while (read(in, &c, 1) == 1 && write(out, &c, 1) == 1)
		;
	_exit(0);
}

static double switch_ns(void)
{
	int to[2], from[2];
	nsec_t start;
	pid_t pid;
	char c = 0;

	if (pipe(to) < 0 || pipe(from) < 0)
		exit(1);
	pid = fork();
	if (pid == 0) {
		close(to[1]);
		echo(to[0], from[1]);
	}
	close(to[0]);
	start = clock_now_ns();
	for (int i = 0; i < N_SWITCHES; i++)
		if (write(to[1], &c, 1) != 1 || read(from[0], &c, 1) != 1)
			exit(1);
	start = clock_now_ns() - start;
	close(to[1]);
	close(from[0]);
	close(from[1]);
	waitpid(pid, NULL, 0);
	return (double)start / N_SWITCHES / 2;
}

static void on_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static unsigned keep_busy(pid_t *pid)
{
	cpu_set_t all;
	unsigned n = 0;

	sched_getaffinity(0, sizeof(all), &all);
	for (int cpu = 0; cpu < CPU_SETSIZE && n < CPUS_MAX; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		pid[n] = fork();
		if (pid[n] == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			on_cpu(cpu);
			for (;;)
				__asm__ volatile("");
		}
		n++;
	}
	return n;
}

/* @late_us: of so many wake-ups, ascending */
static void sleep_often(double *late_us, int n_wakes)
{
	const struct sched_param fifo = {.sched_priority = 1};
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	nsec_t at;

	sched_setscheduler(0, SCHED_FIFO, &fifo);
	mlockall(MCL_CURRENT | MCL_FUTURE);
	prctl(PR_SET_TIMERSLACK, 1UL);
	at = clock_now_ns();
	for (int i = 0; i < n_wakes; i++) {
		struct itimerspec t = {0};
		uint64_t times;

		while (at <= clock_now_ns())
			at += WAKE_NS;
		t.it_value.tv_sec = at / NSEC_PER_SEC;
		t.it_value.tv_nsec = at % NSEC_PER_SEC;
		timerfd_settime(fd, TFD_TIMER_ABSTIME, &t, NULL);
		if (read(fd, &times, sizeof(times)) < 0)
			exit(1);
		late_us[i] = (double)(clock_now_ns() - at) / NSEC_PER_USEC;
	}
	close(fd);
	qsort(late_us, (size_t)n_wakes, sizeof(*late_us), micro_by_value);
}

static void late_rows(void)
{
	static double late_us[WAKES];
	pid_t pid[CPUS_MAX];
	unsigned n = keep_busy(pid);

	sleep_often(late_us, WAKES);
	while (n > 0) {
		kill(pid[--n], SIGKILL);
		waitpid(pid[n], NULL, 0);
	}
	printf("floor_late_p50=%.1f us\n", late_us[WAKES / 2]);
	printf("floor_late_p99=%.1f us\n", late_us[WAKES * 99 / 100]);
	printf("floor_late_p999=%.1f us\n", late_us[WAKES * 999 / 1000]);
}

static int late_alone(int n_wakes)
{
	double *late_us = calloc((size_t)n_wakes, sizeof(*late_us));

	if (!late_us)
		return 1;
	sleep_often(late_us, n_wakes);
	printf("p50=%.1f p99=%.1f p999=%.1f\n", late_us[n_wakes / 2],
		late_us[n_wakes * 99 / 100], late_us[(long)n_wakes * 999 / 1000]);
	free(late_us);
	return 0;
}

int main(int argc, char **argv)
{
	double calls[ROUNDS], switches[ROUNDS];
	cpu_set_t all;

	if (argc == 3 && atoi(argv[2]) > 0)
		return late_alone(atoi(argv[2]));
	sched_getaffinity(0, sizeof(all), &all);
	on_cpu(sched_getcpu());
	for (int i = 0; i < ROUNDS; i++) {
		calls[i] = call_ns();
		switches[i] = switch_ns();
	}
	sched_setaffinity(0, sizeof(all), &all);
	micro_row("floor_call", calls, ROUNDS, "ns");
	micro_row("floor_switch", switches, ROUNDS, "ns");
	late_rows();
	return 0;
}
