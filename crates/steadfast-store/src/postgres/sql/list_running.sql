SELECT g.id, '0' AS place FROM steadfast.leases l CROSS JOIN LATERAL unnest(l.tasks) AS g (id)
 WHERE g.id < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
