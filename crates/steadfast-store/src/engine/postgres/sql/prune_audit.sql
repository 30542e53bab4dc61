-- Forgets the oldest of the audit log, a bounded number at a time. Looks at no more than those,
-- whether they are old enough or not.
WITH oldest AS MATERIALIZED (
    SELECT number FROM steadfast.audit ORDER BY number LIMIT $2
       FOR UPDATE SKIP LOCKED
)
DELETE FROM steadfast.audit a USING oldest o
 WHERE a.number = o.number AND a.at < now() - $1::bigint * interval '1 microsecond'
RETURNING a.number, a.action
