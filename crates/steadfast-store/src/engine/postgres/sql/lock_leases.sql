SELECT version FROM steadfast.leases WHERE version = ANY ($1::bigint[]) ORDER BY version FOR UPDATE
