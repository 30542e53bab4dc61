-- Back to the first existing execution and forward to the last, up to a limit either way.
WITH RECURSIVE earlier AS (
    SELECT x.id, x.previous, 0 AS position FROM steadfast.executions x WHERE x.id = $1
    UNION ALL
    SELECT x.id, x.previous, b.position - 1 FROM earlier b JOIN steadfast.executions x ON x.id = b.previous
     WHERE b.position > -$2::int
),
later AS (
    SELECT x.id, x.next, 0 AS position FROM steadfast.executions x WHERE x.id = $1
    UNION ALL
    SELECT x.id, x.next, f.position + 1 FROM later f JOIN steadfast.executions x ON x.id = f.next
     WHERE f.position < $2::int
),
chain AS (
    SELECT id, position FROM earlier UNION SELECT id, position FROM later
)
SELECT x.id, x.workflow, x.name, x.status, x.attempts, x.started_at, x.due_at, x.ended_at, x.key,
       x.previous, x.next, x.failed_node, x.message
  FROM chain c
  JOIN steadfast.executions x ON x.id = c.id
 ORDER BY c.position
