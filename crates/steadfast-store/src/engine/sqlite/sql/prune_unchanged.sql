-- The tasks that still have the end time with which they were found.
SELECT json_group_array(found.value ->> 0)
FROM json_each(?1) AS found
CROSS JOIN steadfast_ended AS ended
    ON ended.status IN ('completed', 'failed', 'cancelled')
    AND ended.id = unhex(found.value ->> 0)
WHERE ended.ended_at = found.value ->> 1
