-- Only for tasks that are as they were when their history was compressed.
INSERT INTO steadfast_packed (id, ended_at, faults, body)
SELECT ended.id, ended.ended_at, made.value ->> 'faults', unhex(made.value ->> 'body')
FROM json_each(?1) AS made
CROSS JOIN steadfast_ended AS ended
    ON ended.status = made.value ->> 'status'
    AND ended.id = unhex(made.value ->> 'id')
    AND ended.ended_at = made.value ->> 'ended_at'
    AND ended.loose = 1
WHERE true
ON CONFLICT (id) DO UPDATE SET
    ended_at = excluded.ended_at,
    faults = excluded.faults,
    body = excluded.body
