SELECT e.id, '' AS place FROM steadfast.ended e
 WHERE e.outcome = 'completed' AND e.id < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
