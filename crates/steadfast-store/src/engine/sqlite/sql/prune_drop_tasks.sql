DELETE FROM steadfast_tasks WHERE id IN (SELECT unhex(value) FROM json_each(?1))
