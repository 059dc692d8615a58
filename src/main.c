/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main.c - the story: words, checks, set-up, privileges fall, run, report
 */
#include "config.h"

#include "base/log.h"

int main(void)
{
	log_error("no verb is built yet");
	return 1;
}
