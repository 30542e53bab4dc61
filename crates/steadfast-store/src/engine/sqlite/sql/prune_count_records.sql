SELECT count(*) FROM steadfast_records WHERE kind = ?1
