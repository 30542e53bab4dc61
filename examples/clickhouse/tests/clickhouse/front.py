"""A thin HTTP front of the modern ClickHouse engine, which has no server of its own in chdb.

It understands what the client of this example sends: a statement in the body, or rows in the
body and the statement and its settings in the URL. The port is the first line that it prints;
it ends with its standard input.
"""

import gzip
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from chdb.session import Session

# What concerns a server, and not the statement.
NOT_SETTINGS = {"query", "query_id", "log_queries", "wait_end_of_query"}


class Front(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    engine = None
    one_at_a_time = threading.Lock()

    def do_POST(self):
        parameters = dict(parse_qsl(urlsplit(self.path).query))
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        statement = with_settings(parameters) + body.decode()
        try:
            with self.one_at_a_time:
                status, answer = 200, self.engine.query(statement).bytes()
        except Exception as error:
            status, answer = 500, str(error).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def with_settings(parameters):
    statement = parameters.get("query")
    if statement is None:
        return ""
    settings = ", ".join(
        f"{name} = '{value}'" for name, value in parameters.items() if name not in NOT_SETTINGS
    )
    into, rows = statement.split(" FORMAT ", 1)
    return f"{into} SETTINGS {settings} FORMAT {rows}\n"


def main():
    Front.engine = Session(sys.argv[1])
    server = ThreadingHTTPServer(("127.0.0.1", 0), Front)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()
    # Without waiting for the engine's own threads.
    os._exit(0)


main()
