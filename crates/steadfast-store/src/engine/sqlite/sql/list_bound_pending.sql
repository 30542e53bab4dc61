SELECT rank, submitted_at, id
FROM steadfast_ready
WHERE queue = ?5 AND (rank, submitted_at, id) > (?3, ?4, ?1)
ORDER BY rank, submitted_at, id
LIMIT 1 OFFSET ?2
