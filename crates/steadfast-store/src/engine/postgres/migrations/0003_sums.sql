-- Rollups: one row per minute, policy and subsystem, so that a window of a week reads a few thousand rows,
-- however many tasks ended in it. Maintenance writes them after the end of the minute. Settlements do not,
-- because many instances would wait for the lock of one row. `minute` is the start in microseconds.
CREATE TABLE steadfast.sums (
    minute        bigint NOT NULL,
    sessions      bigint NOT NULL,
    successful    bigint NOT NULL,
    attempts      bigint NOT NULL,
    most_attempts bigint NOT NULL,
    seconds       float8 NOT NULL,
    policy_id     text COLLATE "C" NOT NULL,
    subsystem     text COLLATE "C" NOT NULL,
    PRIMARY KEY (minute, policy_id, subsystem)
);

-- The time before which all minutes have rollups; one row.
CREATE TABLE steadfast.summed (until bigint NOT NULL);
INSERT INTO steadfast.summed (until) VALUES (0);

CREATE INDEX records_in_time ON steadfast.records USING brin (at) WITH (pages_per_range = 16, autosummarize = on);
CREATE INDEX audit_by_actor ON steadfast.audit (actor, number);
CREATE INDEX audit_by_target ON steadfast.audit (target, number) WHERE target IS NOT NULL;
