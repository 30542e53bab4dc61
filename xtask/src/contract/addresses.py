"""Each connection comes from an address of its own.

A server hears ten wrong tokens a minute from one address and then asks for patience, with 429
where a check of schemathesis wants 401. That is meant so, and is not switched off for a test;
but what is looked for here is sent by many.
"""

import itertools

from urllib3.util import connection

connect = connection.create_connection
numbers = itertools.cycle(range(1, 254 * 254))


def from_another_address(address, *arguments, **options):
    third, fourth = divmod(next(numbers), 254)
    options["source_address"] = (f"127.1.{third}.{fourth + 1}", 0)
    return connect(address, *arguments, **options)


connection.create_connection = from_another_address
