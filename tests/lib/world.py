# SPDX-License-Identifier: GPL-2.0-or-later
# tests/lib/world.py - the web server of tests/lib/world.bash
#
#   world.py FILE     serve port 80; the SHA-256 of what GET /file gives is put in FILE
#
# GET /file gives 20 MB, GET /small some bytes, GET /who the client's address; PUT answers
# with the SHA-256 of what came.
import hashlib
import os
import random
import socket
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FILE = random.Random(7).randbytes(20_000_000)


class Server(ThreadingHTTPServer):
    address_family = socket.AF_INET6
    daemon_threads = True

    def server_bind(self):
        self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def say(self, body):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/file":
            self.say(FILE)
        elif self.path == "/small":
            self.say(b"small\n")
        elif self.path == "/who":
            self.say(self.client_address[0].removeprefix("::ffff:").encode() + b"\n")
        else:
            self.send_error(404)

    def do_PUT(self):
        left = int(self.headers["Content-Length"])
        digest = hashlib.sha256()
        while left:
            part = self.rfile.read(min(left, 65536))
            if not part:
                return
            digest.update(part)
            left -= len(part)
        self.say(digest.hexdigest().encode() + b"\n")

    def log_message(self, *args):
        pass


server = Server(("::", 80), Handler)
with open(sys.argv[1] + ".new", "w", encoding="ascii") as f:
    f.write(hashlib.sha256(FILE).hexdigest() + "\n")
os.rename(sys.argv[1] + ".new", sys.argv[1])
server.serve_forever()
