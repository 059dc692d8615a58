/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/conf.h - what the user asked for, as plain data
 *
 * The readers of conf/ fill these structs, host/ and engine/ read them; words and
 * kernel calls meet nowhere else. Nothing here has behaviour, and the zero value of
 * each struct is not a valid setting: conf_init() and netem_conf_init() give the
 * defaults.
 */
#ifndef FW_CONF_CONF_H
#define FW_CONF_CONF_H

#include "base/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Probability as netem has it: a fraction of 2^32 - 1. */
#define P32_ONE UINT32_MAX

/* A yes/no decision and its correlation. */
struct chance {
	uint32_t p32;
	uint32_t corr_p32;
};

enum loss_model { LOSS_RANDOM, LOSS_STATE, LOSS_GEMODEL };

/* Table behind a jitter. Built-in ones are computed by engine/dist, a file is read
 * here. */
enum dist_kind { DIST_UNIFORM, DIST_NORMAL, DIST_PARETO, DIST_PARETONORMAL, DIST_FILE };

#define DIST_VALUES_MAX 16384

struct dist_conf {
	enum dist_kind kind;
	char *name;        /* as given, NULL for DIST_UNIFORM unless named; owned */
	int16_t *values;   /* of a DIST_FILE, else NULL; owned */
	uint32_t n_values; /* 1..DIST_VALUES_MAX for a DIST_FILE */
};

struct slot_conf {
	bool active; /* the kernel's rule: one of the times is not 0 */
	nsec_t min_delay_ns, max_delay_ns;
	bool has_dist; /* then dist_delay and dist_jitter count, not min and max */
	struct dist_conf dist;
	nsec_t dist_delay_ns, dist_jitter_ns;
	int32_t max_packets; /* 0: no bound */
	int32_t max_bytes;   /* 0: no bound */
};

/* Which words stood in the command: a later `change` keeps some fields it does not
 * name. */
enum netem_named {
	NAMED_LIMIT = 1 << 0,
	NAMED_DELAY = 1 << 1,
	NAMED_DISTRIBUTION = 1 << 2,
	NAMED_LOSS = 1 << 3,
	NAMED_ECN = 1 << 4,
	NAMED_CORRUPT = 1 << 5,
	NAMED_DUPLICATE = 1 << 6,
	NAMED_REORDER = 1 << 7,
	NAMED_GAP = 1 << 8,
	NAMED_RATE = 1 << 9,
	NAMED_SLOT = 1 << 10,
	NAMED_SEED = 1 << 11,
	NAMED_DELAY_CORR = 1 << 12,
	NAMED_LOSS_CORR = 1 << 13,
	NAMED_DUPLICATE_CORR = 1 << 14,
	NAMED_REORDER_CORR = 1 << 15,
	NAMED_CORRUPT_CORR = 1 << 16,
};

/* Everything tc can send after the word netem. */
struct netem_conf {
	uint32_t named; /* enum netem_named */
	uint32_t limit_frames;
	nsec_t latency_ns;
	nsec_t jitter_ns; /* 0..2147483647 */
	uint32_t delay_corr_p32;
	struct dist_conf dist;
	enum loss_model loss_model;
	struct chance loss; /* LOSS_RANDOM */
	/* LOSS_STATE, the states as users number them (netem-semantics 8.2) */
	uint32_t p13_p32, p31_p32, p32_p32, p23_p32, p14_p32;
	/* LOSS_GEMODEL: good to bad, bad to good, loss while bad, loss while good */
	uint32_t ge_p_p32, ge_r_p32, ge_1_h_p32, ge_1_k_p32;
	bool ecn;
	struct chance corrupt, duplicate, reorder;
	uint32_t gap;
	uint64_t rate_byteps; /* 0: off */
	int32_t overhead_bytes;
	uint32_t cell_bytes; /* 0: no cells */
	int32_t cell_overhead_bytes;
	struct slot_conf slot;
	bool has_seed; /* else whoever starts the path draws one and sets both */
	uint64_t seed;
};

enum impair_kind { IMPAIR_NONE, IMPAIR_NETEM };

/* What one direction does to its frames. */
struct spec {
	enum impair_kind kind;
	struct netem_conf netem; /* IMPAIR_NETEM */
};

