-- Deletes the rows of the histories that were just compressed.
DELETE FROM steadfast_faults
WHERE id IN (
    SELECT ended.id
    FROM json_each(?1) AS made
    CROSS JOIN steadfast_ended AS ended
        ON ended.status = made.value ->> 'status'
        AND ended.id = unhex(made.value ->> 'id')
        AND ended.ended_at = made.value ->> 'ended_at'
        AND ended.loose = 1
)
