SELECT json_group_array(value)
FROM json_each(?1)
WHERE NOT EXISTS (SELECT 1 FROM steadfast_leases WHERE version = value)