/* Index of a direction: up leaves the near end, down arrives at it. */
enum direction { DIR_UP, DIR_DOWN, N_DIRS };

enum verb {
	VERB_RUN,
	VERB_ADD,
	VERB_DEL,
	VERB_CHANGE,
	VERB_REPLACE,
	VERB_SET,
	VERB_SHOW,
	VERB_MONITOR,
	VERB_CHECK,
	VERB_DOCTOR,
	VERB_HELP,
	VERB_VERSION,
	VERB_BATCH, /* no word of its own: -b FILE without a verb */
};

/* An address and the length of its network. */
struct cidr {
	int family;        /* AF_INET or AF_INET6 */
	uint8_t bytes[16]; /* the first 4 or all 16 */
	unsigned prefix;
};

#define END_ADDRS_MAX 8

/* One end of a link. What is not said stays 0: whoever makes the device knows the
 * usual. The texts point into argv. */
struct link_end {
	const char *netns; /* name, path, process id or `.`; NULL: the caller's own */
	const char *dev;   /* never lo, which is near_lo */
	struct cidr addr[END_ADDRS_MAX];
	unsigned n_addrs;
	bool has_mac;
	uint8_t mac[6];
	unsigned mtu_bytes;
};

enum far {
	FAR_ABSENT,
	FAR_UPLINK_NONE,
	FAR_UPLINK_AUTO, /* run without a word about it: the best way out there is */
	FAR_UPLINK_NAT,
	FAR_UPLINK_PASST,
	FAR_UPLINK_SLIRP,
	FAR_PEER,
	FAR_BRIDGE,
};

#define PORTS_MAX 32
/* Those of --listen on the link, in their order: behind those that the kernel gives. */
#define PORTS_ON_LINK 61000

/* Ports of --reach or --listen, none of them twice. */
struct port_list {
	unsigned n;
	uint16_t port[PORTS_MAX]; /* 1..65535 */
};

/* How a wish for one of several ways is said; the first one takes what there is. */
enum rank_wish { RANK_AUTO, RANK_FIFO, RANK_NICE, RANK_NONE };

/* Of SCHED_FIFO. Above everything that is not real-time, below all that is: nobody
 * else's audio stops. */
#define RANK_PRIORITY 1
enum io_wish { IO_AUTO, IO_PLAIN, IO_URING };
enum gso_wish { GSO_SEGMENT, GSO_WHOLE, GSO_OFF };

struct conf {
	enum verb verb;
	bool quiet;              /* -q */
	unsigned stats;          /* how often -s was given */
	bool json;               /* -j */
	bool pretty;             /* -p */
	bool exact;              /* -c */
	const char *report_path; /* --report, or NULL; points into argv */
	const char *user;        /* --user, or NULL; points into argv */
	/* of add, change, show and so on; NULL: all links (show, monitor, del all) */
	const char *link_name;
	const char *help_word;   /* of `help WORD`, or NULL */
	const char *name;        /* --name, or NULL: run-PID; points into argv */
	const char *far_command; /* --far, or NULL; points into argv */
	struct port_list reach;  /* --reach: localhost's of the caller */
	struct port_list listen; /* --listen: the command's */
	uint64_t memory_bytes;   /* --memory, 0: the usual */
	enum rank_wish rank;     /* --priority */
	enum io_wish io;         /* --io */
	enum gso_wish gso;       /* --gso */
	const char *batch_path;  /* -b, or NULL; "-" is stdin; points into argv */
	bool force;              /* --force: a batch goes on after an error */
	bool deferred;   /* a batch waits for it later; not a word of the user's */
	bool foreground; /* -f of add */
	nsec_t for_ns;   /* --for of add, 0: without end; at most half of nsec_t */
	bool near_lo;    /* near is `dev lo` */
	struct link_end near;
	enum far far;
	struct link_end peer;       /* FAR_PEER */
	const char *bridge;         /* FAR_BRIDGE; points into argv */
	bool has_direction[N_DIRS]; /* the SPEC was named with up or down */
	struct spec spec[N_DIRS];
	char **command; /* argv of the command, NULL-terminated, or NULL; points into
			   argv */
};

#endif
