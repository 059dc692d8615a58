/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/words.c - every word of the command line, once
 */
#include "config.h"

#include "conf/conf.h"
#include "conf/words.h"

#include <ctype.h>
#include <string.h>

#define TABLE(title, list)                                                             \
	{                                                                              \
		(title), (list), sizeof(list) / sizeof((list)[0])                      \
	}

static const struct word verbs[] = {
	{"run", VERB_RUN,
		"[dev lo] [uplink WAY] [up netem OPTION... down netem OPTION...] -- "
		"COMMAND",
		"run COMMAND in a fresh network, over a link that is impaired"},
	{"add", VERB_ADD,
		"NAME [netns NS] peer [netns NS] | bridge BR [up | down] netem "
		"OPTION...",
		"a link between namespaces that stays until it is deleted"},
	{"del", VERB_DEL, "NAME | all", "end a link that add made, or all of them"},
	{"change", VERB_CHANGE, "NAME [up | down] netem OPTION...",
		"while a link is on: say options anew; rate, corrupt, slot and seed "
		"stay"},
	{"replace", VERB_REPLACE, "NAME [up | down] netem OPTION...",
		"the same as change"},
	{"set", VERB_SET, "NAME [up | down] netem OPTION...",
		"while a link is on: these options and no others, in both directions"},
	{"show", VERB_SHOW, "[NAME]", "settings of the links that are on; -s: figures"},
	{"monitor", VERB_MONITOR, "[NAME]",
		"what goes over a link, each second, until Ctrl-C"},
	{"check", VERB_CHECK,
		"netem OPTION... | up netem OPTION... down netem OPTION...",
		"read the options and print what they mean; touch nothing"},
	{"doctor", VERB_DOCTOR, "",
		"say what this machine can do, and how to fix what it cannot"},
	{"help", VERB_HELP, "[WORD]", "this list, or what WORD does"},
};
const struct word_table words_verbs = TABLE("Verbs", verbs);

static const struct word options[] = {
	{"-q", OPTION_QUIET, "", "no start line, no warnings"},
	{"-s", OPTION_STATS, "", "run, show: statistics; twice: more of them"},
	{"-j", OPTION_JSON, "", "show, monitor, check, doctor: print JSON"},
	{"-p", OPTION_PRETTY, "", "with -j: indented, for people"},
	{"-c", OPTION_EXACT, "", "show: words that make the same settings again"},
	{"-b", OPTION_BATCH, "FILE",
		"in place of a verb: the commands in FILE, one a line; - is stdin"},
	{"--force", OPTION_FORCE, "", "with -b: go on after a line that failed"},
	{"-f", OPTION_FOREGROUND, "",
		"add: stay in the foreground, tell systemd when ready"},
	{"--for", OPTION_FOR, "TIME", "add: the link ends by itself; 30s, 10min, 2h"},
	{"--report", OPTION_REPORT, "FILE", "run: statistics as JSON into FILE"},
	{"--user", OPTION_USER, "NAME",
		"run: COMMAND runs as NAME; under sudo the default is the caller"},
	{"--name", OPTION_NAME, "NAME",
		"run: change, show and monitor find it as NAME; default run-PID"},
	{"--far", OPTION_FAR, "COMMAND",
		"run: a shell runs COMMAND at the far end, for as long as the run"},
	{"--reach", OPTION_REACH, "PORT,...",
		"run: these ports of the host's localhost, at COMMAND's, over the "
		"link"},
	{"--listen", OPTION_LISTEN, "PORT,...",
		"run: these ports of COMMAND's, at the host's 127.0.0.1, over the "
		"link"},
	{"--memory", OPTION_MEMORY, "SIZE",
		"run, add: bound on the bytes of frames held; 8m to 4g - 1"},
	{"--priority", OPTION_PRIORITY, "auto|fifo|nice|none",
		"run, add: how farwire goes before others; auto takes the best there "
		"is"},
	{"--io", OPTION_IO, "auto|plain|uring",
		"run, add: how frames are read and written; auto takes what there is"},
	{"--gso", OPTION_GSO, "segment|whole|off",
		"run, add: super-frames: each of its frames a fate of its own (the "
		"default), one "
		"for all, or none are made"},
	{"--help", OPTION_HELP, "", "the same as the verb help"},
	{"-V", OPTION_VERSION, "", "print the version"},
	{"--version", OPTION_VERSION, "", "the same"},
};
const struct word_table words_options = TABLE("Options", options);

