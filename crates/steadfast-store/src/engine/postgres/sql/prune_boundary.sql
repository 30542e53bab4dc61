-- The newest ended task above the maximum count, if there is one.
WITH surplus AS MATERIALIZED (
    SELECT count(*) - $1::bigint AS many FROM steadfast.ended
)
SELECT ended_at, id FROM steadfast.ended
 WHERE (SELECT many FROM surplus) > 0
 ORDER BY ended_at, id OFFSET (SELECT greatest(many, 1) - 1 FROM surplus) LIMIT 1
