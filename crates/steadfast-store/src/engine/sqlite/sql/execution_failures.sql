-- The failures of tasks: the reason and the last fault.
SELECT
    ended.id, ended.reason, progress.message AS last_message,
    (SELECT body FROM steadfast_packed WHERE id = ended.id) AS packed,
    (
        SELECT json_group_array(json_array(at, body))
        FROM (
            SELECT at, body FROM steadfast_faults WHERE id = ended.id
            ORDER BY number DESC LIMIT 1
        )
    ) AS faults
FROM json_each(?1) AS wanted
CROSS JOIN steadfast_ended AS ended
    ON ended.status = 'failed' AND ended.id = unhex(wanted.value)
LEFT JOIN steadfast_progress AS progress ON progress.id = ended.id
