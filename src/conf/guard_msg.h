/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf/guard_msg.h - what the running process and its guard say to each other
 *
 * Over a SOCK_SEQPACKET, a struct guard_msg one way. GUARD_END is answered by one
 * message of text with its final NUL (an empty message would look like the end of the
 * socket): what was left in the command's namespace and has been ended, "" when nothing
 * was. The end of the socket is an order too: the one who asked is gone, end everything
 * at once.
 */
#ifndef FW_CONF_GUARD_MSG_H
#define FW_CONF_GUARD_MSG_H

#include <stdint.h>

enum guard_op {
	GUARD_END = 1,    /* TERM to all that is left, after 2 s KILL */
	GUARD_SIGNAL = 2, /* pass signal .arg on to the command, which we may not do */
	GUARD_RANK = 3,   /* give us SCHED_FIFO .arg again, which we may not take */
};

struct guard_msg {
	uint32_t op;
	int32_t arg;
};

#define GUARD_TEXT_BYTES 512

#endif
