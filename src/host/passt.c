/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/passt.c - the way out over passt
 *
 * Theory of operation
 *   passt gets one end of a pair of UNIX stream sockets, so that there is no socket in
 *   the file system to wait for or to leave behind, and ends when the other end is
 *   closed. It takes the sockets of the command for its own: to the host it is a
 *   program like any other, and nothing there changes. The addresses are those of
 *   `uplink none`; queries to the gateway's port 53 go to the host's name server, even
 *   to one on its loopback.
 *
 *   It could also let the command reach the host's loopback at the gateway's address.
 *   It is told not to, but for --reach. For --listen it takes the host's ports itself.
 *
 *   It has no congestion control: it sends as much as the command's TCP takes, and begins
 *   anew from what is missing. So that one flow does not overrun a link's `limit` of 1000
 *   frames, the command's TCP is told to take about 1 MB.
 *
 * Limits   one address of each family. A TCP flow has that 1 MB in flight, or what the
 *          host's net.core.rmem_max lets passt hold: 240 KB with 212992.
 */
#include "config.h"

#include "host/passt.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/log.h"
#include "host/knock.h"
#include "host/relays.h"
#include "host/route.h"
#include "host/sockbuf.h"
#include "host/wayout.h"

#define NAME "passt"
/* Of a socket; the window is half of it, 720 full frames. */
#define TCP_BYTES (2u << 20)
#define FD_TEXT "3"
_Static_assert(HELPER_FD == 3, "FD_TEXT");

/* Room for the words below with two families. */
#define ARGS_MAX 40
#define TEXT_BYTES (INET6_ADDRSTRLEN + 4)
/* An address, and for each port five digits, as many for what it leads to, two signs. */
#define PORTS_BYTES (16 + 12 * PORTS_MAX)

struct words {
	char *argv[ARGS_MAX];
	unsigned n;
	char text[8][TEXT_BYTES];
	unsigned n_texts;
	char ports[PORTS_BYTES];
};

static void add(struct words *w, const char *word)
{
	w->argv[w->n++] = (char *)(uintptr_t)word; /* execv's type; it writes nothing */
}

static void add_number(struct words *w, const char *option, unsigned n)
{
	char *text = w->text[w->n_texts++];

	snprintf(text, TEXT_BYTES, "%u", n);
	add(w, option);
	add(w, text);
}

static void add_address(struct words *w, const char *option, const struct cidr *c)
{
	char *text = w->text[w->n_texts++];

	inet_ntop(c->family, c->bytes, text, TEXT_BYTES);
	add(w, option);
	add(w, text);
}

static void add_family(struct words *words, const struct wayout *w, unsigned i)
{
	const struct cidr *near = &w->plan.near.addr[i];
	const struct cidr *gateway = &w->plan.far.addr[w->plan.across[i]];

	add_address(words, "--address", near);
	if (near->family == AF_INET)
		add_number(words, "--netmask", near->prefix);
	add_address(words, "--gateway", gateway);
	for (unsigned k = 0; k < w->n_dns; k++)
		if (w->dns[k].family == near->family)
			add_address(words, "--dns-forward", &w->dns[k]);
}

/* ADDRESS/PORT:INSIDE,... by TCP and by UDP. This passt takes one address for a port. */
static void add_ports(
	struct words *w, const struct port_list *listen, const struct plan *plan)
{
	unsigned i, at;

	if (!listen->n)
		return;
	at = (unsigned)snprintf(w->ports, PORTS_BYTES, "%s/",
		relays_family(plan) == AF_INET ? "127.0.0.1" : "::1");
	for (i = 0; i < listen->n; i++)
		at += (unsigned)snprintf(w->ports + at, PORTS_BYTES - at, "%s%u:%u",
			i ? "," : "", listen->port[i], RELAYS_PORT + i);
	add(w, "--tcp-ports");
	add(w, w->ports);
	add(w, "--udp-ports");
	add(w, w->ports);
}

static void make_words(struct words *words, const char *path, const struct conf *c,
	const struct wayout *w)
{
	static const char *const usual[] = {"--foreground", "--quiet", "--stderr",
		"--fd", FD_TEXT, "--no-dhcp", "--no-dhcpv6", "--no-ra", "--no-dhcp-dns",
		"--no-dhcp-search"};
	const struct plan_end *near = &w->plan.near;

	*words = (struct words){0};
	add(words, path);
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		add(words, usual[i]);
	if (!c->reach.n && !c->listen.n)
		add(words, "--no-map-gw");
	add_ports(words, &c->listen, &w->plan);
	add_number(words, "--mtu", near->mtu_bytes);
	for (unsigned i = 0; i < near->n_addrs; i++)
		add_family(words, w, i);
	if (near->n_addrs == 1)
		add(words, near->addr[0].family == AF_INET ? "--ipv4-only"
							   : "--ipv6-only");
}

