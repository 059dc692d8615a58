/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/forward.h - forwarding in the caller's network namespace: on, and as it was
 *
 * Theory of operation
 *   The kernel forwards a packet if the device on which it arrives has forwarding on. So
 *   it is switched on for our device and for each device by which the host reaches
 *   others, and not for the host as a whole.
 *     IPv4   conf/DEV/forwarding
 *     IPv6   conf/DEV/force_forwarding (Linux 6.17), which changes nothing else. Before
 *            it there was but conf/all/forwarding, which also makes each device a
 *            router's, that takes no router advertisements and forgets the default
 *            routes it had from them. All but the forwarding itself is put back at
 *            once: each device is a host's again, and while it is not it keeps what it
 *            has by accept_ra=2.
 *   What is changed is put down with its old value before anything is changed, so that
 *   whoever is left can put it back. Several runs share devices: see host/nat.c.
 */
#ifndef FW_HOST_FORWARD_H
#define FW_HOST_FORWARD_H

#include "base/err.h"

#include <net/if.h>
#include <stdbool.h>

#define FORWARD_MAX 64
#define FORWARD_PATH_BYTES 64
#define FORWARD_TEXT_BYTES 80 /* within the 128 of a rule's comment */

/* A file below /proc/sys/net that is to be 1. */
struct forward_change {
	char path[FORWARD_PATH_BYTES];
	char dev[IFNAMSIZ]; /* "all" for the host as a whole */
	int family;
	int was;
};

struct forward {
	unsigned n;
	struct forward_change change[FORWARD_MAX];
	int all4_was; /* ipv4/conf/all/forwarding, which is not ours to change */
};

/** forward_can6() - May IPv6 forwarding be changed? Not where /proc/sys is read-only. */
bool forward_can6(void);

/**
 * forward_plan() - Put down what is to be changed: on devices that are up and have an
 * address
 * @ours: devices whose names begin so are passed over
 */
void forward_plan(struct forward *f, bool ipv4, bool ipv6, const char *ours);

/**
 * forward_note() - Take over what another run has put down: it found it so
 * @text: as forward_text() gave it
 */
void forward_note(struct forward *f, const char *text);

/** forward_text() - Number @i of what is put down, as one line. False: no such number. */
bool forward_text(const struct forward *f, unsigned i, char to[FORWARD_TEXT_BYTES]);

/** forward_own() - On for a device that is ours, which takes no router's word. */
int forward_own(const char *dev, bool ipv6, struct err *e);

/** forward_on() - Change it. 0 or -errno, with some of it perhaps changed. */
int forward_on(const struct forward *f, struct err *e);

/**
 * forward_back() - Put back what was changed, if it still is
 * @in_use: does somebody else need this one? Then it stays.
 *
 * Where IPv4 forwarding was switched on for the host as a whole meanwhile, by Docker
 * say, it stays on.
 */
void forward_back(const struct forward *f,
	bool (*in_use)(const struct forward_change *c, void *ctx), void *ctx);

/**
 * forward_save() - Put it down where it survives us: /run/farwire/nat-COOKIE.was
 *
 * Best effort, as the two below; nothing where nothing is changed.
 */
void forward_save(const struct forward *f);

/**
 * forward_load() - Take over what was saved in this network namespace since the boot
 *
 * Return: whether any of @f is not as it was: it was left so, unless another run lives.
 */
bool forward_load(struct forward *f);

/** forward_unsave() - All is as it was. */
void forward_unsave(void);

#endif
