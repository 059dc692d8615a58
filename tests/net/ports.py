# SPDX-License-Identifier: GPL-2.0-or-later
"""tests/net/ports.py - servers and clients of one port, for --reach and --listen

serve READY PORT ADDR...   TCP and UDP at each address, for good; READY is made when it
                           listens. TCP: the first byte chooses. e: echo; f: flood, until
                           nobody takes it; h: answer with the SHA-256 of all that came,
                           when it has ended; q: close at once. UDP: echo.
rtts PORT ADDR...          by TCP and by UDP, a line each: the least of three round trips,
                           in ms
connect ADDR PORT          how long connect() takes, in ms
bytes ADDR PORT N          N bytes there and back at once; what comes must be what went
echo ADDR PORT N           the same without an end of file before all is back
hash ADDR PORT N           N bytes, end of file, then the answer must be their SHA-256
many ADDR PORT N           N connections open at once, each is answered
reset ADDR PORT            a connection that stands, and is reset without a word
quits ADDR PORT            it ends, and nothing was said
slow ADDR PORT FILE        do not read what floods in until FILE is there

Between two commands stands +.
"""
import hashlib
import os
import socket
import sys
import threading
import time

CHUNK = 65536


def family(addr):
    return socket.AF_INET6 if ":" in addr else socket.AF_INET


def chunks(n):
    for i in range(0, n, CHUNK):
        yield hashlib.shake_128(b"%d" % i).digest(min(n - i, CHUNK))


def serve_one(c):
    kind = c.recv(1)
    if kind == b"e":
        while d := c.recv(CHUNK):
            c.sendall(d)
    elif kind == b"f":
        try:
            while True:
                c.sendall(bytes(CHUNK))
        except OSError:
            pass
    elif kind == b"h":
        h = hashlib.sha256()
        while d := c.recv(CHUNK):
            h.update(d)
        c.sendall(h.digest())
    c.close()


def serve_tcp(s):
    while True:
        c, _ = s.accept()
        threading.Thread(target=serve_one, args=(c,), daemon=True).start()


def serve_udp(s):
    while True:
        d, peer = s.recvfrom(CHUNK)
        s.sendto(d, peer)


def serve(ready, port, *addrs):
    for a in addrs:
        for kind, run in (socket.SOCK_STREAM, serve_tcp), (socket.SOCK_DGRAM, serve_udp):
            s = socket.socket(family(a), kind)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family(a) == socket.AF_INET6:
                s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            s.bind((a, int(port)))
            if kind == socket.SOCK_STREAM:
                s.listen(500)
            threading.Thread(target=run, args=(s,), daemon=True).start()
    open(ready, "w").close()
    threading.Event().wait()


def dial(addr, port, kind=socket.SOCK_STREAM):
    s = socket.socket(family(addr), kind)
    s.settimeout(20)
    s.connect((addr, int(port)))
    return s


def all_of(s, n):
    d = b""
    while len(d) < n:
        part = s.recv(n - len(d))
        if not part:
            raise EOFError("%d of %d bytes" % (len(d), n))
        d += part
    return d


def rtt(kind, addr, port):
    s = dial(addr, port, kind)
    if kind == socket.SOCK_STREAM:
        s.sendall(b"ewarm")
        all_of(s, 4)
    best = 1e9
    for i in range(3):
        word = b"word%d" % i
        at = time.monotonic()
        s.send(word)
        got = s.recv(100)
        best = min(best, time.monotonic() - at)
        assert got == word, (got, word)
    print(int(best * 1000))


def rtts(port, *addrs):
    for a in addrs:
        rtt(socket.SOCK_STREAM, a, port)
        rtt(socket.SOCK_DGRAM, a, port)


def connect(addr, port):
    at = time.monotonic()
    dial(addr, port).sendall(b"q")
    print(int((time.monotonic() - at) * 1000))


def send_all(s, n, head, end=True):
    s.sendall(head)
    for c in chunks(n):
        s.sendall(c)
    if end:
        s.shutdown(socket.SHUT_WR)


def bytes_(addr, port, n, end=True):
    s = dial(addr, port)
    t = threading.Thread(target=send_all, args=(s, int(n), b"e", end), daemon=True)
    t.start()
    for i, c in enumerate(chunks(int(n))):
        assert all_of(s, len(c)) == c, "chunk %d" % i
    if not end:
        s.shutdown(socket.SHUT_WR)
    assert s.recv(1) == b"", "something behind the end"
    t.join()


def echo(addr, port, n):
    bytes_(addr, port, n, False)


def hash_(addr, port, n):
    s = dial(addr, port)
    h = hashlib.sha256()
    for c in chunks(int(n)):
        h.update(c)
    send_all(s, int(n), b"h")
    assert all_of(s, 32) == h.digest()
    assert s.recv(1) == b"", "something behind the end"


def many(addr, port, n):
    s = [dial(addr, port) for _ in range(int(n))]
    for i, c in enumerate(s):
        c.sendall(b"enumber %4d" % i)
    for i, c in enumerate(s):
        assert all_of(c, 11) == b"number %4d" % i


def reset(addr, port):
    try:
        got = dial(addr, port).recv(1)
    except ConnectionResetError:
        return
    raise SystemExit("no reset but %r" % got)


def ends(addr, port):
    got = dial(addr, port).recv(1)
    if got:
        raise SystemExit("no end of file but %r" % got)


def quits(addr, port):
    s = dial(addr, port)
    s.sendall(b"q")
    assert s.recv(1) == b""


def slow(addr, port, path):
    s = dial(addr, port)
    s.sendall(b"f")
    while not os.path.exists(path):
        time.sleep(0.02)
    assert all_of(s, 1000000) == bytes(1000000)


COMMANDS = {
    "ends": ends,
    "serve": serve, "rtts": rtts, "connect": connect, "bytes": bytes_, "echo": echo, "hash": hash_,
    "many": many, "reset": reset, "quits": quits, "slow": slow,
}
for words in " ".join(sys.argv[1:]).split(" + "):
    name, *args = words.split(" ")
    COMMANDS[name](*args)
