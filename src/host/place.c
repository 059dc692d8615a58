/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/place.c - the directory of control sockets
 *
 * Theory of operation
 *   A directory is opened once without following a link, its owner and mode are looked
 *   at on the open file, and all that follows goes through that file: nobody can put
 *   another directory in its place meanwhile. bind(2) and connect(2) have no form that
 *   takes a directory's file, so they get it by its name in /proc/self/fd, which
 *   also keeps any length of directory within the 108 bytes of an address.
 *
 *   A socket that is bound and not listening yet looks like one that was left behind,
 *   and between the look and the unlink another one may have taken the name. So whoever
 *   binds or unlinks holds the directory's lock, over an open file of his own: one that
 *   was inherited would share the lock with its other heirs. It is held for some system
 *   calls and goes with its holder. Others cannot read the system's place, so that
 *   nobody can keep root waiting for the lock; to connect by a known name they need not.
 */
#include "config.h"

#include "host/place.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fd.h"
#include "host/dir.h"
#include "host/last.h"

#define BACKLOG 8
#define ANSWER_SECONDS 2

/* Every user may be 0 in a user namespace of his own; /tmp is everybody's. */
static unsigned long outer_uid(void)
{
	FILE *f = fopen("/proc/self/uid_map", "re");
	unsigned long inside, outside, n, me = geteuid(), found = me;

	while (f && fscanf(f, "%lu %lu %lu", &inside, &outside, &n) == 3)
		if (me >= inside && me - inside < n)
			found = outside + (me - inside);
	if (f)
		fclose(f);
	return found;
}

void place_usual(struct place *p)
{
	const char *xdg = getenv("XDG_RUNTIME_DIR");
	int n;

	memset(p, 0, sizeof(*p));
	snprintf(p->dir[0], PLACE_PATH_BYTES, "/run/farwire");
	if (xdg && *xdg == '/') {
		n = snprintf(p->dir[1], PLACE_PATH_BYTES, "%s/farwire", xdg);
		if (n >= PLACE_PATH_BYTES)
			p->dir[1][0] = '\0';
	}
	snprintf(p->dir[2], PLACE_PATH_BYTES, "/tmp/farwire-%lu", outer_uid());
}

bool place_name_ok(const char *name)
{
	size_t i, n = strlen(name);

	if (n == 0 || n >= PLACE_NAME_BYTES || !isalnum((unsigned char)name[0]))
		return false;
	for (i = 1; i < n; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("_.-", name[i]))
			return false;
	return strcmp(name, "all") != 0;
}

static struct sockaddr_un address(int dir_fd, const char *file)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};

	snprintf(a.sun_path, sizeof(a.sun_path), "/proc/self/fd/%d/%s", dir_fd, file);
	return a;
}

/* Return: a connected socket, or -errno. */
static int dial(int dir_fd, const char *file, int flags)
{
	struct timeval limit = {.tv_sec = ANSWER_SECONDS};
	struct sockaddr_un a = address(dir_fd, file);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
	int code;

	if (fd < 0)
		return -errno;
	/* A process that is stopped lets its backlog fill; then connect would wait. */
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0)
		return fd;
	code = errno;
	close(fd);
	return -code;
}

