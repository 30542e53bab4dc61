-- Rollups: one row per minute, policy and subsystem, so that a window of a week reads a few thousand rows,
-- however many tasks ended in it. Maintenance writes them after the end of the minute. Settlements do not,
-- because that would slow down the most frequent writes. `minute` is the start in microseconds.
CREATE TABLE steadfast_sums (
    minute        INTEGER NOT NULL,
    policy_id     TEXT NOT NULL,
    subsystem     TEXT NOT NULL,
    sessions      INTEGER NOT NULL,
    successful    INTEGER NOT NULL,
    attempts      INTEGER NOT NULL,
    most_attempts INTEGER NOT NULL,
    seconds       REAL NOT NULL,
    PRIMARY KEY (minute, policy_id, subsystem)
) STRICT, WITHOUT ROWID;

-- The time before which all minutes have rollups; one row.
CREATE TABLE steadfast_summed (until INTEGER NOT NULL) STRICT;

INSERT INTO steadfast_summed (until) VALUES (0);

CREATE INDEX steadfast_records_age ON steadfast_records (kind, at);
