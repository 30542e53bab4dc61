-- The latest report of each instance about its circuit breakers.
CREATE TABLE steadfast.breakers (
    policy   text COLLATE "C" NOT NULL,
    instance text COLLATE "C" NOT NULL,
    seen_at  timestamptz NOT NULL,
    report   json NOT NULL,
    PRIMARY KEY (policy, instance)
);

-- The latest operator override of each breaker; `wish` is the command.
CREATE SEQUENCE steadfast.breaker_order;
CREATE TABLE steadfast.breaker_orders (
    policy text COLLATE "C" PRIMARY KEY,
    number bigint NOT NULL,
    wish   text NOT NULL,
    at     timestamptz NOT NULL,
    actor  text NOT NULL,
    source text
);
