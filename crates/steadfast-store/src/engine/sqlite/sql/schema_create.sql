CREATE TABLE IF NOT EXISTS steadfast_schema (version INTEGER PRIMARY KEY, applied_at TEXT) STRICT
