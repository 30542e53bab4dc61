-- One read-only transaction with time limits. Local, because behind a pooler the next transaction belongs to
-- another client.
SET TRANSACTION READ ONLY;
SET LOCAL statement_timeout = '5s';
SET LOCAL lock_timeout = '1s'
