-- Whose a key is, and whether it is the same work.
SELECT id, workflow = ?2 AND started_with = ?3 FROM steadfast_executions WHERE key = ?1
