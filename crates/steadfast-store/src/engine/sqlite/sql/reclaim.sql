-- The tasks of expired leases: the task, its lease, and the worker that lost it first.
SELECT json_group_array(json_array(hex(id), version, loser))
FROM (
    SELECT running.id, running.version, coalesce(running.lost_by, lease.owner) AS loser
    FROM steadfast_leases AS lease INDEXED BY steadfast_leases_until
    CROSS JOIN steadfast_running AS running ON running.version = lease.version
    WHERE lease.until < ?1
    LIMIT ?2
)
