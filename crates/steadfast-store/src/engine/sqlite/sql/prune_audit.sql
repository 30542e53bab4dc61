-- Scans no more than one batch of the oldest entries.
DELETE FROM steadfast_audit
WHERE number IN (SELECT number FROM steadfast_audit ORDER BY number LIMIT ?2)
    AND at < ?1
RETURNING number, action
