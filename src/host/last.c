/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/last.c - NAME.last: why a link ended
 */
#include "config.h"

#include "host/last.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "host/dir.h"

#define SUFFIX ".last"

/* NAME.last of NAME.sock, whose suffix is as long. */
static void file_name(const char *sock, char to[PLACE_FILE_BYTES])
{
	size_t n = strlen(sock), end = strlen(SUFFIX);

	snprintf(to, PLACE_FILE_BYTES, "%.*s" SUFFIX, (int)(n > end ? n - end : 0),
		sock);
}

int last_hold(struct place_socket *s, struct err *e)
{
	char file[PLACE_FILE_BYTES];
	int lock_fd = dir_lock_open(s->dir_fd);
	int fd;

	if (lock_fd < 0)
		return err_set(e, lock_fd, "control socket '%s': %s", s->path,
			strerror(-lock_fd));
	file_name(s->file, file);
	fd = openat(s->dir_fd, file,
		O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0) {
		err_sys(e, "'%s' beside '%s'", file, s->path);
		fd_close(&lock_fd);
		return e->code;
	}
	(void)flock(fd, LOCK_SH | LOCK_NB); /* for last_is_held() */
	s->lock_fd = lock_fd;
	s->last_fd = fd;
	return 0;
}

void last_write(const struct place_socket *s, const char *text)
{
	char line[LAST_TEXT_BYTES];
	int n = snprintf(line, sizeof(line), "%.*s\n", LAST_TEXT_BYTES - 2, text);

	if (s->last_fd >= 0 && ftruncate(s->last_fd, 0) == 0)
		(void)!pwrite(s->last_fd, line, (size_t)n, 0);
}

static ssize_t read_in(int dir_fd, const char *file, char text[LAST_TEXT_BYTES])
{
	int fd FD_AUTO =
		openat(dir_fd, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	return fd < 0 ? -1 : read(fd, text, LAST_TEXT_BYTES - 1);
}

int last_read(const struct place *p, const char *name, char text[LAST_TEXT_BYTES])
{
	char file[PLACE_FILE_BYTES], got[LAST_TEXT_BYTES];
	struct err none;
	ssize_t n = 0;
	int i, dir_fd;

	if (!place_name_ok(name))
		return -ENOENT;
	snprintf(file, sizeof(file), "%s" SUFFIX, name);
	for (i = 0; i < PLACE_DIRS && n <= 0; i++) {
		dir_fd = p->dir[i][0] ? dir_open(p->dir[i], DIR_LOOK, i == 0, &none)
				      : -1;
		if (dir_fd < 0)
			continue;
		n = read_in(dir_fd, file, got);
		close(dir_fd);
	}
	if (n <= 0)
		return -ENOENT;
	got[n] = '\0';
	got[strcspn(got, "\n")] = '\0';
	memcpy(text, got, sizeof(got));
	return 0;
}

bool last_is_held(int dir_fd, const char *sock)
{
	char file[PLACE_FILE_BYTES];
	int fd FD_AUTO = -1;

	file_name(sock, file);
	fd = openat(dir_fd, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0;
}

void last_forget(int dir_fd, const char *sock, bool empty)
{
	char file[PLACE_FILE_BYTES];
	struct stat st;

	file_name(sock, file);
	if (fstatat(dir_fd, file, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		(!empty || st.st_size == 0))
		unlinkat(dir_fd, file, 0);
}
