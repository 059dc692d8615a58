/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/ctl.c - the control socket of a running link
 */
#include "config.h"

#include "run/ctl.h"

#include "base/clock.h"
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* One part of this many of the time is for requests. */
#define SHARE 10
/* What may be taken at once when nobody has asked for long: some twenty requests. */
#define CREDIT_NS (2 * NSEC_PER_MSEC)
/* What it costs when a connection cannot be had, so that we do not only ask again. */
#define FAILED_NS (10 * NSEC_PER_MSEC)

#define EVENT_LISTEN UINT32_MAX /* else the number of a client */
#define EVENT_REST 1
#define EVENT_SOCKETS 2

#define STATUS_WRONG_WORDS 1

static int watch(int epoll_fd, int op, int fd, uint32_t events, uint32_t data)
{
	struct epoll_event ev = {.events = events, .data.u32 = data};

	return epoll_ctl(epoll_fd, op, fd, &ev);
}

int ctl_open(struct ctl *c, int listen_fd, uid_t owner, const struct request_link *link,
	struct err *e)
{
	int bad;

	memset(c, 0, offsetof(struct ctl, line));
	c->listen_fd = -1;
	c->owner = owner;
	c->link = link;
	c->credit_ns = CREDIT_NS;
	c->credit_at_ns = clock_now_ns();
	for (unsigned i = 0; i < CTL_CLIENTS_MAX; i++) {
		c->client[i].fd = -1;
		c->client[i].line = c->line[i];
	}
	c->fd = epoll_create1(EPOLL_CLOEXEC);
	c->event_fd = epoll_create1(EPOLL_CLOEXEC);
	c->rest_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	bad = c->fd < 0 || c->event_fd < 0 || c->rest_fd < 0 ||
	      fcntl(listen_fd, F_SETFL, O_NONBLOCK) < 0 ||
	      watch(c->event_fd, EPOLL_CTL_ADD, listen_fd, EPOLLIN, EVENT_LISTEN) < 0 ||
	      watch(c->fd, EPOLL_CTL_ADD, c->rest_fd, EPOLLIN, EVENT_REST) < 0 ||
	      watch(c->fd, EPOLL_CTL_ADD, c->event_fd, EPOLLIN, EVENT_SOCKETS) < 0;
	if (bad) {
		int rc = err_sys(e, "control socket");

		ctl_close(c);
		return rc;
	}
	c->listen_fd = listen_fd;
	return 0;
}

static void forget_files(struct ctl_client *cl)
{
	while (cl->n_files > 0)
		fd_close(&cl->files[--cl->n_files]);
}

static void cut_off(struct ctl_client *cl)
{
	forget_files(cl);
	free(cl->answer);
	fd_close(&cl->fd);
	cl->answer = NULL;
	cl->n_line = cl->sent = cl->n_answer = 0;
	cl->ends = false;
}

void ctl_close(struct ctl *c)
{
	for (unsigned i = 0; i < CTL_CLIENTS_MAX; i++)
		if (c->client[i].fd >= 0)
			cut_off(&c->client[i]);
	fd_close(&c->listen_fd);
	fd_close(&c->rest_fd);
	fd_close(&c->event_fd);
	fd_close(&c->fd);
}

/* A free place, or that of the one who has been silent for longest. */
static struct ctl_client *find_place(struct ctl *c)
{
	static const char why[] = "{\"status\":2,\"error\":\"too many ask at once\"}\n";
	struct ctl_client *best = &c->client[0];

