DELETE FROM steadfast_workers WHERE name = ?1 AND instance = ?2
