# SPDX-License-Identifier: GPL-2.0-or-later
# make check: unit programs (cmocka), words and wires (bats), the rooms (layers.sh); all speak TAP.

TEST_EXTENSIONS = .bats .sh
TAP_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_DRIVER = $(TAP_DRIVER)
SH_LOG_DRIVER = $(TAP_DRIVER)
SH_LOG_COMPILER = $(SHELL)
BATS_LOG_DRIVER = $(TAP_DRIVER)
BATS_LOG_COMPILER = $(BATS)
AM_BATS_LOG_FLAGS = --tap
AM_TESTS_ENVIRONMENT = \
	CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT; \
	FARWIRE='$(abs_top_builddir)/farwire'; export FARWIRE; \
	FW_SRC='$(abs_top_srcdir)'; export FW_SRC; \
	FW_BUILD='$(abs_top_builddir)'; export FW_BUILD; \
	CC='$(CC)'; export CC;

EXTRA_DIST += tests/lib/ns.bash tests/lib/tool.bash tests/lib/world.bash tests/lib/world.py tests/lib/as-user.sh tests/layers.sh tests/lint
TESTS += tests/layers.sh

UNIT_LDADD = $(farwire_LDADD) $(CMOCKA_LIBS)
UNIT_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests -DTEST_DATA='"$(abs_top_srcdir)/tests/data"'
UNIT_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)

# Each room lists its own unit programs: UNIT_TESTS += tests/unit/ROOM/test_FILE
UNIT_TESTS =
BATS_TESTS =

include tests/unit/base/local.mk
include tests/unit/conf/local.mk
include tests/unit/wire/local.mk
include tests/unit/engine/local.mk
include tests/unit/host/local.mk
include tests/unit/relay/local.mk
include tests/unit/run/local.mk
include tests/unit/report/local.mk
include tests/net/local.mk
include tests/cli/local.mk
include tests/fuzz/local.mk
include tests/oracle/local.mk

if HAVE_CMOCKA
check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)
endif
EXTRA_DIST += $(BATS_TESTS)
if HAVE_BATS
TESTS += $(BATS_TESTS)
endif
