DELETE FROM steadfast_leases
WHERE version IN (SELECT value ->> 0 FROM json_each(?2)) AND tasks <= 0
