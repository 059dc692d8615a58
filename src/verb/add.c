/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verb/add.c - a link that stays: into the background, set-up, privileges fall, run
 *
 * The words are checked, then a process of its own makes the link and says how that went;
 * the one who waits for it (verb/adds.c) prints the start line and ends. With -f there is
 * one process, which tells the service manager. A link has no guard: the end of its process undoes
 * all that it made but the socket, which the next command clears.
 */
#include "config.h"

#include "verb/verb.h"

#include "base/fd.h"
#include "base/log.h"
#include "base/memory.h"
#include "conf/show.h"
#include "host/daemon.h"
#include "host/host.h"
#include "host/host_link.h"
#include "host/last.h"
#include "host/notify.h"
#include "run/signals.h"
#include "verb/adds.h"
#include "verb/link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

struct add {
	const struct conf *conf;
	struct host_link host;
	struct link link;
	struct signals signals;
	char words[LINK_WORDS_BYTES + 128];
	int ready_fd; /* of daemon_fork(), or -1 */
	int notify_fd;
	int for_fd; /* timer of --for, or -1 */
};

static bool time_is_up(void *ctx)
{
	loop_end(&((struct add *)ctx)->link.loop, "its time (--for) was up");
	return false;
}

static int open_for(struct add *a, struct err *e)
{
	nsec_t ns = a->conf->for_ns;
	struct itimerspec t = {.it_value = {.tv_sec = ns / NSEC_PER_SEC,
				       .tv_nsec = ns % NSEC_PER_SEC}};
	struct loop *l = &a->link.loop;

	if (!ns)
		return 0;
	a->for_fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	if (a->for_fd < 0 || timerfd_settime(a->for_fd, 0, &t, NULL) < 0)
		return err_sys(e, "--for");
	l->aux[l->n_aux++] =
		(struct loop_aux){.fd = a->for_fd, .ready = time_is_up, .ctx = a};
	return 0;
}

static void look_at_ends(void *ctx)
{
	struct add *a = ctx;
	char why[ERR_TEXT_BYTES];

	if (!host_link_stands(&a->host, why))
		loop_break(&a->link.loop, why);
}

static bool bridge_spoke(void *ctx)
{
	look_at_ends(ctx);
	return true;
}

/* For what no port tells. */
static void watch_ends(struct add *a)
{
	struct loop *l = &a->link.loop;

	l->signalled = look_at_ends;
	l->signalled_ctx = a;
	if (a->host.member.fd >= 0)
		l->aux[l->n_aux++] = (struct loop_aux){
			.fd = a->host.member.fd, .ready = bridge_spoke, .ctx = a};
}

/* The options that belong to the link, behind the words of its ends. */
static void take_words(struct add *a)
{
	static const char *const gso[] = {"", " --gso whole", " --gso off"};
	static const char *const io[] = {"", " --io plain", " --io uring"};
	static const char *const rank[] = {
		"", " --priority fifo", " --priority nice", " --priority none"};
	const struct conf *c = a->conf;
	char memory[40] = "", for_time[40] = "";

	if (c->memory_bytes)
		snprintf(memory, sizeof(memory), " --memory %llu",
			(unsigned long long)c->memory_bytes);
	if (c->for_ns)
		snprintf(for_time, sizeof(for_time), " --for %lldns",
			(long long)c->for_ns);
	snprintf(a->words, sizeof(a->words), "%s%s%s%s%s%s", a->host.words, for_time,
		memory, rank[c->rank], io[c->io], gso[c->gso]);
}

static int make_loop(struct add *a, struct err *e)
{
	struct link *l = &a->link;
	int rc;

	take_words(a);
	l->name = a->host.name;
	l->near = a->host.end[LINK_NEAR];
	l->far = a->host.end[LINK_FAR];
	l->words = a->words;
	rc = link_lay(l, a->conf, a->host.port, N_LINK_ENDS, e);
	if (!rc)
		rc = link_make(l, a->conf, 0, e);
	if (!rc)
		rc = signals_open(&a->signals, 0, e);
	if (!rc)
		rc = link_serve(l, a->host.place.fd, getuid(), e);
	if (!rc)
		rc = open_for(a, e);
	if (rc)
		return rc;
	watch_ends(a);
	l->loop.signals = &a->signals;
	l->loop.stands = true;
	return loop_init(&l->loop, e);
}

static int wait_turn(void *ctx)
{
	return daemon_turn(((struct add *)ctx)->ready_fd);
}

