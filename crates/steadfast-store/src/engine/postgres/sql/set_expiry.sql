UPDATE steadfast.tasks t SET expires_at = $2
 WHERE t.id = $1 AND NOT EXISTS (SELECT FROM steadfast.ended e WHERE e.id = t.id)
