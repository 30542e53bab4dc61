UPDATE steadfast.leases SET until = now() + $2::bigint * interval '1 microsecond'
 WHERE version = ANY ($1::bigint[])
RETURNING version
