/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/path.h - one direction of a link: frames in, verdicts, frames out when due
 *
 * Theory of operation
 *   A path owns its settings, generator, time queue and counters; two paths share
 *   nothing but the pool of bufs. As in the kernel, the queue is run after every frame
 *   that enters, so `limit` counts only what truly waits: frames due by then move to a
 *   ready ring, from which path_pop() hands them out. Time is always an argument:
 *   `at_ns` of path_push() is netem's "now" (the stamp taken after the batch was read),
 *   `now_ns` of path_pop() is the clock of the release.
 *
 * Limits   `limit` frames waiting; the arrays grow by doubling.
 * Cost     see engine/timeq.h. Nothing here allocates per frame, blocks or does I/O.
 * Source   netem: tc-netem(8), net/sched/sch_netem.c in Linux.
 */
#ifndef FW_ENGINE_PATH_H
#define FW_ENGINE_PATH_H

#include "base/clock.h"
#include "base/err.h"
#include "conf/conf.h"
#include "engine/count.h"
#include "engine/dist.h"
#include "wire/buf.h"
#include "wire/frame.h"

#include <stdbool.h>

struct path;

/**
 * path_new() - Make a path
 * @s:        settings with a seed (has_seed set); copied, tables included
 * @pool:     where modified frames get their memory; must outlive the path
 * @start_ns: the clock now (slots count from here)
 * @e:        filled on failure
 *
 * Return: the path, owned by the caller, or NULL (no memory).
 */
struct path *path_new(
	const struct spec *s, struct buf_pool *pool, nsec_t start_ns, struct err *e);

/** path_free() - Drop all that waits and free. NULL is allowed. */
void path_free(struct path *p);

/*
 * Other settings while frames wait, in two steps, so that a change of two paths happens
 * whole or not at all.
 */
struct path_change {
	const struct netem_conf *to;
	/* Tables that the path has not got yet. */
	bool has_dist, has_slot_dist;
	struct dist dist, slot_dist;
};

/**
 * path_change_prepare() - Get everything that a change needs
 * @p:  path, not touched
 * @s:  all of the new settings, of IMPAIR_NETEM with its seed; must outlive the second
 *      step. s->netem.named says which words the command had
 * @ch: filled; to be given to path_change_commit() or path_change_cancel()
 *
 * A table made by a formula takes some 0.2 ms, one of a file or the present one
 * nothing. Return: 0, or -ENOMEM with nothing to cancel.
 */
int path_change_prepare(const struct path *p, const struct spec *s,
	struct path_change *ch, struct err *e);

/**
 * path_change_commit() - From now on frames are judged by the new settings
 *
 * What waits keeps its due time, counters stay, and so does all that no word named:
 *   seed      named: both streams start anew, else they go on where they are
 *   delay, loss, duplicate correlation: a named one of delay, loss, reorder or corrupt
 *             makes all three forget their last draw; reorder and corrupt named: theirs
 *   loss      named: a chain starts in its state 1
 *   slot      named: the first slot is @now_ns and its budget is full
 *   reorder   frames since the last reordered one are counted from 0, always
 * Cannot fail, does not allocate. Rule by rule what a change does to netem.
 */
void path_change_commit(struct path *p, struct path_change *ch, nsec_t now_ns);

/** path_change_cancel() - Give back what was got; the path goes on as it was */
void path_change_cancel(struct path_change *ch);

/**
 * path_push() - A buf has arrived
 * @p:     path
 * @b:     what was read, parsed (see wire/gso.h): each of its segments is a frame, unless
 *         BUF_WHOLE is set; the path takes over the caller's reference
 * @at_ns: stamp of its batch, not before any earlier stamp
 *
 * Hot path. Cannot fail: what is dropped is counted. May take room of the pool, so no
 * room that the caller still reads into may be open.
 */
void path_push(struct path *p, struct buf *b, nsec_t at_ns);

/**
 * path_pop() - Take frames that are due
 * @p:      path
 * @now_ns: the clock of this release, not before the last stamp
 * @out:    room for @max frames; each owns a reference that is now the caller's
 * @max:    at most so many
 *
 * Counts out and lateness. Return: frames handed out; fewer than @max means that
 * nothing more is due. Hot path.
 */
unsigned path_pop(struct path *p, nsec_t now_ns, struct frame *out, unsigned max);

/**
 * path_next_ns() - When path_pop() will have something
 *
 * Return: the earliest instant, in the past if frames are ready now, NSEC_NEVER if
 * nothing waits.
 */
nsec_t path_next_ns(const struct path *p);

/**
 * path_reset() - Drop all that waits; settings, counters and generator stay
 *
 * What is dropped was never written: it is counted as drop_io.
 */
void path_reset(struct path *p);

/** path_drop_io() - @n frames of @n_bytes that path_pop() handed out were not written
 */
void path_drop_io(struct path *p, uint64_t n, uint64_t n_bytes);

/** path_drop_mem() - @n frames arrived for which there was no memory */
void path_drop_mem(struct path *p, uint64_t n, uint64_t n_bytes);

/** path_copied() - @n_bytes of headers were made for frames on their way out */
void path_copied(struct path *p, uint64_t n_bytes);

/** path_count() - The counters; valid as long as the path, current between calls. */
const struct count *path_count(const struct path *p);

#endif
