-- Deletes the oldest audit entries. Scans no more than one batch.
WITH oldest AS MATERIALIZED (
    SELECT number FROM steadfast.audit ORDER BY number LIMIT $2
       FOR UPDATE SKIP LOCKED
)
DELETE FROM steadfast.audit a USING oldest o
 WHERE a.number = o.number AND a.at < now() - $1::bigint * interval '1 microsecond'
RETURNING a.number, a.action
