/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wire/join.c - frames on their way out, put together to as few writes as may be
 */
#include "config.h"

#include "wire/join.h"

#include "wire/be.h"
#include "wire/csum.h"

#include <string.h>

/* UDP_MAX_SEGMENTS of kernels before 6.9; later ones take 128. */
#define N_FRAMES_MAX 64
#define IP_BYTES_MAX 65535

/* Byte 13 of a TCP header. */
#define TCP_FIN 0x01
#define TCP_PSH 0x08
#define TCP_CWR 0x80
#define TCP_OF_ENDS (TCP_FIN | TCP_PSH | TCP_CWR)
#define TCP_CSUM_OFFSET 16
#define UDP_CSUM_OFFSET 6

void join_init(struct join *j)
{
	j->n_jobs = j->n_refs = j->next = 0;
	j->no_udp = false;
	j->copied_bytes = 0;
}

/* Payload of segment @seg. */
static uint32_t payload_bytes(const struct buf *b, unsigned seg)
{
	const struct frame f = {
		.buf = (struct buf *)(uintptr_t)b, .seg = (uint16_t)seg};

	return frame_bytes(&f) - b->hdr_bytes;
}

static bool is_equal(const uint8_t *a, const uint8_t *b, size_t from, size_t to)
{
	return memcmp(a + from, b + from, to - from) == 0;
}

/* Sums of the pseudo headers that differ by the lengths alone? */
static bool are_sums_consistent(
	const uint8_t *a, uint32_t a_bytes, const uint8_t *b, uint32_t b_bytes)
{
	uint16_t want = csum_replace16(
		(uint16_t)~be_get16(a), (uint16_t)a_bytes, (uint16_t)b_bytes);

	/* 0 and 0xffff are the same sum. */
	return (uint16_t)(be_get16(b) + want) == 0xffff ||
	       ((want == 0 || want == 0xffff) &&
		       (be_get16(b) == 0 || be_get16(b) == 0xffff));
}

/* The same up to TCP or UDP, and an IPv4 identification that goes on? */
static bool is_ip_next(const struct join_ref *t, const struct frame *f, unsigned ip,
	unsigned l4, unsigned n_frames)
{
	const uint8_t *a = buf_bytes(t->buf), *b = buf_bytes(f->buf);

	if (!is_equal(a, b, 0, ip))
		return false;
	if (!(t->buf->flags & BUF_IPV4))
		return is_equal(a, b, ip, ip + 4) && is_equal(a, b, ip + 6, l4);
	return is_equal(a, b, ip, ip + 2) && is_equal(a, b, ip + 6, ip + 10) &&
	       is_equal(a, b, ip + 12, l4) &&
	       (uint16_t)(be_get16(b + ip + 4) + f->seg) ==
		       (uint16_t)(be_get16(a + ip + 4) + t->first + n_frames);
}

static bool is_tcp_next(const struct join_job *job, const struct join_ref *t,
	const struct join_ref *last, const struct frame *f, unsigned l4)
{
	const uint8_t *a = buf_bytes(t->buf) + l4, *b = buf_bytes(f->buf) + l4;
	const uint8_t *end = buf_bytes(last->buf) + l4;
	uint32_t done = (t->first + (uint32_t)job->n_frames) * job->gso_bytes;

	if (last->first + last->count == last->buf->n_segs &&
		end[13] & (TCP_PSH | TCP_FIN))
		return false;
	if (f->seg == 0 && b[13] & TCP_CWR)
		return false;
	return be_get32(b + 4) + (uint32_t)f->seg * job->gso_bytes ==
		       be_get32(a + 4) + done &&
	       is_equal(a, b, 0, 4) && is_equal(a, b, 8, 13) &&
	       !((a[13] ^ b[13]) & ~TCP_OF_ENDS) && is_equal(a, b, 14, 16) &&
	       is_equal(a, b, 18, t->buf->hdr_bytes - l4);
}

