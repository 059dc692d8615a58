/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/cli/tc_agrees.c - generated option lines, given to tc and to our reader
 *
 *   tc_agrees N SEED      run it in a network namespace of its own
 *
 * Theory of operation
 *   The lines go to `tc -force -batch` in chunks. tc says for each, on stderr, either why
 *   its parser refuses it or what the kernel has against it (which has no netem, or has
 *   one on lo by then), and then "Command failed -:N"; an incomplete line makes it exit
 *   without that, and it is started again behind the line. The verdict of `check` is that
 *   of conf_read(). Both must be the same, or differ in the direction that a mark on the
 *   line allows, and where we refuse our message must be the mark's. Prints each
 *   difference that is not explained, and a count of those that are.
 */
#include "config.h"

#include "cli/lines.h"
#include "conf/args.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
	const char *why;
	const char
		*ours; /* in our message where we refuse; NULL: it is tc that refuses */
} marks[N_MARKS] = {
	[BARE_TIME] = {"a time without unit", "a time needs a unit"},
	[POINT_FIRST] = {"a leading point", NULL},
	[UNIFORM] = {"distribution uniform", NULL},
	[PATH] = {"a table by path", "cannot be opened"},
	[NOT_A_NUMBER] = {"nan, inf", "not a number"},
	[HEX_FRACTION] = {"a hexadecimal fraction", "hexadecimal"},
	[STATE_SUM] = {"loss state above 100 %", "above 100% together"},
	[LONG_JITTER] = {"jitter above 2147483647 ns", "jitter above 2147483647"},
	[SLOT_BUDGET] = {"a negative slot budget", "not within 0 and 2147483647"},
	[SLOT_NEGATIVE] = {"a negative delay of slot, left to the kernel",
		"a time cannot be negative"},
	[RATE_ZERO] = {"a rate that rounds to 0", "below 8 bit/s"},
	[RATE_NEGATIVE] = {"a negative rate", "cannot be negative"},
	[RATE_PERCENT] = {"a rate in percent", "share of a device's speed"},
	[NO_NUMBER] = {"a percent sign without a number", "not a number"},
	[OLD_SEED] = {"seed, which tc has since 6.6", NULL},
	[OLD_NS] = {"ns, which tc's delay has since 6.9", NULL},
	[OLD_LONG] = {"delay above 274 s, which tc has since 6.9", NULL},
	[OLD_GRAIN] = {"delay below 1 us, 0 in tc before 6.9", NULL},
};

#define CHUNK 250

struct tally {
	unsigned both_accept, both_refuse, unexplained;
	unsigned explained[N_MARKS];
};

/* What tc made of the lines of one chunk. */
struct answers {
	bool accepted[CHUNK];
	char said[CHUNK][128];
};

static __attribute__((noreturn)) void die(const char *what)
{
	perror(what);
	exit(2);
}

/* Start tc with a file as its batch; its stderr is *@err. */
static pid_t start_tc(const char *path, FILE **err)
{
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0 || (pid = fork()) < 0)
		die("tc_agrees");
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(fds[1], STDERR_FILENO);
		execlp("tc", "tc", "-force", "-batch", path, NULL);
		_exit(127);
	}
	close(fds[1]);
	*err = fdopen(fds[0], "r");
	if (!*err)
		die("tc_agrees");
	return pid;
}

static void write_batch(
	const char *path, const struct line *lines, unsigned from, unsigned n)
{
	FILE *out = fopen(path, "we");

	if (!out)
		die(path);
	/* Where the kernel has netem, this one stands in the way of all that follow. */
	fputs("qdisc add dev lo root netem\n", out);
	for (unsigned i = from; i < n; i++) {
		fputs("qdisc add dev lo root netem", out);
		for (int k = 0; k < lines[i].n; k++)
			fprintf(out, " %s", lines[i].text[k]);
		fputc('\n', out);
	}
	fclose(out);
}