static int check_addresses(const struct link_end *near, struct err *e)
{
	unsigned n4 = 0, n6 = 0;

	for (unsigned i = 0; i < near->n_addrs; i++)
		*(near->addr[i].family == AF_INET ? &n4 : &n6) += 1;
	if (n4 > 1 || n6 > 1)
		return err_set(e, -EINVAL,
			"uplink passt: takes one IPv4 and one IPv6 address; leave out "
			"the other addr, or write uplink nat");
	return 0;
}

/* It asks no server of a link, whose device the address alone does not say. */
static bool asks(const struct resolv *r, int family)
{
	for (unsigned i = 0; i < r->n_servers; i++)
		if (r->server[i].family == family && !resolv_is_of_link(&r->server[i]))
			return true;
	return false;
}

/* The gateway of each family is a name server, if the host has one of that family. */
static void take_servers(struct wayout *w)
{
	const struct plan *p = &w->plan;

	for (unsigned i = 0; i < p->near.n_addrs; i++)
		if (asks(&w->resolv, p->near.addr[i].family))
			w->dns[w->n_dns++] = p->far.addr[p->across[i]];
}

static void warn_nameless(const struct wayout *w)
{
	const struct resolv *r = &w->resolv;

	if (r->n_servers && !asks(r, AF_INET) && !asks(r, AF_INET6))
		log_warn("uplink " NAME ": the host's name servers have link-local "
			 "addresses, which it does not ask, so the command finds no "
			 "names; name another in " RESOLV_PATH
			 ", or write uplink slirp");
}

/*
 * What those of before 2024 need of the host for a family that the command is given, and it
 * has not, or NULL.
 */
static const char *lacking(const struct plan *p, int *family)
{
	for (unsigned i = 0; i < p->near.n_addrs; i++) {
		*family = p->near.addr[i].family;
		if (!route_is_far(*family))
			return *family == AF_INET ? "default route for IPv4"
						  : "default route for IPv6";
		/* As inside of another run. */
		if (*family == AF_INET6 && !route_has_link_local())
			return "link-local address, which it needs for IPv6";
	}
	return NULL;
}

/* What helper_failed() puts in front. */
#define SAID_BYTES ((int)sizeof("uplink " NAME ": ") - 1)

/* Those of before 2024 look for a device with a default route of each family: without any
 * they end, without one of them they are deaf in that family. */
static int say_failed(
	const struct wayout_start *s, struct wayout *w, int code, struct err *e)
{
	int family = AF_INET;
	const char *what = s->leads_far ? lacking(&w->plan, &family) : NULL;
	struct err why;

	code = helper_failed(&w->helper, NAME, code, &why);
	if (what)
		return err_set(e, -EHOSTUNREACH,
			"uplink " NAME ": the host has no %s (%.*s); add one, or write "
			"uplink slirp, or addr %s uplink " NAME " for %s alone",
			what, (int)strcspn(why.text, ";") - SAID_BYTES,
			why.text + SAID_BYTES,
			family == AF_INET ? "fd71::2/64" : "10.71.0.2/24",
			family == AF_INET ? "IPv6" : "IPv4");
	if (code == -ETIMEDOUT || s->leads_far) {
		*e = why;
		return e->code;
	}
	return err_set(e, -ENETUNREACH,
		"uplink " NAME ": the host has no default route, without which it does "
		"not start (%.*s); add one, or write uplink slirp",
		(int)strcspn(why.text, ";") - SAID_BYTES, why.text + SAID_BYTES);
}

static int run(
	const struct wayout_start *s, struct wayout *w, const char *path, struct err *e)
{
	struct words words;
	int pair[2], r;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "uplink " NAME ": socket");
	sockbuf_grow(pair[0]);
	sockbuf_grow(pair[1]);
	make_words(&words, path, s->conf, w);
	r = helper_start(&w->helper, NAME, words.argv, s->ident, pair[1], e);
	fd_close(&pair[1]);
	if (r < 0) {
		fd_close(&pair[0]);
		return r;
	}
	r = knock(&w->plan, PORT_STREAM, pair[0], s->until_ns);
	if (!r && fcntl(pair[0], F_SETFL, O_NONBLOCK) < 0)
		r = -errno;
	if (r < 0) {
		/* It ends, with status 0, when that is closed: no reason for anything. */
		say_failed(s, w, r, e);
		fd_close(&pair[0]);
		return e->code;
	}
	w->far = (struct host_port){.role = PORT_FAR,
		.kind = PORT_STREAM,
		.fd = pair[0],
		.stats_fd = -1,
		.dev = NAME};
	return 0;
}

int passt_start(const struct wayout_start *s, struct wayout *w, struct err *e)
{
	struct link_end near = wayout_near(
		s->conf, s->ipv4 ? &plan_usual4 : NULL, s->ipv6 ? &plan_usual6 : NULL);
	char path[512];
	int r;

	if (!helper_find(NAME, path, sizeof(path)))
		return err_set(e, -ENOENT,
			"uplink passt: it is not installed; install the package passt");
	r = check_addresses(&near, e);
	if (r < 0)
		return r;
	plan_make(&w->plan, &near, false);
	take_servers(w);
	w->tcp_bytes = TCP_BYTES;
	r = run(s, w, path, e);
	if (!r)
		warn_nameless(w);
	return r;
}
