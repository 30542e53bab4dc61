-- A task that waits although its time has come counts as pending.
SELECT
    ready.tasks + late.tasks AS pending,
    (SELECT coalesce(sum(waiting), 0) FROM steadfast_queues) - late.tasks AS scheduled,
    (
        SELECT count(*) FROM steadfast_waiting
        WHERE due_at > ?1 AND due_at <= ?1 + 3600 * 1000000
    ) AS due_in_an_hour,
    (
        SELECT count(*) FROM steadfast_waiting
        WHERE due_at > ?1 AND due_at <= ?1 + 24 * 3600 * 1000000
    ) AS due_in_24_hours,
    (SELECT count(*) FROM steadfast_running) AS running,
    (SELECT count(*) FROM steadfast_ended WHERE status = 'completed') AS completed,
    (SELECT count(*) FROM steadfast_ended WHERE status = 'failed') AS failed,
    (SELECT count(*) FROM steadfast_ended WHERE status = 'cancelled') AS cancelled,
    (SELECT min(due_at) FROM steadfast_waiting WHERE due_at > ?1) AS next_due,
    min(coalesce(ready.oldest, late.oldest), coalesce(late.oldest, ready.oldest)) AS oldest_pending
FROM
    (SELECT count(*) AS tasks, min(submitted_at) AS oldest FROM steadfast_ready) AS ready,
    (
        SELECT count(*) AS tasks, min(task.submitted_at) AS oldest
        FROM steadfast_waiting AS place
        CROSS JOIN steadfast_tasks AS task ON task.id = place.id
        WHERE place.due_at <= ?1
    ) AS late
