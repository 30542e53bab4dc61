"""A worker that has never heard of Steadfast's own languages: Python's standard library, HTTP.

It takes tasks until none is due, or until it has ended so many attempts, does those of the kind
`add`, keeps each alive while it works, and tells what went wrong with the others. What follows from
that is not for it to say. At its first attempt it fails at what is `shaky`, and never ends what is
`endless`.

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
    """The status and the answer."""
    request = urllib.request.Request(
        f"{sys.argv[1]}/api/v1{path}",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
        method="POST",
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read()
            return answer.status, json.loads(text) if text else None
    except urllib.error.HTTPError as refusal:
        return refusal.code, json.loads(refusal.read())


def told(status, answer):
    if status >= 400 and status != 409:
        sys.exit(f"{answer['detail']}; {answer.get('next')}")
    return status, answer


def do(task):
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


def work(claim):
    at = f"/claims/{claim['id']}"
    version = claim["version"]
    told(*post(f"{at}/heartbeat", {"version": version, "lease": LEASE}))
    try:
        result = do(claim["task"])
    except ConnectionResetError as error:
        fault = {"kind": "connection_reset", "type": type(error).__name__, "message": str(error)}
        return told(*post(f"{at}/fail", {"version": version, "fault": fault}))
    told(*post(f"{at}/complete", {"version": version, "result": result}))
    # A word too many: the task is not this worker's any more.
    return told(*post(f"{at}/complete", {"version": version, "result": result}))


def main():
    wanted = {"worker": "python", "queues": ["default"], "limit": 10, "lease": LEASE}
    ended = 0
    while ATTEMPTS is None or ended < ATTEMPTS:
        _, answer = told(*post("/claims", wanted))
        if not answer["claims"]:
            if ATTEMPTS is None:
                return
            time.sleep(0.1)
        for claim in answer["claims"]:
            status, answer = work(claim)
            print(json.dumps({"id": claim["id"], "status": status, "answer": answer}))
            ended += 1


main()