/* Up to where nothing can fail any more. */
static int set_up(struct add *a, struct err *e)
{
	int rc = host_link_start(
		a->conf, a->ready_fd < 0 ? NULL : wait_turn, a, &a->host, e);

	if (rc)
		return rc;
	if (a->ready_fd >= 0)
		daemon_made(a->ready_fd);
	rc = host_rank(a->conf->rank, &a->link.rank, e);
	if (!rc)
		rc = last_hold(&a->host.place, e);
	if (!rc)
		rc = make_loop(a, e);
	if (!rc && a->conf->foreground)
		a->notify_fd = notify_open();
	if (!rc && a->ready_fd >= 0)
		rc = daemon_detach(e);
	if (!rc)
		rc = host_link_drop(&a->host, e);
	if (rc) {
		link_stop(&a->link);
		host_link_abort(&a->host);
	}
	return rc;
}

/* "NAME: a/eth0 <-> b/eth0: netem ..., RTT +80ms, limit 1000, seed 81/43" */
static void start_line(const struct add *a, char *line, size_t max_bytes)
{
	char text[2 * SHOW_BYTES];
	int n = snprintf(line, max_bytes, "%s: %s <-> %s: ", a->host.name,
		a->host.end[LINK_NEAR], a->host.end[LINK_FAR]);

	link_words(&a->link, a->conf, text, sizeof(text));
	if (n > 0 && (size_t)n < max_bytes)
		snprintf(line + n, max_bytes - (size_t)n, "%s", text);
}

/* A port says that its device is gone; the namespace may be why. */
static void find_cause(struct add *a)
{
	struct loop *l = &a->link.loop;
	char why[ERR_TEXT_BYTES];

	for (int i = 0; l->broke && i < N_LINK_ENDS; i++)
		if (l->port[i].broken && host_link_lost(&a->host, i, why)) {
			snprintf(l->why, sizeof(l->why), "%s", why);
			return;
		}
}

/* Return: the exit status of -f. */
static int carry(struct add *a)
{
	struct loop *l = &a->link.loop;
	char line[3 * SHOW_BYTES];

	start_line(a, line, sizeof(line));
	link_start(&a->link);
	if (a->ready_fd < 0)
		log_note("%s", line);
	else if (daemon_ready(&a->ready_fd, line) < 0)
		loop_end(l, "the one who started it did not wait");
	notify_send(a->notify_fd, NOTIFY_READY);
	loop_run(l);
	find_cause(a);
	link_stop(&a->link);
	notify_send(a->notify_fd, NOTIFY_STOPPING);
	if (l->broke && a->conf->foreground)
		log_error("%s: %s", a->conf->link_name, l->why);
	else if (l->broke) /* in the system's log a line begins with the name */
		log_error("%s", l->why);
	last_write(&a->host.place, l->why);
	host_link_abort(&a->host);
	return l->broke ? EXIT_BROKE : EXIT_SUCCESS;
}

static int live(struct add *a)
{
	struct err e = {0};

	if (set_up(a, &e) == 0)
		return carry(a);
	if (a->ready_fd >= 0)
		daemon_fail(&a->ready_fd, &e);
	else
		log_error("%s", e.text);
	return verb_status(e.code);
}

/* Ends with the link. */
static void __attribute__((noreturn)) be_link(struct add *a)
{
	log_where(NULL);
	log_to_syslog(a->conf->link_name);
	_exit(live(a));
}

/* In front of those that are under way. Return: the exit status. */
static int say_after_adds(const struct conf *c, const struct err *e)
{
	int status = adds_end(c->force);

	if (status && !c->force)
		return status;
	log_error("%s", e->text);
	return status ? status : verb_status(e->code);
}

int verb_add(const struct conf *c)
{
	static struct add a;
	struct err e = {0};
	pid_t child;
	int status, rc;

	/*
	 * The rest is 0: it is filled by a process of its own, or by the only link of this
	 * one. To clear it for each link of a batch would cost 49 copied pages.
	 */
	a.conf = c;
	a.ready_fd = a.notify_fd = a.for_fd = -1;
	if (host_link_check(c, &e) < 0)
		return say_after_adds(c, &e);
	host_link_prepare(c);
	if (c->foreground)
		return live(&a);
	/* Once for all links of a batch. */
	log_prepare();
	(void)memory_allowed_bytes();
	status = adds_room(c->force);
	if (status && !c->force)
		return status;
	rc = daemon_fork(&a.ready_fd, &child, &e);
	if (rc == DAEMON_CHILD)
		be_link(&a);
	if (rc < 0)
		return say_after_adds(c, &e);
	adds_take(a.ready_fd, child, c->force);
	return c->deferred ? status : adds_end(c->force);
}
