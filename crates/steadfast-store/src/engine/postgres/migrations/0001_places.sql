-- Each state has a table (docs/decisions/0011): a task is in exactly one of `ready` (pending), `waiting`
-- (scheduled), `leases` (running) and `ended`. Claims and completions write narrow rows in these tables.

CREATE TABLE steadfast.queues (
    id     int PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    name   text COLLATE "C" NOT NULL UNIQUE,
    paused boolean NOT NULL DEFAULT false
);

-- Policies as submitted, deduplicated by digest: one row for all tasks with the same policy.
CREATE TABLE steadfast.policies (
    id     int PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    digest bytea NOT NULL UNIQUE,
    body   json NOT NULL
);

-- Task data, written at submission. Failures, holds and operators update it; claims and completions do not.
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
    -- JSON, stored as text: validated before, and a second validation takes 10% of a submission.
    payload          text NOT NULL,
    packed_faults    bytea
) WITH (fillfactor = 90);

CREATE UNIQUE INDEX tasks_by_key ON steadfast.tasks (idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX tasks_by_correlation ON steadfast.tasks (correlation_id) WHERE correlation_id IS NOT NULL;

-- Pending tasks in claim order. `rank` is the bitwise complement of the priority, so that higher priorities
-- sort first.
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

-- Scheduled tasks in the order of their due times.
CREATE TABLE steadfast.waiting (
    run_at       timestamptz NOT NULL,
    submitted_at timestamptz NOT NULL,
    id           uuid NOT NULL,
    queue        int NOT NULL,
    rank         smallint NOT NULL,
    category     text COLLATE "C",
    PRIMARY KEY (run_at, id)
);

-- Leases: one row per batch of tasks claimed by a worker. `version` is the fencing token.
CREATE SEQUENCE steadfast.lease_version;
CREATE TABLE steadfast.leases (
    version bigint PRIMARY KEY,
    until   timestamptz NOT NULL,
    -- The number of tasks that are not settled yet.
    open    int NOT NULL,
    worker  text NOT NULL,
    -- The worker that lost the tasks, if this lease was created to reclaim them.
    lost_by text,
    tasks   uuid[] NOT NULL,
    -- One bit per task: 1 once the task is settled, cancelled or reclaimed. The row alone shows which
    -- tasks are held, so its lock protects their state.
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

-- Held categories: after a rate limit of one task, no task of its category is claimed before `until`.
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

-- Every task with its status. A task without a row in another state table is in a lease.
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
