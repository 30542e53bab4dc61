DELETE FROM steadfast_faults WHERE id IN (SELECT unhex(value) FROM json_each(?1))
