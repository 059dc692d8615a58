# SPDX-License-Identifier: GPL-2.0-or-later
"""tests/oracle/judge.py - are two records of a path samples of the same behaviour?

A record is pktprobe's CSV: one row for each copy that arrived, in order of arrival, then
one for each packet that did not. Shares and means are compared by z, distributions by a
two-sample Kolmogorov-Smirnov test on all values. Neighbouring packets are not
independent (bursts, queues, slots), so every variance comes from the means of 50 blocks,
and the sizes that the KS test is given are divided by the growth of that variance over
independence. Limits: z 4 and 1 in 10,000, since some thousand tests make one table.
"""
import bisect
import math

BLOCKS = 50
Z_LIMIT = 4.0
KS_LIMIT = math.sqrt(-math.log(1e-4 / 2) / 2)
GROUP_NS = 50000  # arrivals nearer to each other than this form a group
FEW = 30  # fewer values are not judged as a distribution
FEWEST = 5  # nor these by their mean


class Record:
    """What became of each packet, and the series that are compared."""

    def __init__(self, path):
        self.copies = {}    # number -> [(delay, corrupted, ecn)] in order of arrival
        self.delay = []     # of first copies, by number
        self.copy_delay = []
        self.gap, self.group = [], []
        self.corrupted, self.marked, self.late, self.extent = [], [], [], []
        self.bits = 0
        first, top, last, count = {}, -1, None, 0
        with open(path) as f:
            next(f)
            for line in f:
                v = line.split(",")
                number = int(v[0])
                count = max(count, number + 1)
                if v[2] == "":
                    continue
                at, delay, bits = int(v[2]), int(v[3]), int(v[5])
                self.copies.setdefault(number, []).append((delay, bits > 0, int(v[6])))
                self.corrupted.append(bits > 0)
                self.bits = max(self.bits, bits)
                self.marked.append(v[6] == "3")
                if number in first:
                    self.copy_delay.append(delay)
                else:
                    first[number] = delay
                    self.late.append(number < top)
                    if number < top:
                        self.extent.append(top - number)
                    top = max(top, number)
                if last is not None:
                    self.gap.append(at - last)
                if last is None or at - last >= GROUP_NS:
                    self.group.append(0)
                self.group[-1] += 1
                last = at
        self.count = count
        self.delay = [first[i] for i in sorted(first)]
        self.lost = [i not in first for i in range(count)]
        self.extra = [max(0, len(self.copies.get(i, ())) - 1) for i in range(count)]
        self.runs, self.good_runs = runs(self.lost)
        # neighbours that both arrived, for the correlation of their delays
        self.pairs = [(first[i], first[i + 1]) for i in first if i + 1 in first]


def runs(flags):
    """Lengths of the runs of true and of false that are bounded on both sides."""
    out, length, previous = ([], []), 0, None
    for f in flags:
        if f != previous and previous is not None:
            out[not previous].append(length)
            length = 0
        length += 1
        previous = f
    return out


def mean(x):
    return sum(x) / len(x)


def variance(x):
    m = mean(x)
    return sum((v - m) ** 2 for v in x) / max(1, len(x) - 1)


