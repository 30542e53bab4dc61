SELECT count(*) FROM sqlite_schema WHERE name = 'steadfast_schema'
