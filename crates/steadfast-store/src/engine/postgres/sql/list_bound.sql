-- The bound of a list is the task that is so many places behind where it goes on.
SELECT d.id, d.first, d.second FROM (/* driver */) AS d ORDER BY /* order */ OFFSET $3 LIMIT 1
