SELECT coalesce(max(version), 0) FROM steadfast.schema_versions
