-- The latest registration of each worker. The instance of a worker over HTTP is empty.
CREATE TABLE steadfast_workers (
    name     TEXT NOT NULL,
    instance TEXT NOT NULL,
    seen_at  INTEGER NOT NULL,
    report   TEXT NOT NULL,
    PRIMARY KEY (name, instance)
) STRICT, WITHOUT ROWID;

-- The latest report of each instance about its retry budgets.
CREATE TABLE steadfast_budgets (
    policy   TEXT NOT NULL,
    instance TEXT NOT NULL,
    seen_at  INTEGER NOT NULL,
    report   TEXT NOT NULL,
    PRIMARY KEY (policy, instance)
) STRICT, WITHOUT ROWID;
