/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/fuzz/fuzz_args.c - random command lines, batches and tables through the readers
 *
 *   fuzz_args [N [SEED]]      prints TAP
 *
 * What must hold for any words: no crash and nothing that ASan or UBSan see; an error has
 * a text of one line; what was accepted can be shown in every form, and its exact words
 * are accepted again; words that are quoted come out of a batch as they went in. A third of the lines are the grammar's of cli/lines.c, the rest are
 * words of the tables and scraps in any order, with bytes changed here and there.
 */
#include "config.h"

#include "cli/lines.h"
#include "conf/args.h"
#include "conf/batch.h"
#include "conf/dist_file.h"
#include "conf/show.h"
#include "conf/warn.h"
#include "conf/words.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORDS_MAX 76

static const char *const scraps[] = {"lo", "5ms", "1%", "0", "-1", "1e309", "nan", "",
	" ", "--", "-", "\xff\xfe", "0x", "99999999999999999999",
	"-9223372036854775808", ".5", "%", "true", "./x", "/dev/null", "normal",
	"1e-320s", "=", "--report=", "--user=x", "4g", "1.7976931348623157e308",
	"0x1p5", "+5%", "100%", "50%", "none", "lo", "eth0", "wan", "all",
	"10.1.2.3/24", "fd00::1/64", "::/0", "1.2.3.4/", "02:00:00:00:00:01", "1500",
	"-ssj", "8m", "uring", "--far=x", "--name=a/b", "--for=10s", "10min", "-f",
	"-qb", "br0", "4711", ".", "..", "/run/x"};

static unsigned bad;

static void complain(const char *what, char **argv, int argc)
{
	printf("# %s:", what);
	for (int i = 1; i < argc; i++)
		printf(" '%s'", argv[i]);
	putchar('\n');
	bad++;
}

static const char *random_word(void)
{
	unsigned n = 0, at;

	if (lines_below(3) == 0)
		return scraps[lines_below(sizeof(scraps) / sizeof(scraps[0]))];
	for (unsigned i = 0; words_all[i]; i++)
		n += (unsigned)words_all[i]->n_words;
	at = lines_below(n);
	for (unsigned i = 0;; i++) {
		if (at < words_all[i]->n_words)
			return words_all[i]->words[at].name;
		at -= (unsigned)words_all[i]->n_words;
	}
}

/* Fill words behind argv[0]; they are the caller's to free. Return: argc. */
static int random_line(char **argv)
{
	static char program[] = "farwire";
	int argc = 0;

	argv[argc++] = program;
	if (lines_below(3) == 0) {
		static const char *const starts[][6] = {{"check", NULL}, {"set", "wan"},
			{"change", "wan", "down"}, {"run", "uplink", "none"},
			{"add", "wan", "peer"}, {"add", "wan", "bridge", "br0", "up"},
			{"add", "wan", "netns", "a", "peer", "down"}};
		const char *const *start = starts[lines_below(7)];
		struct line l;

		lines_make(&l);
		for (int i = 0; i < 6 && start[i]; i++)
			argv[argc++] = strdup(start[i]);
		argv[argc++] = strdup("netem");
		for (int i = 0; i < l.n; i++)
			argv[argc++] = strdup(l.text[i]);
		if (start == starts[3]) {
			argv[argc++] = strdup("--");
			argv[argc++] = strdup("true");
		}
	} else {
		for (unsigned n = lines_below(20); n; n--)
			argv[argc++] = strdup(random_word());
	}
	argv[argc] = NULL;
	if (argc > 1 && lines_below(4) == 0) {
		char *w = argv[1 + lines_below((unsigned)argc - 1)];
		size_t len = strlen(w);

		if (len)
			w[lines_below((unsigned)len)] = (char)(1 + lines_below(255));
	}
	return argc;
}

static void exact_words_come_back(const struct spec *s, char **argv, int argc)
{
	char exact[SHOW_BYTES], *words[WORDS_MAX + 4], *save = NULL;
	static char line[2][8] = {"farwire", "check"};
	struct conf c;
	int n = 2;

	words[0] = line[0];
	words[1] = line[1];
	show_exact(s, exact, sizeof(exact));
	for (char *w = strtok_r(exact, " ", &save); w; w = strtok_r(NULL, " ", &save))
		words[n++] = w;
	words[n] = NULL;
	conf_init(&c);
	if (conf_read(&c, n, words, NULL))
		complain("exact words are refused", argv, argc);
	conf_fini(&c);
}

