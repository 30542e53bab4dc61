-- Extends leases, and never shortens them. They are locked in the order in which settlements lock them, to
-- avoid deadlocks.
WITH locked AS MATERIALIZED (
    SELECT version FROM steadfast.leases WHERE version = ANY ($1::bigint[]) ORDER BY version FOR UPDATE
)
UPDATE steadfast.leases l SET until = greatest(l.until, now() + $2::bigint * interval '1 microsecond')
  FROM locked h WHERE l.version = h.version
RETURNING l.version
