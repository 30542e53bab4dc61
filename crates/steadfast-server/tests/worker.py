"""A worker in plain Python: the standard library and HTTP.

It claims tasks until none is due, or until it has settled a number of attempts. It handles the kind
`add`, extends the lease of each task while it runs, and reports a fault for other kinds; the server
decides about retries. The first attempt of a `shaky` task fails, and that of an `endless` one never ends.

    python3 worker.py http://127.0.0.1:7700 [ATTEMPTS] [LEASE]
"""

import json
import sys
import time
import urllib.error
import urllib.request

ATTEMPTS = int(sys.argv[2]) if len(sys.argv) > 2 else None
LEASE = sys.argv[3] if len(sys.argv) > 3 else "30s"


def post(path, body):
    """Return the status and the response."""
    request = urllib.request.Request(
        f"{sys.argv[1]}/api/v1{path}",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
        method="POST",
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            text = response.read()
            return response.status, json.loads(text) if text else None
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def check(status, response):
    """Exit on errors other than a stale fencing token (409)."""
    if status >= 400 and status != 409:
        sys.exit(f"{response['detail']}; {response.get('next')}")
    return status, response


def handle(task):
    if task["kind"] == "add":
        return sum(task["payload"])
    if task["kind"] == "shaky" and task["attempt"] > 1:
        return "stands"
    if task["kind"] == "endless":
        if task["attempt"] > 1:
            return "ended"
        print(json.dumps({"begun": task["kind"]}), flush=True)
        time.sleep(3600)
    raise ConnectionResetError(f"no handler for {task['kind']}")


def run(claim):
    at = f"/claims/{claim['id']}"
    token = claim["fencing_token"]
    check(*post(f"{at}/heartbeat", {"fencing_token": token, "lease": LEASE}))
    try:
        result = handle(claim["task"])
    except ConnectionResetError as error:
        fault = {"kind": "connection_reset", "type": type(error).__name__, "message": str(error)}
        return check(*post(f"{at}/fail", {"fencing_token": token, "fault": fault}))
    check(*post(f"{at}/complete", {"fencing_token": token, "result": result}))
    # Completing twice gets 409: the lease has ended.
    return check(*post(f"{at}/complete", {"fencing_token": token, "result": result}))


def main():
    request = {"worker": "python", "queues": ["default"], "limit": 10, "lease": LEASE}
    settled = 0
    while ATTEMPTS is None or settled < ATTEMPTS:
        _, response = check(*post("/claims", request))
        if not response["claims"]:
            if ATTEMPTS is None:
                return
            time.sleep(0.1)
        for claim in response["claims"]:
            status, response = run(claim)
            print(json.dumps({"id": claim["id"], "status": status, "answer": response}))
            settled += 1


main()
