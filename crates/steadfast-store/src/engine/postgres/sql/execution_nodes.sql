-- The nodes of an execution, with their results up to a number of bytes, and its version.
SELECT number, task, status, began_at, ended_at, message,
       CASE WHEN so_far <= $2 THEN result::text END AS result,
       CASE WHEN so_far > $2 THEN bytes::bigint END AS left_out,
       (SELECT version FROM steadfast.executions WHERE id = $1) AS version
  FROM (
    SELECT n.*, size.bytes, sum(coalesce(size.bytes, 0)) OVER (ORDER BY n.number) AS so_far
      FROM steadfast.nodes n CROSS JOIN LATERAL (SELECT octet_length(n.result::text)) AS size (bytes)
     WHERE n.execution = $1
  ) sized
 ORDER BY number
