SELECT e.id, '' AS place FROM steadfast.ended e
 WHERE e.outcome = 'failed' AND e.id < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
