-- Each state has a table (docs/decisions/0011): a task is in exactly one of `ready` (pending), `waiting`
-- (scheduled), `running` and `ended`. A transition moves one narrow row and does not update `tasks`.
-- Times are microseconds since 1970. Ids are the 16 bytes of a UUID.

-- `waiting` is the number of scheduled tasks. Triggers update it, because counting millions of rows on each
-- read would be slow.
CREATE TABLE steadfast_queues (
    number  INTEGER PRIMARY KEY,
    name    TEXT NOT NULL UNIQUE,
    paused  INTEGER NOT NULL DEFAULT 0,
    waiting INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Policies as submitted: one row for all tasks with the same policy.
CREATE TABLE steadfast_policies (
    number INTEGER PRIMARY KEY,
    body   TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE steadfast_tasks (
    id             BLOB NOT NULL PRIMARY KEY,
    queue          INTEGER NOT NULL,
    priority       INTEGER NOT NULL,
    policy         INTEGER NOT NULL,
    submitted_at   INTEGER NOT NULL,
    due_at         INTEGER NOT NULL,
    expires_at     INTEGER,
    hold_category  INTEGER NOT NULL,
    kind           TEXT NOT NULL,
    category       TEXT,
    key            TEXT,
    correlation_id TEXT,
    payload        TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX steadfast_tasks_key ON steadfast_tasks (key) WHERE key IS NOT NULL;

CREATE INDEX steadfast_tasks_correlation ON steadfast_tasks (correlation_id)
    WHERE correlation_id IS NOT NULL;

-- Attempts and changes after the submission. A task that succeeds at its first attempt, as most do, has no
-- row here.
CREATE TABLE steadfast_progress (
    id               BLOB NOT NULL PRIMARY KEY,
    attempts         INTEGER NOT NULL DEFAULT 0,
    rate_limit_waits INTEGER NOT NULL DEFAULT 0,
    previous         INTEGER NOT NULL DEFAULT 0,
    faults           INTEGER NOT NULL DEFAULT 0,
    due_at           INTEGER,
    counted_from     INTEGER,
    last_attempt_at  INTEGER,
    class            TEXT,
    message          TEXT
) STRICT, WITHOUT ROWID;

-- Pending tasks in claim order. `rank` is the negated priority, so that all columns of the order ascend.
CREATE TABLE steadfast_ready (
    queue        INTEGER NOT NULL,
    rank         INTEGER NOT NULL,
    submitted_at INTEGER NOT NULL,
    id           BLOB NOT NULL,
    category     TEXT,
    PRIMARY KEY (queue, rank, submitted_at, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX steadfast_ready_category ON steadfast_ready (queue, category, rank, submitted_at, id)
    WHERE category IS NOT NULL;

-- Scheduled tasks in the order of their due times.
CREATE TABLE steadfast_waiting (
    due_at INTEGER NOT NULL,
    id     BLOB NOT NULL,
    queue  INTEGER NOT NULL,
    PRIMARY KEY (due_at, id)
) STRICT, WITHOUT ROWID;

-- Running tasks, each under a lease. `lost_by` is the worker that lost the task, while it is reclaimed.
CREATE TABLE steadfast_running (
    id      BLOB NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL,
    lost_by TEXT
) STRICT, WITHOUT ROWID;

-- Leases; `version` is the fencing token. AUTOINCREMENT, because a token must not be reused after its lease
-- is deleted.
CREATE TABLE steadfast_leases (
    version INTEGER PRIMARY KEY AUTOINCREMENT,
    owner   TEXT NOT NULL,
    until   INTEGER NOT NULL,
    tasks   INTEGER NOT NULL
) STRICT;

CREATE INDEX steadfast_leases_until ON steadfast_leases (until);

-- Ended tasks. `loose` is 1 while the history is not compressed: one row per fault in `steadfast_faults`.
CREATE TABLE steadfast_ended (
    status   TEXT NOT NULL,
    id       BLOB NOT NULL,
    ended_at INTEGER NOT NULL,
    loose    INTEGER NOT NULL,
    reason   TEXT,
    result   TEXT,
    PRIMARY KEY (status, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX steadfast_ended_age ON steadfast_ended (status, ended_at);

CREATE INDEX steadfast_ended_loose ON steadfast_ended (ended_at) WHERE loose = 1;

CREATE TABLE steadfast_faults (
    id     BLOB NOT NULL,
    number INTEGER NOT NULL,
    at     INTEGER NOT NULL,
    body   TEXT NOT NULL,
    PRIMARY KEY (id, number)
) STRICT, WITHOUT ROWID;

-- Compressed histories: all faults of an ended task in one row.
CREATE TABLE steadfast_packed (
    id       BLOB NOT NULL PRIMARY KEY,
    ended_at INTEGER NOT NULL,
    faults   INTEGER NOT NULL,
    body     BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX steadfast_packed_age ON steadfast_packed (ended_at);

-- Held categories: after a rate limit of one task, no task of its category is claimed before `until`.
CREATE TABLE steadfast_holds (
    queue    INTEGER NOT NULL,
    category TEXT NOT NULL,
    until    INTEGER NOT NULL,
    PRIMARY KEY (queue, category)
) STRICT, WITHOUT ROWID;

CREATE TABLE steadfast_audit (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at     INTEGER NOT NULL,
    actor  TEXT NOT NULL,
    origin TEXT,
    action TEXT NOT NULL,
    target TEXT,
    detail TEXT NOT NULL
) STRICT;

CREATE INDEX steadfast_audit_target ON steadfast_audit (target) WHERE target IS NOT NULL;

CREATE INDEX steadfast_audit_actor ON steadfast_audit (actor);

CREATE TABLE steadfast_records (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    kind   TEXT NOT NULL,
    at     INTEGER NOT NULL,
    body   TEXT NOT NULL
) STRICT;

CREATE INDEX steadfast_records_kind ON steadfast_records (kind);

-- The statement that inserts a task also inserts it as pending or scheduled.
CREATE TRIGGER steadfast_new_is_ready AFTER INSERT ON steadfast_tasks
WHEN new.due_at <= new.submitted_at BEGIN
    INSERT INTO steadfast_ready (queue, rank, submitted_at, id, category)
    VALUES (new.queue, -new.priority, new.submitted_at, new.id, new.category);
END;

CREATE TRIGGER steadfast_new_is_waiting AFTER INSERT ON steadfast_tasks
WHEN new.due_at > new.submitted_at BEGIN
    INSERT INTO steadfast_waiting (due_at, id, queue) VALUES (new.due_at, new.id, new.queue);
END;

CREATE TRIGGER steadfast_one_more_waits AFTER INSERT ON steadfast_waiting BEGIN
    UPDATE steadfast_queues SET waiting = waiting + 1 WHERE number = new.queue;
END;

CREATE TRIGGER steadfast_one_less_waits AFTER DELETE ON steadfast_waiting BEGIN
    UPDATE steadfast_queues SET waiting = waiting - 1 WHERE number = old.queue;
END;
