-- The same for one category in a queue.
SELECT json_group_array(json_array(rank, submitted_at, hex(id)))
FROM (
    SELECT rank, submitted_at, id
    FROM steadfast_ready AS ready INDEXED BY steadfast_ready_category
    WHERE queue = ?1
        AND category = ?7
        AND (rank, submitted_at, id) > (?2, ?3, ?4)
        AND NOT EXISTS (
            SELECT 1 FROM steadfast_holds AS hold
            WHERE hold.queue = ?1 AND hold.category = ?7 AND hold.until > ?6
        )
        AND (
            ?8 IS NULL
            OR iif(
                ready.kind <> '', ready.kind,
                (SELECT task.kind FROM steadfast_tasks AS task WHERE task.id = ready.id)
            ) IN (SELECT value FROM json_each(?8))
        )
    ORDER BY rank, submitted_at, id
    LIMIT ?5
)
