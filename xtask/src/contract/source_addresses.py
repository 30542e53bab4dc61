"""A different loopback source address for each connection.

The server throttles logins: after ten wrong tokens a minute from one address it answers 429,
where a check of schemathesis expects 401. Requests from many addresses avoid the throttle
without disabling it.
"""

import itertools

from urllib3.util import connection

connect = connection.create_connection
numbers = itertools.cycle(range(1, 254 * 254))


def with_next_source_address(address, *arguments, **options):
    third, fourth = divmod(next(numbers), 254)
    options["source_address"] = (f"127.1.{third}.{fourth + 1}", 0)
    return connect(address, *arguments, **options)


connection.create_connection = with_next_source_address
