INSERT INTO steadfast_faults (id, number, at, body)
SELECT
    unhex(step.value ->> 'id'),
    coalesce(progress.faults, 0) + 1,
    ?2,
    step.value ->> 'fault'
FROM json_each(?1) AS step
LEFT JOIN steadfast_progress AS progress ON progress.id = unhex(step.value ->> 'id')
WHERE step.value ->> 'fault' IS NOT NULL