/* -ENOENT: nothing; -ECONNREFUSED: dead; -EADDRINUSE: somebody has it; @pid: who. */
static int look(int dir_fd, const char *file, pid_t *pid)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);
	struct stat st;
	int fd FD_AUTO = -1;

	*pid = 0;
	/* The usual case, and cheaper than a socket. */
	if (fstatat(dir_fd, file, &st, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT)
		return -ENOENT;
	fd = dial(dir_fd, file, SOCK_NONBLOCK);
	if (fd == -ENOENT || fd == -ECONNREFUSED)
		return fd;
	/* Of ours, and no word about the link. */
	if (fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM || fd == -ENOBUFS)
		return fd;
	/* Whoever made a directory that we may not search does not take names from us. */
	if (fd == -EACCES && fstatat(dir_fd, file, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -ENOENT;
	if (fd >= 0 && getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0)
		*pid = peer.pid;
	return -EADDRINUSE;
}

/* Under the lock: 0 when the name is free now, else as look() or -errno. */
static int clear_dead(int dir_fd, const char *file, pid_t *pid)
{
	int r = look(dir_fd, file, pid);

	if (r == -ECONNREFUSED) {
		r = unlinkat(dir_fd, file, 0) < 0 ? -errno : 0;
		/* It was killed before it could say why. */
		last_forget(dir_fd, file, true);
	}
	return r == -ENOENT ? 0 : r;
}

static int say_taken(const char *name, pid_t pid, struct err *e)
{
	char who[32] = "";

	if (pid > 0)
		snprintf(who, sizeof(who), " (process %d)", (int)pid);
	return err_set(e, -EADDRINUSE,
		"name '%s': a running link has it%s; choose another, or end that one",
		name, who);
}

/* Under the lock. */
static int bind_here(struct place_socket *s, struct err *e)
{
	struct sockaddr_un a = address(s->dir_fd, s->file);
	mode_t mask = umask(0177);
	int r = 0;

	s->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->fd < 0 || bind(s->fd, (struct sockaddr *)&a, sizeof(a)) < 0)
		r = err_sys(e, "control socket '%s'", s->path);
	umask(mask);
	if (r)
		return r;
	s->file_fd = openat(s->dir_fd, s->file, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (s->file_fd >= 0 && listen(s->fd, BACKLOG) == 0)
		return 0;
	r = err_sys(e, "control socket '%s'", s->path);
	unlinkat(s->dir_fd, s->file, 0);
	return r;
}

static int take_name(struct place_socket *s, const char *name, struct err *e)
{
	int lock FD_AUTO = dir_locked(s->dir_fd);
	pid_t pid;
	int r;

	if (lock < 0)
		return err_set(e, lock, "control socket '%s': cannot lock: %s", s->path,
			strerror(-lock));
	r = clear_dead(s->dir_fd, s->file, &pid);
	if (r == -EADDRINUSE)
		return say_taken(name, pid, e);
	if (r < 0)
		return err_set(e, r, "control socket '%s': %s", s->path, strerror(-r));
	last_forget(s->dir_fd, s->file, false);
	return bind_here(s, e);
}

/* The name must be free in the other places too, else it would mean two links. */
static int look_elsewhere(const struct place *p, int here, const char *name,
	const char *file, struct err *e)
{
	struct err none = {0};
	pid_t pid;
	int i, dir_fd, r;

	for (i = 0; i < PLACE_DIRS; i++) {
		if (i == here || !p->dir[i][0])
			continue;
		dir_fd = dir_open(p->dir[i], DIR_LOOK, i == 0, &none);
		if (dir_fd < 0)
			continue;
		r = look(dir_fd, file, &pid);
		close(dir_fd);
		if (r == -EADDRINUSE)
			return say_taken(name, pid, e);
	}
	return 0;
}

/*
 * Whether a look at @file is worth while: a living link is not to be woken by every
 * command. A run without a name is called by its process; a link holds its NAME.last.
 */
static bool may_be_dead(int dir_fd, const char *file)
{
	char end;
	int pid;

	if (sscanf(file, "run-%9d" PLACE_SUFFIX "%c", &pid, &end) == 1)
		return kill(pid, 0) < 0 && errno == ESRCH;
	return !last_is_held(dir_fd, file);
}

static void tidy(int dir_fd)
{
	int lock = -1, fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;
	size_t n;
	pid_t pid;

	while (dir && (d = readdir(dir))) {
		n = strlen(d->d_name);
		if (n < sizeof(PLACE_SUFFIX) || n >= PLACE_FILE_BYTES ||
			strcmp(d->d_name + n + 1 - sizeof(PLACE_SUFFIX),
				PLACE_SUFFIX) != 0 ||
			!may_be_dead(dir_fd, d->d_name) ||
			look(dir_fd, d->d_name, &pid) != -ECONNREFUSED)
			continue;
		/* Or bound this very moment: under the lock it is sure. */
		if (lock < 0)
			lock = dir_locked(dir_fd);
		if (lock < 0)
			break;
		(void)clear_dead(dir_fd, d->d_name, &pid);
	}
	fd_close(&lock);
	if (dir)
		closedir(dir);
	else
		fd_close(&fd);
}

/* The first that can be made or used. @i: which. Return: its file or -errno. */
static int open_first(const struct place *p, int *i, struct err *e)
{
	struct err why, last = {0};
	int dir_fd;

	for (*i = 0; *i < PLACE_DIRS; ++*i) {
		why.code = 0;
		dir_fd = p->dir[*i][0] ? dir_open(p->dir[*i], DIR_MAKE, *i == 0, &why)
				       : -1;
		if (dir_fd >= 0)
			return dir_fd;
		if (why.code)
			last = why;
	}
	err_set(&why, -ENOENT, "control socket: no place for it");
	*e = last.code ? last : why;
	return e->code;
}

void place_tidy(const struct place *p)
{
	struct err none;
	int i, dir_fd = open_first(p, &i, &none);

	if (dir_fd >= 0)
		tidy(dir_fd);
	fd_close(&dir_fd);
}

int place_listen(
	const struct place *p, const char *name, struct place_socket *s, struct err *e)
{
	struct place_socket n = PLACE_SOCKET_NONE;
	int i, r;

	if (!place_name_ok(name))
		return err_set(e, -EINVAL,
			"name '%s': letters, digits, _ . and -, at most 32, the first "
			"a letter or digit, and not all",
			name);
	n.dir_fd = open_first(p, &i, e);
	if (n.dir_fd < 0)
		return n.dir_fd;
	snprintf(n.file, sizeof(n.file), "%s" PLACE_SUFFIX, name);
	snprintf(n.path, sizeof(n.path), "%s/%s", p->dir[i], n.file);
	r = look_elsewhere(p, i, name, n.file, e);
	if (!r)
		r = take_name(&n, name, e);
	if (r) {
		place_close(&n);
		return r;
	}
	*s = n;
	return 0;
}

int place_give(const struct place_socket *s, uid_t uid, gid_t gid, struct err *e)
{
	if (fchownat(s->dir_fd, s->file, uid, gid, AT_SYMLINK_NOFOLLOW) < 0)
		return err_sys(e, "control socket '%s': cannot give it away", s->path);
	return 0;
}

/* Under the lock. */
static void unlink_own(const struct place_socket *s)
{
	struct stat ours, st;

	if (fstat(s->file_fd, &ours) < 0 ||
		fstatat(s->dir_fd, s->file, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		st.st_dev != ours.st_dev || st.st_ino != ours.st_ino)
		return;
	unlinkat(s->dir_fd, s->file, 0);
	if (s->last_fd >= 0 && fstat(s->last_fd, &st) == 0 && st.st_size == 0)
		last_forget(s->dir_fd, s->file, true);
}

void place_unlink(const struct place_socket *s)
{
	int lock;

	if (s->lock_fd >= 0) {
		if (dir_lock(s->lock_fd) < 0)
			return;
		unlink_own(s);
		dir_unlock(s->lock_fd);
		return;
	}
	lock = s->dir_fd < 0 ? -1 : dir_locked(s->dir_fd);
	if (lock >= 0)
		unlink_own(s);
	fd_close(&lock);
}

void place_close(struct place_socket *s)
{
	fd_close(&s->fd);
	fd_close(&s->dir_fd);
	fd_close(&s->file_fd);
	fd_close(&s->lock_fd);
	fd_close(&s->last_fd);
}

/* Return: a connected socket, or -errno: -ENOENT when nobody is there. */
static int connect_in(int dir_fd, const char *file)
{
	int fd = dial(dir_fd, file, 0), lock, r;
	pid_t pid;

	if (fd != -ECONNREFUSED)
		return fd;
	/* Left behind, or bound this very moment: under the lock it is sure. */
	lock = dir_locked(dir_fd);
	if (lock < 0)
		return -ENOENT;
	r = clear_dead(dir_fd, file, &pid);
	close(lock);
	return r == -EADDRINUSE ? dial(dir_fd, file, 0) : -ENOENT;
}

static int say_unreached(const char *name, const char *dir, int code, struct err *e)
{
	if (code == -EAGAIN)
		return err_set(e, code, "link '%s': it does not answer", name);
	if (code == -EACCES)
		return err_set(e, code,
			"link '%s': %s/%s" PLACE_SUFFIX
			": it is another user's; use sudo",
			name, dir, name);
	return err_set(e, code, "link '%s': %s/%s" PLACE_SUFFIX ": %s", name, dir, name,
		strerror(-code));
}

int place_connect(const struct place *p, const char *name, struct err *e)
{
	char file[PLACE_FILE_BYTES];
	struct err none = {0}, why = {0};
	int i, dir_fd, fd;

	if (!place_name_ok(name))
		return err_set(e, -ENOENT, "link '%s': not a name", name);
	snprintf(file, sizeof(file), "%s" PLACE_SUFFIX, name);
	err_set(&why, -ENOENT,
		"link '%s': no such link; `farwire show` lists those that run", name);
	for (i = 0; i < PLACE_DIRS; i++) {
		dir_fd = p->dir[i][0] ? dir_open(p->dir[i], DIR_LOOK, i == 0, &none)
				      : -1;
		if (dir_fd < 0)
			continue;
		fd = connect_in(dir_fd, file);
		close(dir_fd);
		if (fd >= 0)
			return fd;
		if (fd != -ENOENT)
			say_unreached(name, p->dir[i], fd, &why);
	}
	*e = why;
	return why.code;
}
