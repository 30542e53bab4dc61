CREATE SCHEMA IF NOT EXISTS steadfast;
CREATE TABLE steadfast.schema_versions (
    version    bigint PRIMARY KEY,
    applied_at timestamptz NOT NULL DEFAULT now()
);
