-- The last row of a bounded scan.
SELECT 0, 0, id FROM steadfast_tasks WHERE id < ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2
