-- The executions among these that have ended, and that nobody can have go on again meanwhile.
SELECT x.id FROM steadfast.executions x
 WHERE x.id = ANY ($1::uuid[]) AND x.status <> 'running'
 ORDER BY x.id FOR NO KEY UPDATE
