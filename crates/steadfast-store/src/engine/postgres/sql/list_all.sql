SELECT t.id, 0::bigint AS first, 0::bigint AS second FROM steadfast.tasks t
 WHERE t.id < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
   AND t.id >= coalesce($16::uuid, '00000000-0000-0000-0000-000000000000')
