-- The number of executions past their retention.
WITH surplus AS (
    SELECT x.ended_at, x.id FROM steadfast.executions x
     WHERE $3::bigint IS NOT NULL AND x.ended_at IS NOT NULL
     ORDER BY x.ended_at DESC, x.id DESC OFFSET $3 LIMIT 1
),
-- Later ends are not read.
latest AS (
    SELECT greatest(now() - least($1::bigint, $2::bigint) * interval '1 microsecond',
                    (SELECT ended_at FROM surplus)) AS at
)
SELECT count(*) FROM steadfast.executions x
 WHERE x.ended_at <= (SELECT at FROM latest)
   AND (x.ended_at < now() - CASE x.status WHEN 'completed' THEN $1::bigint ELSE $2::bigint END * interval '1 microsecond'
        OR (x.ended_at, x.id) <= (SELECT ended_at, id FROM surplus))
   AND NOT EXISTS (SELECT FROM steadfast.nodes n WHERE n.execution = x.id AND n.status = 'submitted')
