-- Deletes the claimed tasks from the pending ones, by their keys.
DELETE FROM steadfast_ready
WHERE (queue, rank, submitted_at, id) IN (
    SELECT value ->> 0, value ->> 1, value ->> 2, unhex(value ->> 3) FROM json_each(?3)
)
