SELECT t.id, '' AS place FROM steadfast.tasks t
 WHERE t.id < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