	for (unsigned i = 0; i < CTL_CLIENTS_MAX; i++) {
		struct ctl_client *cl = &c->client[i];

		if (cl->fd < 0)
			return cl;
		if (cl->last_turn < best->last_turn)
			best = cl;
	}
	if (!best->answer)
		(void)send(best->fd, why, sizeof(why) - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
	cut_off(best);
	return best;
}

static bool may_ask(const struct ctl *c, int fd)
{
	struct ucred peer;
	socklen_t n = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0 &&
	       (peer.uid == c->owner || peer.uid == 0);
}

void ctl_adopt(struct ctl *c, int fd)
{
	char greeting[128];
	struct ctl_client *cl;
	int n;

	if (!may_ask(c, fd)) {
		fd_close(&fd);
		return;
	}
	cl = find_place(c);
	cl->fd = fd;
	cl->last_turn = c->turns;
	n = snprintf(greeting, sizeof(greeting), "farwire %s %s\n", PACKAGE_VERSION,
		c->link->name);
	if (watch(c->event_fd, EPOLL_CTL_ADD, fd, EPOLLIN, (uint32_t)(cl - c->client)) <
			0 ||
		send(fd, greeting, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL) != n)
		cut_off(cl);
}

static void take_connection(struct ctl *c)
{
	int fd = accept4(c->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd >= 0)
		ctl_adopt(c, fd);
	else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
		c->credit_ns -= FAILED_NS;
}

/* Send what is left of the answer; then the next line may come. */
static void send_answer(struct ctl *c, struct ctl_client *cl)
{
	uint32_t index = (uint32_t)(cl - c->client);
	ssize_t n = send(cl->fd, cl->answer + cl->sent, cl->n_answer - cl->sent,
		MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n < 0 && errno != EAGAIN && errno != EINTR) {
		cut_off(cl);
		return;
	}
	cl->sent += n > 0 ? (size_t)n : 0;
	if (cl->sent < cl->n_answer) {
		(void)watch(c->event_fd, EPOLL_CTL_MOD, cl->fd, EPOLLOUT, index);
		return;
	}
	free(cl->answer);
	cl->answer = NULL;
	cl->sent = cl->n_answer = 0;
	if (cl->ends)
		cut_off(cl);
	else
		(void)watch(c->event_fd, EPOLL_CTL_MOD, cl->fd, EPOLLIN, index);
}

/* Takes over @o, NULL for no memory. */
static void answer(struct ctl *c, struct ctl_client *cl, struct json_object *o)
{
	const int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;
	size_t n = 0;
	const char *text = o ? json_object_to_json_string_length(o, flags, &n) : NULL;
	char *copy = text && n < CTL_ANSWER_BYTES ? malloc(n + 1) : NULL;

	if (!copy) {
		json_object_put(o);
		cut_off(cl);
		return;
	}
	memcpy(copy, text, n);
	copy[n] = '\n';
	cl->answer = copy;
	cl->n_answer = n + 1;
	json_object_put(o);
	send_answer(c, cl);
}

static void refuse(struct ctl *c, struct ctl_client *cl, const char *why)
{
	cl->ends = true;
	answer(c, cl, request_refused(STATUS_WRONG_WORDS, why));
}

/* Words are printable, whatever their letters. */
static bool has_odd_byte(const char *line, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
			return true;
	return false;
}

static void take_line(struct ctl *c, struct ctl_client *cl, size_t n)
{
	struct json_object *o;

	if (n + 1 < cl->n_line) {
		refuse(c, cl, "one line at a time, the next behind its answer");
		return;
	}
	if (has_odd_byte(cl->line, n)) {
		refuse(c, cl, "a byte that no word has");
		return;
	}
	cl->line[n] = '\0';
	o = request_line(c->link, cl->line, cl->files, cl->n_files);
	cl->n_line = 0;
	forget_files(cl);
	answer(c, cl, o);
}

/*
 * Keep the files that came. Only memory can be sealed, and only memory is sure to be
 * read without waiting for anybody.
 */
static bool keep_files(struct ctl_client *cl, int *files)
{
	bool good = true;

	for (int i = 0; i < REQUEST_FILES_MAX && files[i] >= 0; i++) {
		if (cl->n_files < REQUEST_FILES_MAX &&
			fcntl(files[i], F_GET_SEALS) >= 0)
			cl->files[cl->n_files++] = files[i];
		else
			good = false, fd_close(&files[i]);
	}
	return good;
}

static void hear(struct ctl *c, struct ctl_client *cl)
{
	int files[REQUEST_FILES_MAX];
	char *from = cl->line + cl->n_line, *end;
	int n = fd_recv(
		cl->fd, from, CTL_LINE_BYTES - cl->n_line, files, REQUEST_FILES_MAX);
	bool good = keep_files(cl, files);

	if (n == -EAGAIN)
		return;
	if (n == 0 || (n < 0 && n != -EMSGSIZE)) {
		cut_off(cl);
		return;
	}
	if (n < 0 || !good) {
		refuse(c, cl, "files that cannot be tables, or too many");
		return;
	}
	cl->n_line += (size_t)n;
	end = memchr(from, '\n', (size_t)n);
	if (end)
		take_line(c, cl, (size_t)(end - cl->line));
	else if (cl->n_line == CTL_LINE_BYTES)
		refuse(c, cl, "the line is too long");
}

static void serve(struct ctl *c, const struct epoll_event *ev)
{
	struct ctl_client *cl;

	if (ev->data.u32 == EVENT_LISTEN) {
		take_connection(c);
		return;
	}
	cl = &c->client[ev->data.u32];
	cl->last_turn = c->turns;
	if (cl->answer)
		send_answer(c, cl);
	else
		hear(c, cl);
}

/* More was taken than is allowed: nothing is heard until there is credit again. */
static void rest(struct ctl *c)
{
	nsec_t ns = SHARE * (CREDIT_NS / 2 - c->credit_ns);
	struct itimerspec t = {.it_value = {.tv_sec = ns / NSEC_PER_SEC,
				       .tv_nsec = ns % NSEC_PER_SEC}};

	if (timerfd_settime(c->rest_fd, 0, &t, NULL) < 0)
		return;
	c->resting = true;
	(void)watch(c->fd, EPOLL_CTL_MOD, c->event_fd, 0, EVENT_SOCKETS);
}

/* Return: whether the rest is over. */
static bool is_rested(struct ctl *c)
{
	uint64_t n;

	if (read(c->rest_fd, &n, sizeof(n)) != (ssize_t)sizeof(n))
		return false;
	c->resting = false;
	(void)watch(c->fd, EPOLL_CTL_MOD, c->event_fd, EPOLLIN, EVENT_SOCKETS);
	return true;
}

bool ctl_turn(void *ctl)
{
	struct ctl *c = ctl;
	nsec_t start_ns = clock_now_ns();
	struct epoll_event ev;

	c->turns++;
	if (c->resting && !is_rested(c))
		return true;
	c->credit_ns += (start_ns - c->credit_at_ns) / SHARE;
	if (c->credit_ns > CREDIT_NS)
		c->credit_ns = CREDIT_NS;
	c->credit_at_ns = start_ns;
	if (epoll_wait(c->event_fd, &ev, 1, 0) == 1)
		serve(c, &ev);
	c->credit_ns -= clock_now_ns() - start_ns;
	if (c->credit_ns < 0)
		rest(c);
	return true;
}
