/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/relays.c - the relays of a run: --reach, --listen
 */
#include "config.h"

#include "host/relays.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "host/spawn.h"

#define DNS_PORT 53

static const struct kind {
	int type;
	int family;
	const char *name;
} kinds[RELAYS_KINDS] = {
	{SOCK_STREAM, AF_INET, "TCP"},
	{SOCK_DGRAM, AF_INET, "UDP"},
	{SOCK_STREAM, AF_INET6, "TCP"},
	{SOCK_DGRAM, AF_INET6, "UDP"},
};

static struct relay_addr loopback(int family, unsigned port)
{
	struct relay_addr a = {.family = family, .port = (uint16_t)port};

	if (family == AF_INET)
		memcpy(a.bytes, (const uint8_t[]){127, 0, 0, 1}, 4);
	else
		a.bytes[15] = 1;
	return a;
}

static int other_family(int family)
{
	return family == AF_INET ? AF_INET6 : AF_INET;
}

static struct relay_addr at_port(const struct cidr *c, unsigned port)
{
	struct relay_addr a = {.family = c->family, .port = (uint16_t)port};

	memcpy(a.bytes, c->bytes, sizeof(a.bytes));
	return a;
}

/* The first address of an end in a family. Return: whether it has one. */
static bool address_in(
	const struct plan_end *end, int family, unsigned port, struct relay_addr *a)
{
	unsigned i;

	for (i = 0; i < end->n_addrs; i++)
		if (end->addr[i].family == family) {
			*a = at_port(&end->addr[i], port);
			return true;
		}
	return false;
}

static void add_loopback(struct relay_rule *rule, int family, unsigned port)
{
	rule->to[rule->n_to++] = loopback(family, port);
	rule->to[rule->n_to++] = loopback(other_family(family), port);
}

static void add_end(
	struct relay_rule *rule, const struct plan_end *end, int family, unsigned port)
{
	rule->n_to += address_in(end, family, port, &rule->to[rule->n_to]);
	rule->n_to +=
		address_in(end, other_family(family), port, &rule->to[rule->n_to]);
}

/* The kernel, or this namespace, knows no such address: for IPv6 that is usual. */
static bool is_absent(int code, int family)
{
	return family == AF_INET6 && (code == -EAFNOSUPPORT || code == -EADDRNOTAVAIL);
}

/* Listen at @at for the relay @who. */
static int give(struct relays *r, enum relays_at who, const struct relay_addr *at,
	const char *dev, const struct relay_rule *rule, const char *option,
	struct err *e)
{
	int fd FD_AUTO = relay_listen(rule->type, at, dev);

	if (is_absent(fd, at->family))
		return 0;
	if (fd < 0)
		return err_set(e, fd, "%s: cannot listen at %s: %s", option,
			relay_text(at), strerror(-fd));
	return relay_give(r->sock[who], rule, fd, e);
}

void relays_init(struct relays *r)
{
	memset(r->sock, -1, sizeof(r->sock));
	memset(r->own, -1, sizeof(r->own));
	memset(r->listen_fd, -1, sizeof(r->listen_fd));
}

/* Start one where the caller stands. */
static int start(struct relays *r, enum relays_at at, struct err *e)
{
	int rc = spawn_relay(r->own[at], r->ident, r->parent, e);

	fd_close(&r->own[at]);
	return rc;
}

static int take_port(
	struct relays *r, unsigned i, unsigned port, int family, struct err *e)
{
	struct relay_addr at;
	unsigned k;
	int fd;

	for (k = 0; k < RELAYS_KINDS; k++) {
		if (family && family != kinds[k].family)
			continue;
		at = loopback(kinds[k].family, port);
		fd = relay_listen(kinds[k].type, &at, NULL);
		if (is_absent(fd, at.family))
			continue;
		if (fd == -EADDRINUSE)
			return err_set(e, fd,
				"--listen '%u': %s %s is taken on this host; end what "
				"listens there, or let the command use another port",
				port, kinds[k].name, relay_text(&at));
		if (fd == -EACCES)
			return err_set(e, fd,
				"--listen '%u': %s %s: only root may listen there; let "
				"the command use a port from 1024 on",
				port, kinds[k].name, relay_text(&at));
		if (fd < 0)
			return err_set(e, fd, "--listen '%u': %s %s: %s", port,
				kinds[k].name, relay_text(&at), strerror(-fd));
		r->listen_fd[i][k] = fd;
	}
	return 0;
}

/* @family: of those to be taken; AF_UNSPEC: of both */
static int take_ports(
	struct relays *r, const struct port_list *listen, int family, struct err *e)
{
	unsigned i;
	int rc = 0;

	for (i = 0; i < listen->n && !rc; i++)
		rc = take_port(r, i, listen->port[i], family, e);
	return rc;
}

/* Which there will be: bit per enum relays_at. */
static unsigned needed(const struct conf *c, enum far uplink, bool dns)
{
	bool own_far = uplink == FAR_ABSENT, reach = c->reach.n, listen = c->listen.n;
	unsigned at = 0;

	if (!reach && !listen)
		return dns ? 1U << RELAYS_HOST : 0;
	if (!own_far || reach)
		at |= 1U << RELAYS_HOST;
	if (own_far && listen)
		at |= 1U << RELAYS_FAR;
	return at | 1U << RELAYS_NEAR;
}

