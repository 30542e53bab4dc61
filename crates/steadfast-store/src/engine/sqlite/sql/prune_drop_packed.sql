DELETE FROM steadfast_packed WHERE id IN (SELECT unhex(value) FROM json_each(?1))
