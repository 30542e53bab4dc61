DELETE FROM steadfast_ended
WHERE status IN ('completed', 'failed', 'cancelled')
    AND id IN (SELECT unhex(value) FROM json_each(?1))
