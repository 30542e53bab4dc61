DELETE FROM steadfast_progress WHERE id IN (SELECT unhex(value) FROM json_each(?1))
