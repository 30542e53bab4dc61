-- The number of tasks, from the first on, up to a number of bytes of documents. Only lengths are read, which
-- are at the head of a row.
SELECT count(*)
FROM (
    SELECT sum(size) OVER (ORDER BY position) - size AS before
    FROM (
        SELECT wanted.key AS position,
            coalesce(octet_length(task.payload), 0) + coalesce(octet_length(ended.result), 0) AS size
        FROM json_each(?1) AS wanted
        LEFT JOIN steadfast_tasks AS task ON task.id = unhex(wanted.value)
        LEFT JOIN steadfast_ended AS ended
            ON ended.status IN ('completed', 'failed', 'cancelled') AND ended.id = task.id
    )
)
WHERE before < ?2
