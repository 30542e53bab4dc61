-- A task is a body and a place. The body is written once; the place is a row in exactly one of
-- ready, waiting, running and ended, and moving a task moves that small row.
-- Times are microseconds since 1970, ids are the sixteen bytes of a UUID.

-- How many wait is counted as they come and go: there may be millions, for months.
CREATE TABLE steadfast_queues (
    number  INTEGER PRIMARY KEY,
    name    TEXT NOT NULL UNIQUE,
    paused  INTEGER NOT NULL DEFAULT 0,
    waiting INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Thousands of tasks have one policy: it is kept once.
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

-- What has changed since a task was submitted. Most tasks never get a row here: they succeed at
-- their first attempt.
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

-- Due now, in the order in which they are claimed. The rank is the priority turned round, so
-- that everything in the order ascends.
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

-- Due later, in the order of their time.
CREATE TABLE steadfast_waiting (
    due_at INTEGER NOT NULL,
    id     BLOB NOT NULL,
    queue  INTEGER NOT NULL,
    PRIMARY KEY (due_at, id)
) STRICT, WITHOUT ROWID;

-- In the hands of a worker, under a lease. Who lost it is remembered while it is settled.
CREATE TABLE steadfast_running (
    id      BLOB NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL,
    lost_by TEXT
) STRICT, WITHOUT ROWID;

-- AUTOINCREMENT: a version is never given twice, even after every lease has gone.
CREATE TABLE steadfast_leases (
    version INTEGER PRIMARY KEY AUTOINCREMENT,
    owner   TEXT NOT NULL,
    until   INTEGER NOT NULL,
    tasks   INTEGER NOT NULL
) STRICT;

CREATE INDEX steadfast_leases_until ON steadfast_leases (until);

-- Over. `loose` says that the faults are still one row each.
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

-- The faults of a task that ended long ago, compressed.
CREATE TABLE steadfast_packed (
    id       BLOB NOT NULL PRIMARY KEY,
    ended_at INTEGER NOT NULL,
    faults   INTEGER NOT NULL,
    body     BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX steadfast_packed_age ON steadfast_packed (ended_at);

-- Categories that wait as a whole.
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

-- A new task takes its place in the same statement that writes it.
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
