# SPDX-License-Identifier: GPL-2.0-or-later
bashcompletion_DATA = completions/farwire
dist_zshcompletion_DATA = completions/_farwire
dist_fishcompletion_DATA = completions/farwire.fish
EXTRA_DIST += completions/farwire.bash

# bash-completion loads a file by the name of the command.
completions/farwire: completions/farwire.bash
	$(AM_V_GEN)$(MKDIR_P) completions && cp $(srcdir)/completions/farwire.bash $@
CLEANFILES += completions/farwire
