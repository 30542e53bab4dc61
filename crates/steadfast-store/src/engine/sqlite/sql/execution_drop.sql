DELETE FROM steadfast_executions WHERE id IN (SELECT unhex(value) FROM json_each(?1))
