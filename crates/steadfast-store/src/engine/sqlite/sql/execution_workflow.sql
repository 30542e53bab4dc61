SELECT number, name, body, kept_at FROM steadfast_workflows WHERE number = ?1
