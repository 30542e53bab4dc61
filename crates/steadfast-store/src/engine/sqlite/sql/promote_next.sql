SELECT min(due_at) FROM steadfast_waiting
