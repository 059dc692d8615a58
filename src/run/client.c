/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/client.c - asking a running link through its control socket
 */
#include "config.h"

#include "run/client.h"

#include "base/fd.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* What a link sends is bounded (CTL_ANSWER_BYTES); what is no link may send anything. */
#define TEXT_MAX_BYTES (1024 * 1024)
#define TEXT_FIRST_BYTES 4096

static int gone(const struct client *c, struct err *e)
{
	return err_set(e, -EPIPE, "%s: the link has ended", c->name);
}

/* Wait for @events until @end_ns. */
static int wait_for(const struct client *c, short events, nsec_t end_ns, struct err *e)
{
	struct pollfd p = {.fd = c->fd, .events = events};

	for (;;) {
		nsec_t left_ns = end_ns - clock_now_ns();
		int n = left_ns > 0 ? poll(&p, 1, (int)(left_ns / NSEC_PER_MSEC) + 1)
				    : 0;

		if (n > 0)
			return 0;
		if (n == 0)
			return err_set(e, -ETIMEDOUT,
				"%s: no answer within %d s; is it stopped?", c->name,
				(int)(CLIENT_WAIT_NS / NSEC_PER_SEC));
		if (errno != EINTR)
			return err_sys(e, "%s", c->name);
	}
}

static int make_room(struct client *c, struct err *e)
{
	size_t room = c->room ? 2 * c->room : TEXT_FIRST_BYTES;
	char *text;

	if (c->n_text + 1 < c->room)
		return 0;
	if (room > TEXT_MAX_BYTES)
		return err_set(e, -EPROTO, "%s: the answer has no end", c->name);
	text = realloc(c->text, room);
	if (!text)
		return err_set(e, -ENOMEM, "no memory for an answer");
	c->text = text;
	c->room = room;
	return 0;
}

/* One line into @c->text, without its newline. Nothing may follow it. */
static int get_line(struct client *c, struct err *e)
{
	nsec_t end_ns = clock_now_ns() + CLIENT_WAIT_NS;
	ssize_t n;
	int rc;

	c->n_text = 0;
	do {
		rc = make_room(c, e);
		if (!rc)
			rc = wait_for(c, POLLIN, end_ns, e);
		if (rc)
			return rc;
		n = recv(c->fd, c->text + c->n_text, c->room - 1 - c->n_text,
			MSG_DONTWAIT);
		if (n == 0 || (n < 0 && (errno == ECONNRESET || errno == EPIPE)))
			return gone(c, e);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return err_sys(e, "%s", c->name);
		c->n_text += n > 0 ? (size_t)n : 0;
	} while (!c->n_text || c->text[c->n_text - 1] != '\n');
	c->text[c->n_text - 1] = '\0';
	return 0;
}

int client_open(struct client *c, int fd, const char *name, struct err *e)
{
	struct client new = {.fd = fd};
	int end = 0, rc;

	snprintf(new.name, sizeof(new.name), "%s", name ? name : "control socket");
	rc = get_line(&new, e);
	if (!rc && (sscanf(new.text, "farwire %31s %63s%n", new.version, new.name,
			    &end) < 2 ||
			   new.text[end]))
		rc = err_set(e, -EPROTO, "%s: what answers there is no farwire",
			name ? name : "control socket");
	if (!rc && name && strcmp(name, new.name) != 0)
		rc = err_set(e, -EPROTO, "%s: the link there says it is '%s'", name,
			new.name);
	if (rc) {
		free(new.text);
		return rc;
	}
	*c = new;
	return 0;
}

void client_close(struct client *c)
{
	fd_close(&c->fd);
	free(c->text);
	c->text = NULL;
	c->n_text = c->room = 0;
}

static bool can_be_sent(const char *word)
{
	for (const char *p = word; *p; p++)
		if ((unsigned char)*p <= ' ' || *p == 0x7f)
			return false;
	return *word;
}

static int add_word(
	char *line, size_t max_bytes, size_t *n, const char *word, struct err *e)
{
	size_t len = strlen(word);

	if (!can_be_sent(word))
		return err_set(e, -EINVAL,
			"'%s': a word with a blank or a control character cannot be "
			"sent "
			"to a link; give the file another name",
			word);
	if (*n + len + 2 > max_bytes)
		return err_set(e, -EINVAL, "too many words for one command");
	if (*n)
		line[(*n)++] = ' ';
	memcpy(line + *n, word, len + 1);
	*n += len;
	return 0;
}