static void use(struct conf *c, char **argv, int argc)
{
	char lines[WARN_LINES_MAX][WARN_LINE_BYTES], text[SHOW_BYTES];
	struct spec *s = &c->spec[DIR_UP];

	if (c->verb == VERB_RUN && (!c->command || !c->command[0]))
		complain("a run without a command", argv, argc);
	if (c->verb == VERB_ADD &&
		(!c->link_name || c->near_lo || (c->far == FAR_BRIDGE) != !!c->bridge ||
			(c->far != FAR_BRIDGE && c->far != FAR_PEER)))
		complain("a link without a name or an end", argv, argc);
	if (c->verb == VERB_BATCH && !c->batch_path)
		complain("a batch without a file", argv, argc);
	for (int i = 0; i < N_DIRS; i++) {
		json_object_put(show_json(&c->spec[i], "up"));
		show_spec(&c->spec[i], text, sizeof(text));
		show_start_line(&c->spec[i], 2, text, sizeof(text));
	}
	/* The figures of correlations take a while. */
	if (lines_below(20) == 0)
		warn_spec(s, lines);
	if (s->kind != IMPAIR_NONE &&
		!strchr(s->netem.dist.name ? s->netem.dist.name : "", ' '))
		exact_words_come_back(s, argv, argc);
}

static void one_line(void)
{
	char *argv[WORDS_MAX + 4];
	struct err e = {0};
	struct conf c;
	int argc = random_line(argv);

	conf_init(&c);
	if (conf_read(&c, argc, argv, &e) == 0)
		use(&c, argv, argc);
	else if (!e.text[0] || strpbrk(e.text, "\n\r\t\x1b"))
		complain("an error without a line of its own", argv, argc);
	conf_fini(&c);
	for (int i = 1; i < argc; i++)
		free(argv[i]);
}

/* A table of random bytes, most of them such as stand in one. */
static void one_file(const char *path)
{
	static const char usual[] = "0123456789 -\n\n  #x\t\r";
	struct dist_conf d = {.kind = DIST_UNIFORM};
	struct err e = {0};
	FILE *out = fopen(path, "we");

	if (!out) {
		bad++;
		return;
	}
	for (unsigned n = lines_below(400); n; n--)
		putc(lines_below(200) ? usual[lines_below(sizeof(usual) - 1)]
				      : (int)lines_below(256),
			out);
	fclose(out);
	if (dist_read(&d, path, &e) == 0) {
		if (d.n_values < 1 || d.n_values > DIST_VALUES_MAX)
			bad++;
	} else if (!e.text[0] || strchr(e.text, '\n')) {
		bad++;
	}
	dist_free(&d);
}

/* A text of a few random words, with blanks and quotes in them, as a shell wants it. */
static void quoted_words_come_back(void)
{
	static const char usual[] = "ab 'x\"\\#\t$-";
	char line[1024], words[8][12], *argv[9];
	unsigned n = lines_below(9), at = 0;
	struct err e;

	for (unsigned i = 0; i < n; i++) {
		unsigned len = lines_below(sizeof(words[i]));

		line[at++] = ' ';
		line[at++] = '\'';
		for (unsigned j = 0; j < len; j++) {
			char ch = usual[lines_below(sizeof(usual) - 1)];

			words[i][j] = ch;
			if (ch == '\'') {
				memcpy(line + at, "'\\'", 3);
				at += 3;
			}
			line[at++] = ch;
		}
		words[i][len] = '\0';
		line[at++] = '\'';
	}
	line[at] = '\0';
	if (batch_split(line, argv, 8, &e) != (int)n)
		bad++;
	else
		for (unsigned i = 0; i < n; i++)
			if (strcmp(argv[i], words[i]) != 0)
				bad++;
}

/* Random bytes, most of them such as stand in a batch. */
static void one_batch(void)
{
	static const char usual[] = "abc  \t'\"\\#-1%\r";
	char line[200], *argv[21];
	unsigned n = lines_below(sizeof(line));
	struct err e = {0};
	int words;

	for (unsigned i = 0; i < n; i++)
		line[i] = lines_below(50) ? usual[lines_below(sizeof(usual) - 1)]
					  : (char)lines_below(256);
	line[n] = '\0';
	words = batch_split(line, argv, 20, &e);
	if (words < 0 ? !e.text[0] || strchr(e.text, '\n') : words > 20 || argv[words])
		bad++;
	for (int i = 0; i < words; i++)
		if (argv[i] < line || argv[i] + strlen(argv[i]) > line + n)
			bad++;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 50000;
	unsigned long seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	char path[] = "/tmp/fuzz_args-XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0)
		return 2;
	close(fd);
	lines_start(seed);
	for (unsigned long i = 0; i < n; i++)
		one_line();
	printf("%s 1 - %lu random lines, seed %lu\n", bad ? "not ok" : "ok", n, seed);
	bad = 0;
	for (unsigned long i = 0; i < n / 20; i++)
		one_file(path);
	printf("%s 2 - %lu random tables\n", bad ? "not ok" : "ok", n / 20);
	bad = 0;
	for (unsigned long i = 0; i < n; i++) {
		one_batch();
		quoted_words_come_back();
	}
	printf("%s 3 - %lu random lines of a batch\n1..3\n", bad ? "not ok" : "ok", n);
	unlink(path);
	return 0;
}
