SELECT e.id, '' AS place FROM steadfast.ended e
 WHERE e.outcome = 'cancelled' AND e.id < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
