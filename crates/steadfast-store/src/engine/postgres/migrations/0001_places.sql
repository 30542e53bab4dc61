-- States are places (docs/decisions/0011): a task is in exactly one of ready, waiting, a lease
-- or ended. Claiming and completing move narrow rows and never touch the body.

CREATE TABLE steadfast.queues (
    id     int PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    name   text COLLATE "C" NOT NULL UNIQUE,
    paused boolean NOT NULL DEFAULT false
);

-- A policy as of some submission, kept once for all tasks that have it.
CREATE TABLE steadfast.policies (
    id     int PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    digest bytea NOT NULL UNIQUE,
    body   json NOT NULL
);

-- The body: written at submission, and again only when something went wrong.
CREATE TABLE steadfast.tasks (
    id               uuid PRIMARY KEY,
    submitted_at     timestamptz NOT NULL,
    scheduled_at     timestamptz NOT NULL,
    counted_from     timestamptz NOT NULL,
    expires_at       timestamptz,
    last_attempt_at  timestamptz,
    previous         bigint NOT NULL DEFAULT 0,
    queue            int NOT NULL,
    policy           int NOT NULL,
    attempts         int NOT NULL DEFAULT 0,
    rate_limit_waits int NOT NULL DEFAULT 0,
    priority         smallint NOT NULL,
    hold_category    boolean NOT NULL DEFAULT false,
    kind             text COLLATE "C" NOT NULL,
    category         text COLLATE "C",
    idempotency_key  text COLLATE "C",
    correlation_id   text COLLATE "C",
    last_class       text COLLATE "C",
    last_message     text,
    -- JSON that was checked before; checking it again would be a tenth of a submission.
    payload          text NOT NULL,
    packed_faults    bytea
) WITH (fillfactor = 90);

CREATE UNIQUE INDEX tasks_by_key ON steadfast.tasks (idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX tasks_by_correlation ON steadfast.tasks (correlation_id) WHERE correlation_id IS NOT NULL;

-- Due now, in the order in which they go. `rank` is the complement of the priority.
CREATE TABLE steadfast.ready (
    submitted_at timestamptz NOT NULL,
    id           uuid NOT NULL,
    queue        int NOT NULL,
    rank         smallint NOT NULL,
    category     text COLLATE "C",
    PRIMARY KEY (queue, rank, submitted_at, id)
);
CREATE INDEX ready_by_category ON steadfast.ready (queue, category, rank, submitted_at, id)
    WHERE category IS NOT NULL;

-- Due later.
CREATE TABLE steadfast.waiting (
    run_at       timestamptz NOT NULL,
    submitted_at timestamptz NOT NULL,
    id           uuid NOT NULL,
    queue        int NOT NULL,
    rank         smallint NOT NULL,
    category     text COLLATE "C",
    PRIMARY KEY (run_at, id)
);

-- One row for a batch of tasks in the hands of one worker.
CREATE SEQUENCE steadfast.lease_version;
CREATE TABLE steadfast.leases (
    version bigint PRIMARY KEY,
    until   timestamptz NOT NULL,
    -- How many of the batch are still open.
    open    int NOT NULL,
    worker  text NOT NULL,
    -- Who lost the tasks, if this lease is there to settle a loss.
    lost_by text,
    tasks   uuid[] NOT NULL,
    -- A bit for each of them: 1 once the worker has settled it, or it was cancelled or reclaimed.
    -- So the row alone shows which tasks are held, and its lock protects the current state.
    done    varbit NOT NULL
);
ALTER TABLE steadfast.leases ALTER COLUMN tasks SET STORAGE EXTERNAL;

CREATE TYPE steadfast.outcome AS ENUM ('completed', 'failed', 'cancelled');
CREATE TABLE steadfast.ended (
    id       uuid PRIMARY KEY,
    ended_at timestamptz NOT NULL,
    outcome  steadfast.outcome NOT NULL,
    reason   text COLLATE "C",
    result   json
);
CREATE INDEX ended_in_time ON steadfast.ended USING brin (ended_at) WITH (pages_per_range = 16, autosummarize = on);
CREATE INDEX ended_failed ON steadfast.ended (id) WHERE outcome = 'failed';
CREATE INDEX ended_cancelled ON steadfast.ended (id) WHERE outcome = 'cancelled';

CREATE TABLE steadfast.faults (
    task   uuid NOT NULL,
    number bigint GENERATED ALWAYS AS IDENTITY,
    at     timestamptz NOT NULL,
    record json NOT NULL,
    PRIMARY KEY (task, number)
);

-- Categories that wait, because one of their tasks was asked to.
CREATE TABLE steadfast.holds (
    queue    int NOT NULL,
    category text COLLATE "C" NOT NULL,
    until    timestamptz NOT NULL,
    PRIMARY KEY (queue, category)
);

CREATE TABLE steadfast.audit (
    number bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    at     timestamptz NOT NULL DEFAULT now(),
    actor  text NOT NULL,
    source text,
    action text NOT NULL,
    target text,
    detail json NOT NULL
);

CREATE TABLE steadfast.records (
    number bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    at     timestamptz NOT NULL DEFAULT now(),
    kind   text NOT NULL,
    body   json NOT NULL
);
CREATE INDEX records_by_kind ON steadfast.records (kind, number);

-- Every task with where it is. What is in no other place is in a lease.
CREATE VIEW steadfast.overview AS
SELECT t.id, t.kind, t.payload::json AS payload, q.name AS queue, t.category, t.priority, t.policy,
       CASE WHEN e.id IS NOT NULL THEN e.outcome::text
            WHEN w.run_at > now() THEN 'scheduled'
            WHEN w.id IS NOT NULL OR r.id IS NOT NULL THEN 'pending'
            ELSE 'running' END AS status,
       e.reason, t.attempts + CASE WHEN e.outcome = 'completed' THEN 1 ELSE 0 END AS attempts, t.rate_limit_waits,
       t.submitted_at, t.scheduled_at,
       CASE WHEN e.outcome = 'completed' THEN e.ended_at ELSE t.last_attempt_at END AS last_attempt_at,
       e.ended_at, t.expires_at, t.last_class, t.last_message, e.result,
       t.idempotency_key, t.correlation_id, t.hold_category, t.packed_faults
  FROM steadfast.tasks t
  JOIN steadfast.queues q ON q.id = t.queue
  LEFT JOIN steadfast.ended e ON e.id = t.id
  LEFT JOIN steadfast.waiting w ON w.run_at = t.scheduled_at AND w.id = t.id
  LEFT JOIN steadfast.ready r ON r.queue = t.queue AND r.rank = ~t.priority
        AND r.submitted_at = t.submitted_at AND r.id = t.id;