/* Would the frames of @f's buf from @f on fit behind the job's? */
static bool is_fit(
	const struct join_job *job, const struct join_ref *last, const struct frame *f)
{
	const struct buf *g = f->buf;
	uint32_t job_payload = job->n_bytes - (uint32_t)job->n_frames * g->hdr_bytes;
	uint32_t rest = g->n_bytes - g->hdr_bytes - (uint32_t)f->seg * g->gso_bytes;

	return job->n_frames + g->n_segs - f->seg <= N_FRAMES_MAX &&
	       g->hdr_bytes - gso_ip_offset(g) + job_payload + rest <= IP_BYTES_MAX &&
	       payload_bytes(last->buf, last->first + last->count - 1u) ==
		       job->gso_bytes &&
	       (g->n_segs > 1 ? g->gso_bytes == job->gso_bytes
			      : rest <= job->gso_bytes);
}

/* Could a sender have sent @f in one super-frame with the job? */
static bool crosses(const struct join *j, const struct join_job *job,
	const struct join_ref *last, const struct frame *f)
{
	const struct join_ref *t = &j->ref[job->first_ref];
	const struct buf *a = t->buf, *b = f->buf;
	unsigned l4, sum;

	if (!(b->flags & BUF_JOIN) || f->flags & (FRAME_MODIFIED | FRAME_WHOLE) ||
		a->flags != b->flags || a->hdr_bytes != b->hdr_bytes ||
		(j->no_udp && !(b->flags & BUF_TCP)) || !is_fit(job, last, f))
		return false;
	l4 = gso_l4_offset(a);
	if (l4 != gso_l4_offset(b) ||
		!is_ip_next(t, f, gso_ip_offset(a), l4, job->n_frames))
		return false;
	if (b->flags & BUF_TCP) {
		sum = l4 + TCP_CSUM_OFFSET;
		if (!is_tcp_next(job, t, last, f, l4))
			return false;
	} else {
		sum = l4 + UDP_CSUM_OFFSET;
		if (!is_equal(buf_bytes(a), buf_bytes(b), l4, l4 + 4))
			return false;
	}
	return are_sums_consistent(buf_bytes(a) + sum, a->n_bytes - l4,
		buf_bytes(b) + sum, b->n_bytes - l4);
}

static void open_job(struct join *j, const struct frame *f)
{
	struct join_job *job = &j->job[j->n_jobs++];
	const struct buf *b = f->buf;

	*job = (struct join_job){.first_ref = (uint16_t)j->n_refs};
	if (f->flags & (FRAME_MODIFIED | FRAME_WHOLE))
		return;
	if (b->n_segs > 1)
		job->gso_bytes = b->gso_bytes;
	else if (b->flags & BUF_JOIN)
		job->gso_bytes = (uint16_t)(b->n_bytes - b->hdr_bytes);
}

static void add_ref(struct join *j, struct join_job *job, const struct frame *f)
{
	unsigned count = f->flags & FRAME_WHOLE ? f->buf->n_segs : 1;

	j->ref[j->n_refs++] = (struct join_ref){
		.buf = f->buf, .first = f->seg, .count = (uint16_t)count};
	job->n_refs++;
	job->n_wire += count;
}

void join_add(struct join *j, const struct frame *f)
{
	struct join_job *job = j->n_jobs ? &j->job[j->n_jobs - 1] : NULL;
	struct join_ref *last;

	if (job && job->gso_bytes) {
		last = &j->ref[j->n_refs - 1];
		if (last->buf == f->buf && last->first + last->count == f->seg) {
			last->count++;
			job->n_wire++;
		} else if (crosses(j, job, last, f)) {
			add_ref(j, job, f);
		} else {
			job = NULL;
		}
	} else {
		job = NULL;
	}
	if (!job) {
		open_job(j, f);
		job = &j->job[j->n_jobs - 1];
		add_ref(j, job, f);
	}
	job->n_frames++;
	job->n_bytes += frame_bytes(f);
}

/* The segments behind @f, which was added last. Return: how many of @n they are. */
static unsigned add_run(struct join *j, const struct frame *f, unsigned n)
{
	struct join_job *job = &j->job[j->n_jobs - 1];
	struct join_ref *last = &j->ref[j->n_refs - 1];
	unsigned seg = f->seg + 1u, k = 0;

	for (f++; k < n && f->buf == last->buf && f->seg == seg; k++, f++, seg++)
		job->n_bytes += frame_bytes(f);
	last->count += (uint16_t)k;
	job->n_wire += k;
	job->n_frames += k;
	return k;
}