/* Let tc read lines from @from on. Return: the first that it has not answered. */
static unsigned ask_once(const char *path, const struct line *lines, unsigned from,
	unsigned n, struct answers *a)
{
	char text[512], first[128] = "";
	bool kernel = false;
	unsigned at = from;
	FILE *err;
	pid_t pid;

	write_batch(path, lines, from, n);
	pid = start_tc(path, &err);
	while (fgets(text, sizeof(text), err)) {
		unsigned number;
		const char *end = strrchr(text, ':');

		if (strncmp(text, "Command failed ", 15) == 0 && end &&
			sscanf(end, ":%u", &number) == 1) {
			if (number >= 2 && from + number - 2 < n) {
				at = from + number - 2;
				a->accepted[at] = kernel;
				snprintf(a->said[at], sizeof(a->said[at]), "%s", first);
				at++;
			}
			kernel = false;
			first[0] = '\0';
			continue;
		}
		if (strstr(text, "qdisc kind is unknown") ||
			strstr(text, "Exclusivity flag") ||
			strstr(text, "RTNETLINK answers"))
			kernel = true;
		if (!first[0])
			snprintf(first, sizeof(first), "%.*s", (int)strcspn(text, "\n"),
				text);
	}
	fclose(err);
	waitpid(pid, NULL, 0);
	if (at < n) {
		/* It left in the middle of this one. */
		a->accepted[at] = false;
		snprintf(a->said[at], sizeof(a->said[at]), "%s", first);
		if (!strstr(first, "Command line is not complete")) {
			printf("tc ended for no known reason: %s\n", first);
			exit(1);
		}
		at++;
	}
	return at;
}

static bool we_accept(const struct line *l, struct err *e)
{
	static char words[][8] = {"farwire", "check", "netem"};
	char *argv[LINE_WORDS_MAX + 4] = {words[0], words[1], words[2]};
	struct conf c;
	int rc;

	for (int i = 0; i < l->n; i++)
		argv[3 + i] = (char *)(uintptr_t)l->text[i];
	e->text[0] = '\0';
	conf_init(&c);
	rc = conf_read(&c, 3 + l->n, argv, e);
	conf_fini(&c);
	return rc == 0;
}

/* The mark that explains the difference, or -1. */
static int explain(const struct line *l, bool we, const char *said)
{
	for (int m = 0; m < N_MARKS; m++) {
		if (!(l->marks & 1u << m) || we != !marks[m].ours)
			continue;
		if (we || strstr(said, marks[m].ours))
			return m;
	}
	return -1;
}

static void compare(struct tally *t, const struct line *l, bool tc, const char *tc_said)
{
	struct err e;
	bool we = we_accept(l, &e);
	int m;

	if (we == tc) {
		t->both_accept += we;
		t->both_refuse += !we;
		return;
	}
	m = explain(l, we, e.text);
	if (m >= 0) {
		t->explained[m]++;
		return;
	}
	t->unexplained++;
	printf("%s accepts:", we ? "farwire" : "tc");
	for (int i = 0; i < l->n; i++)
		printf(" %s", l->text[i]);
	printf("\n  tc: %s\n  farwire: %s\n", tc_said, e.text);
}

static int report(const struct tally *t, unsigned long n)
{
	printf("%lu lines: both accept %u, both refuse %u\n", n, t->both_accept,
		t->both_refuse);
	for (int m = 0; m < N_MARKS; m++)
		printf("%6u %s %s\n", t->explained[m],
			marks[m].ours ? "only tc accepts:" : "only we accept:",
			marks[m].why);
	printf("%6u not explained\n", t->unexplained);
	/* A grammar that makes nothing right, or nothing wrong, would show nothing. */
	if (t->both_accept < n / 10 || t->both_refuse < n / 10) {
		printf("too few lines of one kind\n");
		return 1;
	}
	return t->unexplained != 0;
}

int main(int argc, char **argv)
{
	static struct line lines[CHUNK];
	static struct answers answers;
	char path[] = "/tmp/tc_agrees-XXXXXX";
	struct tally t = {0};
	unsigned long n, done;
	int fd;

	if (argc != 3) {
		fprintf(stderr, "tc_agrees N SEED\n");
		return 2;
	}
	n = strtoul(argv[1], NULL, 10);
	lines_start(strtoull(argv[2], NULL, 10));
	fd = mkstemp(path);
	if (fd < 0)
		die(path);
	close(fd);
	for (done = 0; done < n; done += CHUNK) {
		unsigned at = 0,
			 chunk = n - done < CHUNK ? (unsigned)(n - done) : CHUNK;

		for (unsigned i = 0; i < chunk; i++)
			lines_make(&lines[i]);
		while (at < chunk)
			at = ask_once(path, lines, at, chunk, &answers);
		for (unsigned i = 0; i < chunk; i++)
			compare(&t, &lines[i], answers.accepted[i], answers.said[i]);
	}
	unlink(path);
	return report(&t, n);
}
