/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/lib/without.c - run a command for which one system call does not exist
 *
 *   without CALL ERRNO-NUMBER COMMAND...
 *
 * As containers do it: a seccomp filter lets CALL fail with that errno.
 */
#include "config.h"

#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);
	int call, code;

	if (argc < 4 || !f)
		return 2;
	call = seccomp_syscall_resolve_name(argv[1]);
	code = atoi(argv[2]);
	if (call == __NR_SCMP_ERROR ||
		seccomp_rule_add(f, SCMP_ACT_ERRNO((unsigned)code), call, 0) < 0 ||
		seccomp_load(f) < 0) {
		fprintf(stderr, "without: cannot refuse %s\n", argv[1]);
		return 2;
	}
	execvp(argv[3], argv + 3);
	perror(argv[3]);
	return 2;
}
