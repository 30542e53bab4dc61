INSERT INTO steadfast_leases (owner, until, tasks) VALUES (?1, ?2, ?3) RETURNING version
