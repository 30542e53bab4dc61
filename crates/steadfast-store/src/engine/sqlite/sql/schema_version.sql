SELECT coalesce(max(version), 0) FROM steadfast_schema
