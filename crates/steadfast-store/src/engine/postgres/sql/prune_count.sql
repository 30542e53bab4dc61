-- The number of rows past their retention, by age first, then by count, without missed completions.
WITH dead AS (
    SELECT now() - $1::bigint * interval '1 microsecond' AS completed,
           now() - $2::bigint * interval '1 microsecond' AS others,
           now() - $4::bigint * interval '1 microsecond' AS faults,
           now() - $5::bigint * interval '1 microsecond' AS records,
           now() - $7::bigint * interval '1 microsecond' AS audit
),
ended AS (
    SELECT count(*) AS total,
           count(*) FILTER (WHERE e.ended_at < CASE e.outcome WHEN 'completed' THEN d.completed ELSE d.others END) AS aged
      FROM steadfast.ended e, dead d
     WHERE NOT EXISTS (SELECT FROM steadfast.nodes n WHERE n.task = e.id AND n.status = 'submitted')
),
unnoticed AS (
    SELECT count(*) AS many FROM steadfast.nodes n JOIN steadfast.ended e ON e.id = n.task
     WHERE n.status = 'submitted'
),
histories AS (
    SELECT count(*) AS many
      FROM steadfast.ended e, dead d
     WHERE e.ended_at < d.faults
       AND e.ended_at >= coalesce(CASE e.outcome WHEN 'completed' THEN d.completed ELSE d.others END, '-infinity')
       AND (EXISTS (SELECT FROM steadfast.faults f WHERE f.task = e.id)
            OR EXISTS (SELECT FROM steadfast.tasks t WHERE t.id = e.id AND t.packed_faults IS NOT NULL))
),
records AS (
    SELECT count(*) AS total, count(*) FILTER (WHERE r.at < d.records) AS aged
      FROM steadfast.records r, dead d GROUP BY r.kind
)
SELECT (SELECT aged + least(total - aged, greatest(total + many - aged - coalesce($3::bigint, total + many), 0))
          FROM ended, unnoticed) AS tasks,
       (SELECT many FROM histories) AS faults,
       (SELECT coalesce(sum(aged + greatest(total - aged - coalesce($6::bigint, total), 0)), 0)::bigint FROM records) AS records,
       (SELECT count(*) FROM steadfast.audit a, dead d WHERE a.at < d.audit) AS audit
