INSERT INTO steadfast_faults (id, number, at, body)
SELECT ?1, fault.key + 1, fault.value ->> 0, fault.value ->> 1
FROM json_each(?2) AS fault
