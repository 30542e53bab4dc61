-- A worker that can do some kinds steps over the others in a line, which may be a million: their kinds
-- stand in the line itself. What is there already, and what an instance of a version before puts there,
-- has no kind here, and is looked up among the tasks.
ALTER TABLE steadfast.ready ADD COLUMN kind text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE steadfast.waiting ADD COLUMN kind text COLLATE "C" NOT NULL DEFAULT '';
