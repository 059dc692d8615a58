/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/cli/print_words.c - every word of the tables, one a line, for the shell tests
 */
#include "config.h"

#include "conf/words.h"

#include <stdio.h>

int main(void)
{
	for (size_t i = 0; words_all[i]; i++)
		for (size_t j = 0; j < words_all[i]->n_words; j++)
			puts(words_all[i]->words[j].name);
	return 0;
}
