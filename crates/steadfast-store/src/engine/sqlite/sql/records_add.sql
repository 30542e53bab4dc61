INSERT INTO steadfast_records (kind, at, body)
SELECT value ->> 0, ?2, value ->> 1 FROM json_each(?1)
