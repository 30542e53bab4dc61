SELECT g.id, 0::bigint AS first, 0::bigint AS second FROM steadfast.leases l CROSS JOIN LATERAL unnest(l.tasks) WITH ORDINALITY AS g (id, slot)
 WHERE get_bit(l.done, g.slot::int - 1) = 0 AND g.id < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
