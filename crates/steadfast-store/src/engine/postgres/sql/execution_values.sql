-- The triggers of executions and the results of nodes, from the task where a completion is not recorded
-- yet, up to a number of bytes; only lengths are summed.
SELECT execution, number AS node, coalesce(started_with, result::text) AS json
  FROM (
    SELECT v.*, sum(v.bytes) OVER (ROWS UNBOUNDED PRECEDING) - v.bytes AS before
      FROM (
        SELECT x.id AS execution, NULL::smallint AS number, x.started_with, NULL::json AS result,
               octet_length(x.started_with) AS bytes
          FROM unnest($1::uuid[]) AS g (id) JOIN steadfast.executions x ON x.id = g.id
        UNION ALL
        SELECT n.execution, n.number, NULL, coalesce(n.result, e.result),
               coalesce(octet_length(coalesce(n.result, e.result)::text), 0)
          FROM unnest($2::uuid[], $3::smallint[]) AS g (execution, number)
          JOIN steadfast.nodes n ON n.execution = g.execution AND n.number = g.number
          LEFT JOIN steadfast.ended e ON e.id = n.task AND n.status <> 'completed'
      ) v
  ) sized
 WHERE before < $4
