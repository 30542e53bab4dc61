SELECT count(*) FROM steadfast_running WHERE id = ?1 AND version = ?2
