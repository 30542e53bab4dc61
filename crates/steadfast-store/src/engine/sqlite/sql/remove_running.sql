DELETE FROM steadfast_running WHERE id IN (SELECT unhex(value) FROM json_each(?1))
