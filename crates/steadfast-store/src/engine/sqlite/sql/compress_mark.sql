UPDATE steadfast_ended SET loose = 0
FROM json_each(?1) AS made
WHERE steadfast_ended.status = made.value ->> 'status'
    AND steadfast_ended.id = unhex(made.value ->> 'id')
    AND steadfast_ended.ended_at = made.value ->> 'ended_at'