static const struct word link_words[] = {
	{"netns", 0, "NAME | PATH | PID | .",
		"add: where an end is; default the caller's own, which is ."},
	{"dev", 0, "lo | NAME",
		"this end's device: run: eth0, or lo, COMMAND's own loopback; add: the "
		"first free ethN"},
	{"addr", 0, "ADDRESS/LENGTH",
		"of this end, up to 8; run: default 10.71.0.2/24 and fd71::2/64"},
	{"mac", 0, "XX:XX:XX:XX:XX:XX",
		"of this end; default 02:71:00:00:00:02 (run), random (add)"},
	{"mtu", 0, "BYTES", "of both ends; 68..65521, default 1500"},
	{"uplink", 0, "auto | none | nat | passt | slirp",
		"run: the way out; auto takes what there is; none: a far end in a "
		"network of its own"},
	{"peer", 0, "[netns NS] [dev NAME] [addr A/N]... [mac M]",
		"add: the far end; what follows is said of it"},
	{"bridge", 0, "NAME", "add: the far end is a port of this bridge"},
	{"up", 0, "netem OPTION...",
		"what leaves the near end; alone: the rest is unimpaired"},
	{"down", 0, "netem OPTION...",
		"what arrives at the near end; dev lo has no such way"},
	{"--", 0, "COMMAND [ARG...]", "ends the options; must stand before COMMAND"},
};
const struct word_table words_link = TABLE("The link", link_words);

static const struct word ways[] = {
	{"auto", 0, "", "the default: nat as root, else passt, else slirp"},
	{"none", 0, "", "no way out: a far end in a network of its own; no root"},
	{"nat", 0, "",
		"the kernel translates addresses; needs root; for loss take this"},
	{"passt", 0, "",
		"by the package passt; no root; its TCP has no congestion control"},
	{"slirp", 0, "",
		"by the package slirp4netns; no root; at most 64 KB a round trip, slow "
		"with loss"},
};
const struct word_table words_ways = TABLE("Ways out", ways);

static const struct word kinds[] = {
	{"netem", IMPAIR_NETEM, "OPTION...",
		"the impairments of tc's netem, each option in the words of tc"},
};
const struct word_table words_kinds = TABLE("Kinds of impairment", kinds);

/* The order is tc's: an abbreviation means the first word that it begins. */
static const struct word netem[] = {
	{"limit", NETEM_LIMIT, "FRAMES",
		"how many may wait at once; 0..4294967295, default 1000"},
	{"latency", NETEM_DELAY, "TIME [JITTER [CORRELATION]]", "the same as delay"},
	{"delay", NETEM_DELAY, "TIME [JITTER [CORRELATION]]",
		"hold each frame for TIME, give or take JITTER; default 0"},
	{"loss", NETEM_LOSS,
		"[random] PERCENT [CORRELATION] | state P13 [P31 [P32 [P23 [P14]]]] | "
		"gemodel P "
		"[R [1-H [1-K]]]",
		"lose frames, each on its own or in bursts; 0..100%, default 0"},
	{"drop", NETEM_LOSS, "(as loss)", "the same as loss"},
	{"seed", NETEM_SEED, "N",
		"makes a run repeatable; 0..2^64-1, default a random one"},
	{"ecn", NETEM_ECN, "",
		"with loss: mark frames that allow it instead of losing them"},
	{"reorder", NETEM_REORDER, "PERCENT [CORRELATION]",
		"send frames at once, past those that wait; needs a delay; 0..100%, "
		"default 0"},
	{"corrupt", NETEM_CORRUPT, "PERCENT [CORRELATION]",
		"flip one bit of a frame; 0..100%, default 0"},
	{"gap", NETEM_GAP, "N",
		"with reorder: only each Nth frame may go at once; default 1"},
	{"duplicate", NETEM_DUPLICATE, "PERCENT [CORRELATION]",
		"send frames twice; 0..100%, default 0"},
	{"distribution", NETEM_DISTRIBUTION, "NAME | ./FILE",
		"shape of the jitter; needs delay and jitter; default uniform"},
	{"rate", NETEM_RATE, "RATE [OVERHEAD [CELL [CELLOVERHEAD]]]",
		"speed of the line; overheads in bytes for each frame and each cell; "
		"default off"},
	{"slot", NETEM_SLOT,
		"MIN [MAX] [packets N] [bytes N] | distribution NAME DELAY JITTER "
		"[packets N] "
		"[bytes N]",
		"let frames out in bunches, one each MIN to MAX; default off"},
};
const struct word_table words_netem = TABLE("netem", netem);

