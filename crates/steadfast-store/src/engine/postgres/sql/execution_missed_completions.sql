-- Executions with submitted nodes whose tasks have ended recently. The finished tasks come first, and the
-- node of each is probed: many more may be waiting. Without submitted nodes nothing is read.
WITH recent AS MATERIALIZED (
    SELECT e.id FROM steadfast.ended e
     WHERE e.ended_at > now() - $1::bigint * interval '1 microsecond'
       AND EXISTS (SELECT FROM steadfast.nodes WHERE status = 'submitted')
)
SELECT n.execution
  FROM recent r
 CROSS JOIN LATERAL (
    SELECT n.execution FROM steadfast.nodes n WHERE n.task = r.id AND n.status = 'submitted' OFFSET 0
  ) n
 LIMIT $2
