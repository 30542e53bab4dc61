-- Workflows and their executions. A node runs as a task; a row in `nodes` links both, and stores the result
-- of the node for as long as the execution exists.

CREATE TABLE steadfast_workflows (
    number  INTEGER PRIMARY KEY,
    kept_at INTEGER NOT NULL,
    name    TEXT NOT NULL,
    body    TEXT NOT NULL UNIQUE
) STRICT;

-- `version` grows with each step; a step is applied only if it was computed from the latest version.
-- `next` is the execution that follows this one, and stays set after that one is pruned.
CREATE TABLE steadfast_executions (
    id               BLOB NOT NULL PRIMARY KEY,
    workflow         INTEGER NOT NULL,
    version          INTEGER NOT NULL DEFAULT 0,
    started_at       INTEGER NOT NULL,
    due_at           INTEGER NOT NULL,
    counted_from     INTEGER NOT NULL,
    ended_at         INTEGER,
    previous         BLOB,
    next             BLOB,
    previous_delay   INTEGER NOT NULL,
    attempts         INTEGER NOT NULL,
    rate_limit_waits INTEGER NOT NULL,
    status           TEXT NOT NULL DEFAULT 'running',
    name             TEXT NOT NULL,
    failed_node      TEXT,
    key              TEXT,
    message          TEXT,
    started_with     TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX steadfast_executions_key ON steadfast_executions (key) WHERE key IS NOT NULL;

CREATE INDEX steadfast_executions_status ON steadfast_executions (status, id);

CREATE INDEX steadfast_executions_name ON steadfast_executions (name, id);

CREATE INDEX steadfast_executions_ended ON steadfast_executions (ended_at)
    WHERE ended_at IS NOT NULL;

-- Nodes that have started or could not start.
CREATE TABLE steadfast_nodes (
    execution BLOB NOT NULL,
    number    INTEGER NOT NULL,
    task      BLOB,
    status    TEXT NOT NULL,
    began_at  INTEGER NOT NULL,
    ended_at  INTEGER,
    message   TEXT,
    result    TEXT,
    PRIMARY KEY (execution, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX steadfast_nodes_submitted ON steadfast_nodes (task) WHERE status = 'submitted';
