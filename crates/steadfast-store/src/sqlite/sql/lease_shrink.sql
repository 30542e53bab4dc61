UPDATE steadfast_leases SET tasks = tasks - (given.value ->> 1)
FROM json_each(?1) AS given
WHERE version = given.value ->> 0
