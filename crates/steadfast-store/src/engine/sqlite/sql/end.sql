INSERT INTO steadfast_ended (status, id, ended_at, loose, reason, result)
SELECT
    ending.value ->> 'status',
    unhex(ending.value ->> 'id'),
    ?2,
    EXISTS (SELECT 1 FROM steadfast_faults WHERE id = unhex(ending.value ->> 'id')),
    ending.value ->> 'reason',
    ending.value ->> 'result'
FROM json_each(?1) AS ending
