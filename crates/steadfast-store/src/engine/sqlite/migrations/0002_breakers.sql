-- The latest report of each instance about its circuit breakers.
CREATE TABLE steadfast_breakers (
    policy   TEXT NOT NULL,
    instance TEXT NOT NULL,
    seen_at  INTEGER NOT NULL,
    report   TEXT NOT NULL,
    PRIMARY KEY (policy, instance)
) STRICT, WITHOUT ROWID;

-- The latest operator override of each breaker; `wish` is the command.
CREATE TABLE steadfast_breaker_orders (
    policy TEXT PRIMARY KEY,
    number INTEGER NOT NULL,
    wish   TEXT NOT NULL,
    at     INTEGER NOT NULL,
    actor  TEXT NOT NULL,
    origin TEXT
) STRICT, WITHOUT ROWID;
