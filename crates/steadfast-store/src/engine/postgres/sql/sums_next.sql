-- When the next session ended, from $1 on.
SELECT least((SELECT min(ended_at) FROM steadfast.ended WHERE ended_at >= $1),
             (SELECT min(at) FROM steadfast.records WHERE kind = 'session' AND at >= $1))
