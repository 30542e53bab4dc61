-- A worker with handlers for some kinds skips tasks of other kinds, perhaps a million, so the rows that a
-- claim scans have the kind. It is empty in rows written before this migration or by a program of an
-- earlier version; a claim then reads the kind from `tasks`.
ALTER TABLE steadfast_ready ADD COLUMN kind TEXT NOT NULL DEFAULT '';

DROP TRIGGER steadfast_new_is_ready;

CREATE TRIGGER steadfast_new_is_ready AFTER INSERT ON steadfast_tasks
WHEN new.due_at <= new.submitted_at BEGIN
    INSERT INTO steadfast_ready (queue, rank, submitted_at, id, category, kind)
    VALUES (new.queue, -new.priority, new.submitted_at, new.id, new.category, new.kind);
END;
