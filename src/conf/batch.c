/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/batch.c - a file of command lines, read one by one
 */
#include "config.h"

#include "conf/batch.h"

#include "base/fd.h"
#include "conf/args.h"
#include "conf/words.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

static bool is_blank(char ch)
{
	return ch == ' ' || ch == '\t';
}

/*
 * One word from *in to *out, quotes taken off. It never grows, so both may be in one
 * text. Return: what went wrong, or NULL.
 */
static const char *take_word(char **in, char **out)
{
	char quote = '\0';

	for (; **in && (quote || !is_blank(**in)); (*in)++) {
		if (quote && **in == quote) {
			quote = '\0';
			continue;
		}
		if (!quote && (**in == '\'' || **in == '"')) {
			quote = **in;
			continue;
		}
		if (**in == '\\' && quote != '\'' &&
			(!quote || ((*in)[1] && strchr("\"\\$`", (*in)[1])))) {
			(*in)++;
			if (!**in)
				return "a \\ with nothing behind it; a command is one "
				       "line";
		}
		*(*out)++ = **in;
	}
	if (!quote)
		return NULL;
	return quote == '"' ? "a \" that is not closed" : "a ' that is not closed";
}

int batch_split(char *line, char *argv[], int max, struct err *e)
{
	char *in = line, *out;
	const char *why;
	int n = 0;

	for (;;) {
		while (is_blank(*in))
			in++;
		if (!*in || *in == '#')
			break;
		if (n == max)
			return err_set(
				e, -EINVAL, "more than %d words in one line", max);
		argv[n++] = out = in;
		why = take_word(&in, &out);
		if (why)
			return err_set(e, -EINVAL, "%s", why);
		/* What ended the word is read before its place is written to. */
		if (*in)
			in++;
		*out = '\0';
	}
	argv[n] = NULL;
	return n;
}

int batch_open(struct batch *b, const char *path, struct err *e)
{
	char room[WORDS_QUOTE_BYTES];

	*b = (struct batch){.path = path};
	b->fd = strcmp(path, "-") == 0 ? STDIN_FILENO
				       : open(path, O_RDONLY | O_CLOEXEC);
	if (b->fd < 0)
		return err_sys(e, "-b '%s'", words_quote(path, room));
	return 0;
}

void batch_close(struct batch *b)
{
	if (b->fd != STDIN_FILENO)
		fd_close(&b->fd);
}

/* Waits. Return: whether there is more now; false with errno 0 at the end. */
static bool fill(struct batch *b)
{
	ssize_t n = 0;

	memmove(b->in, b->in + b->at, b->end - b->at);
	b->end -= b->at;
	b->at = 0;
	errno = 0;
	while (!b->at_end) {
		n = read(b->fd, b->in + b->end, sizeof(b->in) - b->end);
		if (n >= 0 || errno != EINTR)
			break;
	}
	if (n <= 0) {
		b->at_end = true;
		return false;
	}
	b->end += (size_t)n;
	return true;
}

bool batch_at_hand(struct batch *b)
{
	struct pollfd p = {.fd = b->fd, .events = POLLIN};

	for (;;) {
		if (b->at_end || memchr(b->in + b->at, '\n', b->end - b->at) ||
			b->end - b->at == sizeof(b->in))
			return true;
		if (poll(&p, 1, 0) == 0)
			return false;
		(void)fill(b);
	}
}

int batch_wrong(const struct batch *b, struct err *e)
{
	char room[WORDS_QUOTE_BYTES];

	if (b->fd == STDIN_FILENO)
		return err_wrap(e, "stdin:%u", b->line);
	return err_wrap(e, "%s:%u", words_quote(b->path, room), b->line);
}

/* One line without its end. Return: 1, 0 at the end, -errno. */
static int read_text(struct batch *b, struct err *e)
{
	bool too_long = false, has_nul = false, has_end = false;
	size_t n = 0;
	char ch;

	if (b->at == b->end && b->at_end)
		return 0;
	b->line++;
	while (b->at < b->end || fill(b)) {
		ch = b->in[b->at++];
		has_end = ch == '\n';
		if (has_end)
			break;
		has_nul = has_nul || !ch;
		if (n < sizeof(b->text) - 1)
			b->text[n++] = ch;
		else
			too_long = true;
	}
	if (!has_end && errno)
		return err_set(e, -EIO, "cannot be read: %s", strerror(errno));
	/* Files from elsewhere end their lines with both. */
	if (n && b->text[n - 1] == '\r')
		n--;
	b->text[n] = '\0';
	if (too_long)
		return err_set(
			e, -EINVAL, "longer than %d bytes", BATCH_LINE_BYTES - 1);
	if (has_nul)
		return err_set(e, -EINVAL, "no text: it holds a zero byte");
	return !has_end && !n ? 0 : 1;
}

/* Which verbs a batch is for. The others own the terminal, or touch no link. */
static int check_verb(enum verb v, struct err *e)
{
	const struct word *w = words_verbs.words;

	switch (v) {
	case VERB_ADD:
	case VERB_CHANGE:
	case VERB_REPLACE:
	case VERB_SET:
	case VERB_DEL:
	case VERB_SHOW:
		return 0;
	case VERB_BATCH:
		return err_set(e, -EINVAL, "-b: no batch within a batch");
	case VERB_VERSION:
		return err_set(e, -EINVAL, "--version: not in a batch");
	case VERB_RUN:
	case VERB_MONITOR:
	case VERB_CHECK:
	case VERB_DOCTOR:
	case VERB_HELP:
		break;
	}
	while (w->id != (int)v)
		w++;
	return err_set(e, -EINVAL,
		"%s: not in a batch; add, change, replace, set, del and show are",
		w->name);
}

static int read_conf(struct batch *b, struct conf *c, struct err *e)
{
	struct err words_err = {0};
	int rc = conf_read(c, b->argc, b->argv, &words_err);
	enum verb verb = c->verb;

	/* Words of no verb read as of help. */
	if (rc == 0 || verb != VERB_HELP)
		if (check_verb(verb, e) < 0)
			goto wrong;
	if (rc == 0 && c->foreground) {
		err_set(e, -EINVAL, "-f: not in a batch, whose other lines wait");
		goto wrong;
	}
	if (rc)
		*e = words_err;
	return rc;
wrong:
	conf_fini(c);
	return -EINVAL;
}

int batch_next(struct batch *b, struct conf *c, struct err *e)
{
	static char program[] = "farwire";
	int n = 0, rc;

	while (n == 0) {
		rc = read_text(b, e);
		if (rc == 0)
			return 0;
		n = rc < 0 ? rc : batch_split(b->text, b->argv + 1, BATCH_WORDS_MAX, e);
	}
	if (n < 0) {
		batch_wrong(b, e);
		return n;
	}
	b->argv[0] = program;
	b->argc = n + 1;
	rc = read_conf(b, c, e);
	if (rc == 0)
		return 1;
	batch_wrong(b, e);
	return rc;
}
