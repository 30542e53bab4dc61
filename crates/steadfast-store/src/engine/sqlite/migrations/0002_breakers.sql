-- How the breakers of each instance stand, as it last said.
CREATE TABLE steadfast_breakers (
    policy   TEXT NOT NULL,
    instance TEXT NOT NULL,
    seen_at  INTEGER NOT NULL,
    report   TEXT NOT NULL,
    PRIMARY KEY (policy, instance)
) STRICT, WITHOUT ROWID;

-- What was last wanted of each breaker.
CREATE TABLE steadfast_breaker_orders (
    policy TEXT PRIMARY KEY,
    number INTEGER NOT NULL,
    wish   TEXT NOT NULL,
    at     INTEGER NOT NULL,
    actor  TEXT NOT NULL,
    origin TEXT
) STRICT, WITHOUT ROWID;
