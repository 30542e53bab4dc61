UPDATE steadfast_tasks SET expires_at = ?2 WHERE id = ?1
