/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/prefix.c - what the far end's command says, as whole lines with "far: " in front
 */
#include "config.h"

#include "run/prefix.h"

#include "base/clock.h"
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_MAX 20
#define END_WAIT_NS NSEC_PER_SEC

/* Waits for the input, or for the output where that takes no more. */
static int watch(struct prefix *p, bool stuck)
{
	int old = stuck ? p->in_fd : p->out_fd, new = stuck ? p->out_fd : p->in_fd;
	struct epoll_event ev = {.events = stuck ? EPOLLOUT : EPOLLIN};

	p->stuck = stuck;
	if (old >= 0)
		(void)epoll_ctl(p->fd, EPOLL_CTL_DEL, old, NULL);
	return new < 0 ? 0 : epoll_ctl(p->fd, EPOLL_CTL_ADD, new, &ev);
}

/* How to write to @out_fd without waiting and without a word to those who share it. */
static void choose_output(struct prefix *p, int out_fd)
{
	char path[32];
	struct stat st;

	p->out_fd = out_fd;
	p->spare_fd = -1;
	if (fstat(out_fd, &st) < 0)
		return;
	p->by_send = S_ISSOCK(st.st_mode);
	if (!S_ISFIFO(st.st_mode) && !S_ISCHR(st.st_mode))
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", out_fd);
	p->spare_fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (p->spare_fd >= 0)
		p->out_fd = p->spare_fd;
	else
		p->must_poll = true; /* another user's terminal; next best */
}

int prefix_open(
	struct prefix *p, int in_fd, int out_fd, const char *text, struct err *e)
{
	struct prefix new = {.fd = -1, .in_fd = in_fd, .text = text};

	if (strlen(text) > TEXT_MAX)
		return err_set(e, -EINVAL, "prefix '%s': too long", text);
	if (fcntl(in_fd, F_SETFL, O_NONBLOCK) < 0)
		return err_sys(e, "prefix");
	choose_output(&new, out_fd);
	new.fd = epoll_create1(EPOLL_CLOEXEC);
	if (new.fd < 0 || watch(&new, false) < 0) {
		err_sys(e, "prefix: epoll");
		fd_close(&new.fd);
		fd_close(&new.spare_fd);
		return e ? e->code : -EIO;
	}
	*p = new;
	return 0;
}

/* As write(2), but never waits. */
static ssize_t write_now(struct prefix *p, const char *text, size_t n)
{
	struct pollfd one = {.fd = p->out_fd, .events = POLLOUT};

	if (p->by_send)
		return send(p->out_fd, text, n, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (p->must_poll && poll(&one, 1, 0) == 0) {
		errno = EAGAIN;
		return -1;
	}
	return write(p->out_fd, text, n);
}

/* Return: false when the output takes no more now. */
static bool flush(struct prefix *p)
{
	ssize_t n;

	while (p->out_at < p->n_out && !p->lost) {
		n = write_now(p, p->out + p->out_at, p->n_out - p->out_at);
		if (n >= 0)
			p->out_at += (size_t)n;
		else if (errno == EAGAIN)
			return false;
		else if (errno != EINTR)
			p->lost = true; /* nobody reads: the rest is thrown away */
	}
	p->out_at = p->n_out = 0;
	return true;
}

/* The line as it stands, into the output. False: no room, try again. */
static bool put_line(struct prefix *p)
{
	size_t len = strlen(p->text);

	if (p->n_out + len + p->n_line + 1 > sizeof(p->out) && !flush(p))
		return false;
	memcpy(p->out + p->n_out, p->text, len);
	memcpy(p->out + p->n_out + len, p->line, p->n_line);
	p->n_out += len + p->n_line;
	p->out[p->n_out++] = '\n';
	p->n_line = 0;
	return true;
}

/* All that was read into lines, and out. False: the output takes no more now. */
static bool pass_on(struct prefix *p)
{
	for (; p->raw_at < p->n_raw; p->raw_at++) {
		char ch = p->raw[p->raw_at];

		if ((ch == '\n' || p->n_line == sizeof(p->line)) && !put_line(p))
			return false;
		if (ch != '\n')
			p->line[p->n_line++] = ch;
	}
	p->raw_at = p->n_raw = 0;
	if (p->in_fd < 0 && p->n_line && !put_line(p))
		return false;
	return flush(p);
}

/* Read one piece. False: nothing has come. */
static bool take_in(struct prefix *p)
{
	ssize_t n;

	do
		n = read(p->in_fd, p->raw, sizeof(p->raw));
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return false;
	if (n > 0) {
		p->n_raw = (size_t)n;
		return true;
	}
	if (!p->stuck)
		(void)epoll_ctl(p->fd, EPOLL_CTL_DEL, p->in_fd, NULL);
	fd_close(&p->in_fd);
	return true;
}

bool prefix_ready(void *prefix)
{
	struct prefix *p = prefix;
	bool stuck;

	if (!p->stuck && p->in_fd >= 0)
		(void)take_in(p);
	stuck = !pass_on(p);
	if (stuck != p->stuck && watch(p, stuck) < 0)
		p->lost = true; /* what cannot be waited for would be asked for ever */
	return p->in_fd >= 0 || p->stuck;
}

void prefix_close(struct prefix *p)
{
	nsec_t end_ns = clock_now_ns() + END_WAIT_NS, left_ns = END_WAIT_NS;
	struct pollfd one = {.fd = p->out_fd, .events = POLLOUT};

	while (left_ns > 0) {
		if (!pass_on(p))
			(void)poll(&one, 1, (int)(left_ns / NSEC_PER_MSEC) + 1);
		else if (p->in_fd < 0)
			break;
		else if (!take_in(p))
			fd_close(
				&p->in_fd); /* whoever still writes is not waited for */
		left_ns = end_ns - clock_now_ns();
	}
	fd_close(&p->in_fd);
	fd_close(&p->spare_fd);
	fd_close(&p->fd);
}
