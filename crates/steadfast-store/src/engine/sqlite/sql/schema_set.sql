INSERT INTO steadfast_schema (version, applied_at) VALUES (?1, datetime('now'))
