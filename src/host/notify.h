/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/notify.h - tell the service manager that we are ready
 *
 * The protocol of sd_notify(3): a datagram of text to the socket that $NOTIFY_SOCKET
 * names.
 */
#ifndef FW_HOST_NOTIFY_H
#define FW_HOST_NOTIFY_H

#define NOTIFY_READY "READY=1\n"
#define NOTIFY_STOPPING "STOPPING=1\n"

/**
 * notify_open() - A socket to the service manager
 *
 * Before the privileges fall; the caller owns it. Return: -1 where nobody wants to know,
 * or cannot be reached.
 */
int notify_open(void);

/** notify_send() - Say @text, without waiting; nothing when @fd is -1. */
void notify_send(int fd, const char *text);

#endif
