UPDATE steadfast_leases SET until = ?2 WHERE version IN (SELECT value FROM json_each(?1))
