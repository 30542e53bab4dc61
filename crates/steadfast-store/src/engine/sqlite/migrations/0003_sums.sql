-- What ended in each minute, summed up when the minute is over: a window of a week is a few thousand
-- rows then, however many tasks ended in it. It is not written with the ends themselves, which have
-- no time for it, but by maintenance. A minute is known by the microsecond that it begins with.
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

-- Before when everything is summed up; one row.
CREATE TABLE steadfast_summed (until INTEGER NOT NULL) STRICT;

INSERT INTO steadfast_summed (until) VALUES (0);

CREATE INDEX steadfast_records_age ON steadfast_records (kind, at);
