-- Who works, as each last said. One that comes over HTTP has no instance.
CREATE TABLE steadfast.workers (
    name     text COLLATE "C" NOT NULL,
    instance text COLLATE "C" NOT NULL,
    seen_at  timestamptz NOT NULL,
    report   json NOT NULL,
    PRIMARY KEY (name, instance)
);

-- How the budgets of each instance stand, as it last said.
CREATE TABLE steadfast.budgets (
    policy   text COLLATE "C" NOT NULL,
    instance text COLLATE "C" NOT NULL,
    seen_at  timestamptz NOT NULL,
    report   json NOT NULL,
    PRIMARY KEY (policy, instance)
);