void join_add_all(struct join *j, const struct frame *f, unsigned n)
{
	for (unsigned i = 0; i < n;) {
		join_add(j, &f[i++]);
		i += add_run(j, &f[i - 1], n - i);
	}
}

static void make_head(struct join *j, struct join_job *job, uint8_t *head)
{
	const struct join_ref *t = &j->ref[job->first_ref];
	const struct join_ref *last = t + job->n_refs - 1;
	const struct gso_run run = {.buf = t->buf,
		.seg = t->first,
		.end = last->buf,
		.has_end = last->first + last->count == last->buf->n_segs,
		.n_frames = job->n_frames,
		.gso_bytes = job->gso_bytes,
		.payload_bytes =
			job->n_bytes - (uint32_t)job->n_frames * t->buf->hdr_bytes};
	size_t n = gso_head(&run, head);
	struct iovec *iov = &j->iov[job->first_iov];

	iov[0] = (struct iovec){.iov_base = head, .iov_len = n};
	j->copied_bytes += n;
	for (; t <= last; t++) {
		uint8_t *from = gso_payload(t->buf, t->first);
		unsigned end = t->first + (unsigned)t->count - 1;

		iov[job->n_iov + 1] = (struct iovec){.iov_base = from,
			.iov_len = (size_t)(gso_payload(t->buf, end) - from) +
				   payload_bytes(t->buf, end)};
		job->n_iov++;
	}
	job->n_iov++;
}

void join_seal(struct join *j)
{
	unsigned n_iov = 0;

	for (unsigned i = 0; i < j->n_jobs; i++) {
		struct join_job *job = &j->job[i];
		const struct join_ref *r = &j->ref[job->first_ref];

		job->first_iov = (uint16_t)n_iov;
		if (job->n_refs == 1 && r->count == r->buf->n_segs) {
			j->iov[n_iov] = (struct iovec){.iov_base = buf_vnet(r->buf),
				.iov_len = BUF_VNET_BYTES + (size_t)r->buf->n_bytes};
			job->n_iov = 1;
		} else {
			make_head(j, job, j->head[i]);
		}
		n_iov += job->n_iov;
	}
}

/* On to the next job; behind the last one everything starts over. */
static void next_job(struct join *j)
{
	if (++j->next < j->n_jobs)
		return;
	j->n_jobs = j->n_refs = j->next = 0;
}

void join_done(struct join *j, struct buf_pool *pool)
{
	const struct join_job *job = join_first(j);
	const struct join_ref *r = &j->ref[job->first_ref];

	/* A whole super-frame is one frame and has one reference. */
	if (job->n_refs == 1)
		buf_unref_n(pool, r->buf, job->n_frames);
	else
		for (unsigned i = 0; i < job->n_refs; i++)
			buf_unref_n(pool, r[i].buf, r[i].count);
	next_job(j);
}

void join_split(struct join *j)
{
	struct join_job *job = join_first(j);

	job->split = true;
	if (!(j->ref[job->first_ref].buf->flags & BUF_TCP))
		j->no_udp = true;
}

uint32_t join_peel(struct join *j, uint8_t *head, struct iovec iov[2])
{
	const struct join_ref *r = &j->ref[join_first(j)->first_ref];
	const struct frame f = {.buf = r->buf, .seg = r->first};

	iov[1] = (struct iovec){.iov_base = gso_payload(r->buf, r->first),
		.iov_len = payload_bytes(r->buf, r->first)};
	iov[0] = (struct iovec){.iov_base = head, .iov_len = gso_lone_head(&f, head)};
	j->copied_bytes += iov[0].iov_len;
	return frame_bytes(&f);
}

void join_peeled(struct join *j, struct buf_pool *pool)
{
	struct join_job *job = join_first(j);
	struct join_ref *r = &j->ref[job->first_ref];
	const struct frame f = {.buf = r->buf, .seg = r->first};

	job->n_bytes -= frame_bytes(&f);
	job->n_frames--;
	job->n_wire--;
	buf_unref(pool, r->buf);
	r->first++;
	if (--r->count)
		return;
	job->first_ref++;
	if (!--job->n_refs)
		next_job(j);
}

void join_drop(struct join *j, struct buf_pool *pool)
{
	while (!join_is_empty(j))
		join_done(j, pool);
}