int relays_family(const struct plan *plan)
{
	struct relay_addr unused;

	return address_in(&plan->near, AF_INET, 0, &unused) ? AF_INET : AF_INET6;
}

int relays_check(const struct conf *c, struct err *e)
{
	struct relays r;
	int rc;

	relays_init(&r);
	rc = take_ports(&r, &c->listen, AF_UNSPEC, e);
	relays_close(&r);
	return rc;
}

/* The helper listens in one family for --listen; who comes in the other is led to it. */
static int lead_to_helper(
	struct relays *r, const struct port_list *listen, int family, struct err *e)
{
	unsigned i, k;
	int rc = 0;

	for (i = 0; i < listen->n; i++)
		for (k = 0; k < RELAYS_KINDS && !rc; k++) {
			struct relay_rule rule = {.type = kinds[k].type, .n_to = 1};

			rule.to[0] = loopback(family, listen->port[i]);
			if (r->listen_fd[i][k] >= 0)
				rc = relay_give(r->sock[RELAYS_HOST], &rule,
					r->listen_fd[i][k], e);
		}
	return rc;
}

/* Takes @fd, or the error in it. */
static int give_reach(struct relays *r, const struct relay_rule *rule, int fd,
	uint16_t *port, struct err *e)
{
	int rc = fd < 0 ? fd : relay_port(fd, port);

	if (rc < 0)
		err_set(e, rc, "--reach: cannot listen: %s", strerror(-rc));
	else
		rc = relay_give(r->sock[RELAYS_HOST], rule, fd, e);
	fd_close(&fd);
	return rc;
}

/* And leads over the link to the caller's loopback, where we listen for --reach. */
static int lead_from_helper(struct relays *r, const struct port_list *reach,
	enum far uplink, int family, struct err *e)
{
	struct relay_addr at = loopback(family, 0);
	unsigned i, k;
	int rc = 0;

	for (i = 0; i < reach->n; i++)
		for (k = 0; k < RELAYS_KINDS && !rc; k++) {
			/* passt drops a reset that comes before the link is crossed. */
			struct relay_rule rule = {.type = kinds[k].type,
				.ends_softly = uplink == FAR_UPLINK_PASST};

			add_loopback(&rule, kinds[k].family, reach->port[i]);
			rc = give_reach(r, &rule, relay_listen(rule.type, &at, NULL),
				&r->reach_port[i][k], e);
		}
	return rc;
}

int relays_open(struct relays *r, const struct conf *c, enum far uplink,
	const struct plan *plan, bool dns, const struct ident *ident, struct err *e)
{
	bool helper = uplink == FAR_UPLINK_PASST || uplink == FAR_UPLINK_SLIRP;
	unsigned at = needed(c, uplink, dns);
	int i, pair[2], rc = 0, family = relays_family(plan);

	r->helper_family = helper ? family : 0;
	r->ident = ident;
	r->parent = getpid();
	if (at)
		rc = take_ports(
			r, &c->listen, helper ? other_family(family) : AF_UNSPEC, e);
	for (i = 0; i < N_RELAYS && !rc; i++) {
		if (!(at & (1U << i)))
			continue;
		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
			return err_sys(e, "relay: socket");
		r->sock[i] = pair[0];
		r->own[i] = pair[1];
	}
	if (!rc && at & (1U << RELAYS_HOST))
		rc = start(r, RELAYS_HOST, e);
	if (!rc && helper)
		rc = lead_to_helper(r, &c->listen, family, e);
	if (!rc && helper)
		rc = lead_from_helper(r, &c->reach, uplink, family, e);
	return rc;
}

/* Lead what comes to the caller's ports over the link, by the relay @at. */
static int lead_in(struct relays *r, enum relays_at at, const struct port_list *listen,
	const struct plan *plan, struct err *e)
{
	unsigned i, k;
	int rc = 0;

	for (i = 0; i < listen->n; i++)
		for (k = 0; k < RELAYS_KINDS && !rc; k++) {
			struct relay_rule rule = {.type = kinds[k].type};

			add_end(&rule, &plan->near, kinds[k].family, RELAYS_PORT + i);
			if (r->listen_fd[i][k] >= 0)
				rc = relay_give(
					r->sock[at], &rule, r->listen_fd[i][k], e);
			fd_close(&r->listen_fd[i][k]);
		}
	return rc;
}

/*
 * Listen at the far end's addresses, which the caller's namespace has, for --reach. Where
 * that is the host's own, a server there may have the port at all addresses; then ours is
 * another one.
 */
