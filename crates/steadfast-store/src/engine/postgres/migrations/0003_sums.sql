-- What ended in each minute, summed up when the minute is over: a window of a week is a few thousand
-- rows then, however many tasks ended in it. It is not written with the ends themselves, where many
-- instances would wait for one row, but by maintenance. A minute is known by the microsecond
-- that it begins with.
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

-- Before when everything is summed up; one row.
CREATE TABLE steadfast.summed (until bigint NOT NULL);
INSERT INTO steadfast.summed (until) VALUES (0);

CREATE INDEX records_in_time ON steadfast.records USING brin (at) WITH (pages_per_range = 16, autosummarize = on);
CREATE INDEX audit_by_actor ON steadfast.audit (actor, number);
CREATE INDEX audit_by_target ON steadfast.audit (target, number) WHERE target IS NOT NULL;
