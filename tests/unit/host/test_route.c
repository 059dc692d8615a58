/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/unit/host/test_route.c - mirrors src/host/route.c: tables as Linux 6.18 prints them
 */
#include "config.h"

#include "host/route.h"
#include "unit/unit.h"

#include <string.h>

#define HEAD4                                                                          \
	"Iface\tDestination\tGateway "                                                 \
	"\tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
#define DEFAULT4 "wan0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
#define LAN4 "wan0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
#define LO4 "lo\t0000007F\t00000000\t0001\t0\t0\t0\t000000FF\t0\t0\t0\n"
#define REJECT4 "*\t00000000\t00000000\t0200\t0\t0\t0\t00000000\t0\t0\t0\n"

#define ZERO "00000000000000000000000000000000"
#define NONE ZERO " 00 " ZERO " 00 "
#define NO_ROUTE6                                                                      \
	NONE "00000000000000000000000000000000 ffffffff 00000001 00000000 00200200   " \
	     "    lo\n"
#define DEFAULT6                                                                       \
	NONE "fd0a0000000000000000000000000001 00000400 00000001 00000000 00000003   " \
	     "  wan0\n"
#define OWN6                                                                           \
	"fe800000000000000000000000000000 40 00000000000000000000000000000000 00 "     \
	"00000000000000000000000000000000 00000100 00000001 00000000 00000001     "    \
	"wan0\n"
#define GROUP6                                                                         \
	"ff000000000000000000000000000000 08 00000000000000000000000000000000 00 "     \
	"00000000000000000000000000000000 00000100 00000003 00000000 00000001     "    \
	"wan0\n"
#define LOCAL6                                                                         \
	"fd0a0000000000000000000000000002 80 00000000000000000000000000000000 00 "     \
	"00000000000000000000000000000000 00000000 00000003 00000000 80200001     "    \
	"wan0\n"

static bool leads(bool (*is_out)(FILE *), const char *text)
{
	FILE *f = fmemopen((char *)(uintptr_t)text, strlen(text) + 1, "r");
	bool yes;

	assert_non_null(f);
	yes = is_out(f);
	fclose(f);
	return yes;
}

static void any_route_of_ipv4_but_over_lo(void **state)
{
	(void)state;
	assert_false(leads(route_is_out4, HEAD4));
	assert_false(leads(route_is_out4, HEAD4 LO4));
	assert_false(leads(route_is_out4, HEAD4 REJECT4 LO4));
	assert_true(leads(route_is_out4, HEAD4 LO4 LAN4));
	assert_true(leads(route_is_out4, HEAD4 DEFAULT4));
}

static void a_default_route_of_ipv6(void **state)
{
	(void)state;
	assert_false(leads(route_is_out6, ""));
	assert_false(leads(route_is_out6, NO_ROUTE6));
	assert_false(leads(route_is_out6, OWN6 LOCAL6 GROUP6 NO_ROUTE6));
	assert_true(leads(route_is_out6, OWN6 DEFAULT6 LOCAL6 NO_ROUTE6));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_route_of_ipv4_but_over_lo),
		cmocka_unit_test(a_default_route_of_ipv6),
	};

	return cmocka_run_group_tests_name("host/route", tests, NULL, NULL);
}
