DELETE FROM steadfast_nodes WHERE execution IN (SELECT unhex(value) FROM json_each(?1))
