-- Workflows and their executions. A node runs as a task; a row in `nodes` links both, and stores the result
-- of the node for as long as the execution exists.

CREATE TABLE steadfast.workflows (
    id      bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    digest  bytea NOT NULL UNIQUE,
    kept_at timestamptz NOT NULL DEFAULT now(),
    name    text COLLATE "C" NOT NULL,
    body    text NOT NULL
);

-- `version` grows with each step; a step is applied only if it was computed from the latest version.
-- `next` is the execution that follows this one, and stays set after that one is pruned.
CREATE TABLE steadfast.executions (
    id               uuid PRIMARY KEY,
    workflow         bigint NOT NULL,
    version          bigint NOT NULL DEFAULT 0,
    started_at       timestamptz NOT NULL,
    due_at           timestamptz NOT NULL,
    counted_from     timestamptz NOT NULL,
    ended_at         timestamptz,
    previous         uuid,
    next             uuid,
    previous_delay   bigint NOT NULL,
    attempts         int NOT NULL,
    rate_limit_waits int NOT NULL,
    status           text COLLATE "C" NOT NULL DEFAULT 'running',
    name             text COLLATE "C" NOT NULL,
    failed_node      text,
    key              text COLLATE "C",
    message          text,
    -- JSON, stored as text because it is already validated.
    started_with     text NOT NULL
) WITH (fillfactor = 70);

CREATE UNIQUE INDEX executions_by_key ON steadfast.executions (key) WHERE key IS NOT NULL;
CREATE INDEX executions_by_status ON steadfast.executions (status, id);
CREATE INDEX executions_by_name ON steadfast.executions (name, id);
CREATE INDEX executions_ended ON steadfast.executions (ended_at) WHERE ended_at IS NOT NULL;

-- Nodes that have started or could not start.
CREATE TABLE steadfast.nodes (
    execution uuid NOT NULL,
    task      uuid,
    began_at  timestamptz NOT NULL,
    ended_at  timestamptz,
    number    smallint NOT NULL,
    status    text COLLATE "C" NOT NULL,
    message   text,
    result    json,
    PRIMARY KEY (execution, number)
);

CREATE INDEX nodes_submitted ON steadfast.nodes (task) INCLUDE (execution) WHERE status = 'submitted';