def median(x):
    return sorted(x)[len(x) // 2]


def variance_of_mean(x):
    """From the means of blocks, so that dependence of neighbours is in it."""
    if len(x) < 4 * BLOCKS:
        return variance(x) / len(x)
    size = len(x) // BLOCKS
    return variance([mean(x[i * size:(i + 1) * size]) for i in range(BLOCKS)]) / BLOCKS


def effective(x):
    """How many independent values the series is worth, for its quartiles."""
    s = sorted(x)
    worst = 1.0
    for q in (1, 2, 3):
        cut = s[len(s) * q // 4]
        flags = [v <= cut for v in x]
        single = variance(flags) / len(x)
        if single > 0:
            worst = max(worst, variance_of_mean(flags) / single)
    return len(x) / worst


def ks(x, y, tolerance):
    """Distance of the two distributions; a step may lie @tolerance to either side."""
    x, y = sorted(x), sorted(y)
    far = 0.0
    for a, b in ((x, y), (y, x)):
        for i, v in enumerate(a):
            # share of a at or below v, against share of b up to tolerance above it
            below = bisect.bisect_right(b, v + tolerance)
            far = max(far, (i + 1) / len(a) - below / len(b))
    return far


def z(far, var):
    return far / math.sqrt(var) if var else math.inf if far else 0.0


def lag1(pairs):
    if len(pairs) < FEW:
        return None
    a, b = [p[0] for p in pairs], [p[1] for p in pairs]
    d = math.sqrt(variance(a) * variance(b))
    if d < 1:
        return None
    ma, mb = mean(a), mean(b)
    return sum((p - ma) * (q - mb) for p, q in pairs) / (len(pairs) - 1) / d


class Verdict:
    """The comparisons of one configuration: ours against the kernel's."""

    def __init__(self):
        self.rows = []

    def add(self, what, ours, kernel, stat, limit):
        self.rows.append({"what": what, "ours": ours, "kernel": kernel, "stat": stat,
                          "limit": limit, "ok": stat <= limit})

    @property
    def ok(self):
        return all(r["ok"] for r in self.rows)

    def share(self, what, a, b):
        """Two series of 0 and 1, or of small counts."""
        if not (any(a) or any(b)):
            return
        # two packets at the ends of a record are no difference
        far = max(0.0, abs(mean(a) - mean(b)) - 2 / min(len(a), len(b)))
        v = variance_of_mean(a) + variance_of_mean(b)
        if min(sum(a), sum(b)) < FEW:
            v = max(v, max(1, sum(a) + sum(b)) / (len(a) + len(b)) *
                    (1 / len(a) + 1 / len(b)))
        self.add(what, mean(a), mean(b), z(far, v), Z_LIMIT)

    def level(self, what, a, b, tolerance):
        """Means of two series, the tolerance in their unit."""
        n = min(len(a), len(b))
        if n < FEWEST:
            return
        far = max(0.0, abs(mean(a) - mean(b)) - tolerance)
        v = variance_of_mean(a) + variance_of_mean(b)
        # few values know little of their own spread: about Student's t at the same level
        self.add(what, mean(a), mean(b), z(far, v), Z_LIMIT * (1 + 5 / n))

    def spread(self, what, a, b, tolerance):
        """Two distributions, by all their values."""
        if min(len(a), len(b)) < FEW:
            return
        limit = KS_LIMIT * math.sqrt(1 / effective(a) + 1 / effective(b))
        self.add(what, mean(a), mean(b), ks(a, b, tolerance), limit)


def judge(ours, kernel, offset_ns, tolerance_ns):
    """@offset_ns: what our path adds to a delay; @tolerance_ns: grain of the clock.

    Return: the comparisons, as a Verdict.
    """
    v = Verdict()
    v.share("loss", ours.lost, kernel.lost)
    v.level("loss run", ours.runs, kernel.runs, 0)
    v.level("good run", ours.good_runs, kernel.good_runs, 0)
    v.spread("loss runs", ours.runs, kernel.runs, 0)
    v.spread("good runs", ours.good_runs, kernel.good_runs, 0)
    v.share("duplicates", ours.extra, kernel.extra)
    if ours.corrupted and kernel.corrupted:
        v.share("corrupted", ours.corrupted, kernel.corrupted)
        if ours.bits and kernel.bits:
            v.add("bits flipped at most", ours.bits, kernel.bits,
                  abs(ours.bits - kernel.bits), 0)
        v.share("marked", ours.marked, kernel.marked)
        v.share("reordered", ours.late, kernel.late)
        v.spread("reorder extent", ours.extent, kernel.extent, 0)
        v.spread("delay", [d - offset_ns for d in ours.delay], kernel.delay, tolerance_ns)
        v.spread("delay of copies", [d - offset_ns for d in ours.copy_delay],
                 kernel.copy_delay, tolerance_ns)
        a, b = lag1(ours.pairs), lag1(kernel.pairs)
        if a is not None and b is not None and \
           min(variance(ours.delay), variance(kernel.delay)) > (10 * tolerance_ns) ** 2:
            n = min(effective(ours.delay), effective(kernel.delay))
            v.add("lag-1", a, b, abs(a - b), Z_LIMIT * math.sqrt(2 / n))
    n_gaps = min(len(ours.gap), len(kernel.gap))
    if n_gaps:
        v.level("gap", ours.gap, kernel.gap, 2 * tolerance_ns / n_gaps)
    v.spread("gaps", ours.gap, kernel.gap, 2 * tolerance_ns)
    v.spread("groups", ours.group, kernel.group, 0)
    return v


def forgive_edges(v, ours_same, kernel_same):
    """Where the kernel's two runs differ as much as ours from one of them.

    Senders in step with a rate, a slot or a limit meet its edge in every packet, and a
    single step of the clock decides on which side; so it does between two runs of the
    kernel. @ours_same, @kernel_same: both against the kernel's run with our seed.
    """
    near = {r["what"] for r in ours_same.rows if r["ok"]}
    apart = {r["what"]: r["stat"] for r in kernel_same.rows if not r["ok"]}
    for r in v.rows:
        if not r["ok"] and r["what"] in near and r["what"] in apart:
            r["ok"], r["edge"] = True, apart[r["what"]]


def fate(copy, place_is_seen):
    """What a seed decides: not the place of a flipped bit; it may be in the ECN field."""
    _, corrupted, ecn = copy
    return None if place_is_seen else (corrupted, None if corrupted else ecn)


def in_step(ours, kernel, offset_ns, tolerance_ns, place_is_seen):
    """Two records under one seed, packet by packet.

    @place_is_seen: the probe did not look at the whole frame, so that it depends on the
    place of a flipped bit whether it is seen.

    Return: packets with the same fate (copies, corruption, marks, delays), the number
    from which on all have it, and the least and greatest difference of delay.
    """
    same, since, low, high = 0, 0, None, None
    for i in range(ours.count):
        a, b = ours.copies.get(i, []), kernel.copies.get(i, [])
        good = [fate(x, place_is_seen) for x in a] == [fate(x, place_is_seen) for x in b]
        far = [p[0] - q[0] for p, q in zip(a, b)]
        good = good and all(abs(d - offset_ns) <= tolerance_ns for d in far)
        if not good:
            since = i + 1
            continue
        same += 1
        if far:
            low = min(far) if low is None else min(low, min(far))
            high = max(far) if high is None else max(high, max(far))
    return {"same": same, "since": since, "low_ns": low, "high_ns": high}
