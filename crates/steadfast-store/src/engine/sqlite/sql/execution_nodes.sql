-- The nodes of an execution, with their results up to a number of bytes, and its version.
SELECT
    number, task, status, began_at, ended_at, message,
    CASE WHEN so_far <= ?2 THEN result END AS result,
    CASE WHEN so_far > ?2 THEN octet_length(result) END AS left_out,
    (SELECT version FROM steadfast_executions WHERE id = ?1) AS version
FROM (
    SELECT *, sum(coalesce(octet_length(result), 0)) OVER (ORDER BY number) AS so_far
    FROM steadfast_nodes
    WHERE execution = ?1
)
ORDER BY number