static int lead_out(struct relays *r, const struct port_list *reach,
	const struct plan *plan, const char *dev, struct err *e)
{
	struct relay_addr at;
	unsigned i, k;
	int fd, rc = 0;

	for (i = 0; i < reach->n; i++)
		for (k = 0; k < RELAYS_KINDS && !rc; k++) {
			struct relay_rule rule = {.type = kinds[k].type};

			if (!address_in(
				    &plan->far, kinds[k].family, reach->port[i], &at))
				continue;
			add_loopback(&rule, kinds[k].family, reach->port[i]);
			fd = relay_listen(rule.type, &at, dev);
			at.port = 0;
			if (fd == -EADDRINUSE)
				fd = relay_listen(rule.type, &at, dev);
			rc = give_reach(r, &rule, fd, &r->reach_port[i][k], e);
		}
	return rc;
}

int relays_dns(struct relays *r, const struct plan *plan, const char *dev,
	const struct cidr *to, unsigned scope, struct err *e)
{
	struct relay_addr at, server = at_port(to, DNS_PORT);
	unsigned k;
	int rc = 0;

	server.scope = scope;
	for (k = 0; k < RELAYS_KINDS && !rc; k++) {
		struct relay_rule rule = {
			.type = kinds[k].type, .n_to = 1, .to = {server}};
		int fd FD_AUTO = -1;

		if (!address_in(&plan->far, kinds[k].family, DNS_PORT, &at))
			continue;
		fd = relay_listen(rule.type, &at, dev);
		/* A name server of the host's that has the port everywhere answers. */
		if (fd == -EADDRINUSE)
			continue;
		rc = fd < 0 ? err_set(e, fd, "uplink nat: DNS: %s", strerror(-fd))
			    : relay_give(r->sock[RELAYS_HOST], &rule, fd, e);
	}
	return rc;
}

int relays_nat(struct relays *r, const struct conf *c, const struct plan *plan,
	const char *dev, struct err *e)
{
	int rc = 0;

	if (r->sock[RELAYS_HOST] >= 0)
		rc = lead_out(r, &c->reach, plan, dev, e);
	return rc ? rc : lead_in(r, RELAYS_HOST, &c->listen, plan, e);
}

int relays_far(
	struct relays *r, const struct conf *c, const struct plan *plan, struct err *e)
{
	int rc = lead_out(r, &c->reach, plan, NULL, e);

	if (rc || r->sock[RELAYS_FAR] < 0)
		return rc;
	rc = start(r, RELAYS_FAR, e);
	return rc ? rc : lead_in(r, RELAYS_FAR, &c->listen, plan, e);
}

/* Inside, PORT on the loopback leads over the link. */
static int near_reach(struct relays *r, unsigned i, unsigned port,
	const struct plan *plan, struct err *e)
{
	struct relay_addr at;
	unsigned k, from;
	int rc = 0;

	for (k = 0; k < RELAYS_KINDS && !rc; k++) {
		struct relay_rule rule = {.type = kinds[k].type};

		/* A family that the far end has not is led to the other one's. */
		from = address_in(&plan->far, kinds[k].family, 0, &at) ? k : k ^ 2;
		at = loopback(kinds[k].family, port);
		if (r->helper_family)
			rule.n_to = address_in(&plan->far, r->helper_family,
				r->reach_port[i][k], &rule.to[0]);
		else
			rule.n_to = address_in(&plan->far, kinds[from].family,
				r->reach_port[i][from], &rule.to[0]);
		rc = give(r, RELAYS_NEAR, &at, NULL, &rule, "--reach", e);
	}
	return rc;
}

/* What comes over the link to the hidden port leads to PORT inside. */
static int near_listen(struct relays *r, unsigned i, unsigned port,
	const struct plan *plan, struct err *e)
{
	struct relay_addr at;
	unsigned k;
	int rc = 0;

	for (k = 0; k < RELAYS_KINDS && !rc; k++) {
		struct relay_rule rule = {.type = kinds[k].type};

		if (!address_in(&plan->near, kinds[k].family, RELAYS_PORT + i, &at))
			continue;
		add_loopback(&rule, kinds[k].family, port);
		add_end(&rule, &plan->near, kinds[k].family, port);
		rc = give(r, RELAYS_NEAR, &at, NULL, &rule, "--listen", e);
	}
	return rc;
}

int relays_near(
	struct relays *r, const struct conf *c, const struct plan *plan, struct err *e)
{
	unsigned i;
	int rc;

	if (r->sock[RELAYS_NEAR] < 0)
		return 0;
	rc = start(r, RELAYS_NEAR, e);
	for (i = 0; i < c->reach.n && !rc; i++)
		rc = near_reach(r, i, c->reach.port[i], plan, e);
	for (i = 0; i < c->listen.n && !rc; i++)
		rc = near_listen(r, i, c->listen.port[i], plan, e);
	return rc;
}

void relays_started(struct relays *r)
{
	unsigned i, k;

	for (i = 0; i < N_RELAYS; i++)
		fd_close(&r->own[i]);
	for (i = 0; i < PORTS_MAX; i++)
		for (k = 0; k < RELAYS_KINDS; k++)
			fd_close(&r->listen_fd[i][k]);
}

void relays_close(struct relays *r)
{
	unsigned i;

	relays_started(r);
	for (i = 0; i < N_RELAYS; i++)
		fd_close(&r->sock[i]);
}
