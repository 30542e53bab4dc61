-- The latest registration of each worker. The instance of a worker over HTTP is empty.
CREATE TABLE steadfast.workers (
    name     text COLLATE "C" NOT NULL,
    instance text COLLATE "C" NOT NULL,
    seen_at  timestamptz NOT NULL,
    report   json NOT NULL,
    PRIMARY KEY (name, instance)
);

-- The latest report of each instance about its retry budgets.
CREATE TABLE steadfast.budgets (
    policy   text COLLATE "C" NOT NULL,
    instance text COLLATE "C" NOT NULL,
    seen_at  timestamptz NOT NULL,
    report   json NOT NULL,
    PRIMARY KEY (policy, instance)
);
