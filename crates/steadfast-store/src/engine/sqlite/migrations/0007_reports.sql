-- Who works, as each last said. One that comes over HTTP has no instance.
CREATE TABLE steadfast_workers (
    name     TEXT NOT NULL,
    instance TEXT NOT NULL,
    seen_at  INTEGER NOT NULL,
    report   TEXT NOT NULL,
    PRIMARY KEY (name, instance)
) STRICT, WITHOUT ROWID;

-- How the budgets of each instance stand, as it last said.
CREATE TABLE steadfast_budgets (
    policy   TEXT NOT NULL,
    instance TEXT NOT NULL,
    seen_at  INTEGER NOT NULL,
    report   TEXT NOT NULL,
    PRIMARY KEY (policy, instance)
) STRICT, WITHOUT ROWID;
