-- A worker that can do some kinds steps over the others in a line, which may be a million: their kinds
-- stand in the line itself. What is there already, and what a program of a version before puts there,
-- has no kind here, and is looked up among the tasks.
ALTER TABLE steadfast_ready ADD COLUMN kind TEXT NOT NULL DEFAULT '';

DROP TRIGGER steadfast_new_is_ready;

CREATE TRIGGER steadfast_new_is_ready AFTER INSERT ON steadfast_tasks
WHEN new.due_at <= new.submitted_at BEGIN
    INSERT INTO steadfast_ready (queue, rank, submitted_at, id, category, kind)
    VALUES (new.queue, -new.priority, new.submitted_at, new.id, new.category, new.kind);
END;
