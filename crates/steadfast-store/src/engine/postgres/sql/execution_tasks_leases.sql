-- Locks the leases of some tasks.
SELECT FROM steadfast.leases WHERE tasks && $1::uuid[] ORDER BY version FOR UPDATE
