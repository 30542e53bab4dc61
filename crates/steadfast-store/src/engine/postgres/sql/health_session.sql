-- For one look: it writes nothing, waits for nobody, and does not take long. Local, for behind a
-- pooler the next transaction is another client's.
SET TRANSACTION READ ONLY;
SET LOCAL statement_timeout = '5s';
SET LOCAL lock_timeout = '1s'
