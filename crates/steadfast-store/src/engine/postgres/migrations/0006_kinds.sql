-- A worker with handlers for some kinds skips tasks of other kinds, perhaps a million, so the rows that a
-- claim scans have the kind. It is empty in rows written before this migration or by an instance of an
-- earlier version; a claim then reads the kind from `tasks`.
ALTER TABLE steadfast.ready ADD COLUMN kind text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE steadfast.waiting ADD COLUMN kind text COLLATE "C" NOT NULL DEFAULT '';