int client_words(int argc, char **argv, char *line, size_t max_bytes, struct err *e)
{
	size_t n = 0;
	int i = 1, rc = 0;

	line[0] = '\0';
	/* Options stand around the verb and nowhere else; none of a change is sent. */
	while (i < argc && argv[i][0] == '-')
		i++;
	if (i < argc)
		rc = add_word(line, max_bytes, &n, argv[i++], e);
	while (i < argc && argv[i][0] == '-')
		i++;
	for (; i < argc && !rc; i++)
		rc = add_word(line, max_bytes, &n, argv[i], e);
	return rc;
}

void client_show_words(
	const struct conf *conf, const char *name, char *line, size_t max_bytes)
{
	snprintf(line, max_bytes, "show%s%s%s%s %s", conf->stats ? " -s" : "",
		conf->stats > 1 ? " -s" : "", conf->json ? " -j" : "",
		conf->exact ? " -c" : "", name);
}

/* The line and its files, then the newline, as far as the link takes them. */
static int send_line(struct client *c, const char *line, const int *files, int n_files,
	struct err *e)
{
	nsec_t end_ns = clock_now_ns() + CLIENT_WAIT_NS;
	size_t len = strlen(line), sent = 0;
	char *text = NULL;
	int rc = 0;

	if (asprintf(&text, "%s\n", line) < 0)
		return err_set(e, -ENOMEM, "no memory for a line");
	if (n_files > 0)
		rc = fd_send(c->fd, text, 1, files, n_files);
	if (rc)
		rc = rc == -EPIPE ? gone(c, e)
				  : err_set(e, rc, "%s: %s", c->name, strerror(-rc));
	sent = n_files > 0;
	while (!rc && sent <= len) {
		ssize_t n = send(c->fd, text + sent, len + 1 - sent,
			MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n >= 0)
			sent += (size_t)n;
		else if (errno == EAGAIN)
			rc = wait_for(c, POLLOUT, end_ns, e);
		else if (errno == EPIPE || errno == ECONNRESET)
			rc = gone(c, e);
		else if (errno != EINTR)
			rc = err_sys(e, "%s", c->name);
	}
	free(text);
	return rc;
}

static struct json_object *get(struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	json_object_object_get_ex(o, key, &v);
	return v;
}

/* The answer's own status into ours, and its warnings to the user. */
static int take_status(const struct client *c, struct json_object *o, struct err *e)
{
	struct json_object *status = get(o, "status"), *error = get(o, "error");
	struct json_object *warnings = get(o, "warnings");
	const char *why = error ? json_object_get_string(error) : "refused";

	if (!json_object_is_type(status, json_type_int))
		return err_set(e, -EPROTO, "%s: an answer without a status", c->name);
	if (json_object_is_type(warnings, json_type_array))
		for (size_t i = 0; i < json_object_array_length(warnings); i++)
			log_warn("%s", json_object_get_string(
					       json_object_array_get_idx(warnings, i)));
	switch (json_object_get_int(status)) {
	case 0:
		return 0;
	case 1:
		return err_set(e, -EINVAL, "%s: %s", c->name, why);
	default:
		return err_set(e, -EIO, "%s: %s", c->name, why);
	}
}

int client_ask(struct client *c, const char *line, const int *files, int n_files,
	struct json_object **answer, struct err *e)
{
	struct json_object *o;
	int rc = send_line(c, line, files, n_files, e);

	if (!rc)
		rc = get_line(c, e);
	if (rc)
		return rc;
	o = json_tokener_parse(c->text);
	if (!json_object_is_type(o, json_type_object)) {
		json_object_put(o);
		return err_set(e, -EPROTO, "%s: an answer that is no object", c->name);
	}
	rc = take_status(c, o, e);
	if (rc)
		json_object_put(o);
	else
		*answer = o;
	return rc;
}

int client_wait_end(struct client *c, struct err *e)
{
	nsec_t end_ns = clock_now_ns() + CLIENT_WAIT_NS;
	char byte;
	int rc;

	do {
		rc = wait_for(c, POLLIN, end_ns, e);
	} while (!rc && recv(c->fd, &byte, 1, MSG_DONTWAIT) > 0);
	return rc;
}
