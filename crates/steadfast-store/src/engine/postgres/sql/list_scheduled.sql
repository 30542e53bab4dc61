SELECT w.id, w.run_at AS sort, (extract(epoch FROM w.run_at) * 1000000)::bigint AS first, 0::bigint AS second
  FROM steadfast.waiting w
 WHERE w.run_at > now() AND w.run_at <= coalesce($8::timestamptz, 'infinity')
   AND (w.run_at, w.id) <= (coalesce($17::timestamptz, 'infinity'), coalesce($16::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
   AND (w.run_at, w.id) > (coalesce($15::timestamptz, '-infinity'),
                           coalesce($12::uuid, '00000000-0000-0000-0000-000000000000'))
