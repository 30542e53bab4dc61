-- Back to the first existing execution and forward to the last, up to a limit either way.
WITH RECURSIVE back AS (
    SELECT x.id, x.previous, 0 AS place FROM steadfast.executions x WHERE x.id = $1
    UNION ALL
    SELECT x.id, x.previous, b.place - 1 FROM back b JOIN steadfast.executions x ON x.id = b.previous
     WHERE b.place > -$2::int
),
forth AS (
    SELECT x.id, x.next, 0 AS place FROM steadfast.executions x WHERE x.id = $1
    UNION ALL
    SELECT x.id, x.next, f.place + 1 FROM forth f JOIN steadfast.executions x ON x.id = f.next
     WHERE f.place < $2::int
),
chain AS (
    SELECT id, place FROM back UNION SELECT id, place FROM forth
)
SELECT x.id, x.workflow, x.name, x.status, x.attempts, x.started_at, x.due_at, x.ended_at, x.key,
       x.previous, x.next, x.failed_node, x.message
  FROM chain c
  JOIN steadfast.executions x ON x.id = c.id
 ORDER BY c.place
