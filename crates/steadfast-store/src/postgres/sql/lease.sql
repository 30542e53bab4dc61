-- The lease that a running task is held under: of those that list it, the one that it has not
-- been settled under.
SELECT l.version, l.worker, l.until FROM steadfast.leases l JOIN steadfast.tasks t ON t.id = $1
 WHERE $1 = ANY (l.tasks) AND l.version > t.settled
