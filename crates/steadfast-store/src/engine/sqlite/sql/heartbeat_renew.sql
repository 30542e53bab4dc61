-- A lease is of many tasks, whose heartbeats may ask for less than it has.
UPDATE steadfast_leases SET until = max(until, ?2) WHERE version IN (SELECT value FROM json_each(?1))
