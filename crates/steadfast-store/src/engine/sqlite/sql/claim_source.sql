-- The first pending tasks of a queue after a cursor, of all kinds or of these. A held category only has tasks
-- here that were made due by an operator; they are skipped.
SELECT json_group_array(json_array(rank, submitted_at, hex(id)))
FROM (
    SELECT rank, submitted_at, id
    FROM steadfast_ready AS ready
    WHERE queue = ?1
        AND (rank, submitted_at, id) > (?2, ?3, ?4)
        AND (
            ?8 IS NULL
            OR iif(
                ready.kind <> '', ready.kind,
                (SELECT task.kind FROM steadfast_tasks AS task WHERE task.id = ready.id)
            ) IN (SELECT value FROM json_each(?8))
        )
        AND NOT EXISTS (
            SELECT 1 FROM steadfast_holds AS hold
            WHERE hold.queue = ready.queue AND hold.category = ready.category AND hold.until > ?6
        )
    ORDER BY rank, submitted_at, id
    LIMIT ?5
)
