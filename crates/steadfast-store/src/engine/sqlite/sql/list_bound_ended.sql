SELECT 0, 0, id FROM steadfast_ended WHERE id < ?1 AND status = ?3 ORDER BY id DESC LIMIT 1 OFFSET ?2
