-- The lease that a running task is held under.
SELECT l.version, l.worker, l.until FROM steadfast.leases l
 WHERE $1 = ANY (l.tasks) AND get_bit(l.done, array_position(l.tasks, $1) - 1) = 0