static const struct word netem_sub[] = {
	{"random", 0, "PERCENT [CORRELATION]", "loss: each frame on its own"},
	{"state", 0, "P13 [P31 [P32 [P23 [P14]]]]",
		"loss: four states; 1 good, 2 good in a burst, 3 lost in a burst, 4 "
		"lost alone"},
	{"gemodel", 0, "P [R [1-H [1-K]]]",
		"loss: good to bad with P, back with R; lost while bad 1-H, while good "
		"1-K"},
	{"packets", 0, "N", "slot: at most N frames in a bunch; stands before bytes"},
	{"bytes", 0, "N", "slot: at most N bytes in a bunch"},
};
const struct word_table words_netem_sub =
	TABLE("Words among netem's values", netem_sub);

static const struct word dists[] = {
	{"uniform", DIST_UNIFORM, "", "from delay - jitter to delay + jitter"},
	{"normal", DIST_NORMAL, "", "the bell; jitter is its standard deviation"},
	{"pareto", DIST_PARETO, "", "a long tail on the late side"},
	{"paretonormal", DIST_PARETONORMAL, "",
		"a quarter normal, three quarters pareto"},
};
const struct word_table words_dist = TABLE("Built-in distributions", dists);

const struct word_table *const words_all[] = {&words_verbs, &words_options, &words_link,
	&words_kinds, &words_netem, &words_netem_sub, &words_dist, NULL};

const struct word *words_find(const struct word_table *t, const char *text)
{
	for (size_t i = 0; i < t->n_words; i++)
		if (strcmp(t->words[i].name, text) == 0)
			return &t->words[i];
	return NULL;
}

const struct word *words_find_prefix(const struct word_table *t, const char *text)
{
	size_t len = strlen(text);

	for (size_t i = 0; len && i < t->n_words; i++)
		if (strncmp(t->words[i].name, text, len) == 0)
			return &t->words[i];
	return NULL;
}

/* Longest word that is compared; every word of the tables is shorter. */
#define WORD_MAX 24

/*
 * Edit distance of Damerau and Levenshtein (optimal string alignment), three rows of
 * its matrix at a time. Words are short and this happens once, on the way to an error.
 */
static size_t distance(const char *a, const char *b)
{
	size_t rows[3][WORD_MAX + 1] = {{0}}, n = strlen(b);
	size_t *older = rows[0], *old = rows[1], *row = rows[2];

	if (n > WORD_MAX)
		return WORD_MAX;
	for (size_t j = 0; j <= n; j++)
		old[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t *spare = older;

		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			bool same = tolower((unsigned char)a[i - 1]) == b[j - 1];
			size_t least = old[j - 1] + (same ? 0 : 1);

			if (old[j] + 1 < least)
				least = old[j] + 1;
			if (row[j - 1] + 1 < least)
				least = row[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
				a[i - 2] == b[j - 1] && older[j - 2] + 1 < least)
				least = older[j - 2] + 1;
			row[j] = least;
		}
		older = old;
		old = row;
		row = spare;
	}
	return old[n];
}

const struct word *words_nearest(const struct word_table *t, const char *text)
{
	const struct word *best = NULL;
	size_t len = strlen(text), least;

	if (len < 3 || len > WORD_MAX)
		return NULL;
	/* One error in three letters may be a slip; more is another word. */
	least = len / 3 + 1;
	for (size_t i = 0; i < t->n_words; i++) {
		size_t d = distance(text, t->words[i].name);

		if (d < least) {
			best = &t->words[i];
			least = d;
		}
	}
	return best;
}

const char *words_quote(const char *text, char room[WORDS_QUOTE_BYTES])
{
	size_t i, max = WORDS_QUOTE_BYTES - 4;

	for (i = 0; i < max && text[i]; i++) {
		unsigned char ch = (unsigned char)text[i];

		/* Bytes of UTF-8 are left as they are. */
		room[i] = ch < 0x20 || ch == 0x7f ? '?' : text[i];
	}
	memcpy(room + i, text[i] ? "..." : "", text[i] ? 4 : 1);
	return room;
}
