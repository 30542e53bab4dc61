-- Tasks that differ only in id and payload. The ids are one blob, the payloads a list. A held category delays
-- its tasks.
INSERT INTO steadfast_tasks (
    id, queue, priority, policy, submitted_at, due_at, expires_at, hold_category,
    kind, category, payload
)
SELECT
    substr(?1, payload.key * 16 + 1, 16),
    ?3, ?4, ?5, ?6,
    max(?7, coalesce(
        (SELECT until FROM steadfast_holds WHERE queue = ?3 AND category = ?11 AND until > ?6),
        ?7
    )),
    ?8, ?9, ?10, ?11,
    payload.value
FROM json_each(?2) AS payload
