-- Executions with submitted nodes whose tasks have ended since. Without submitted nodes nothing is read.
SELECT DISTINCT node.execution
FROM steadfast_ended AS ended INDEXED BY steadfast_ended_age
CROSS JOIN steadfast_nodes AS node INDEXED BY steadfast_nodes_submitted
    ON node.task = ended.id AND node.status = 'submitted'
WHERE ended.status IN ('completed', 'failed', 'cancelled') AND ended.ended_at > ?1
    AND EXISTS (SELECT 1 FROM steadfast_nodes WHERE status = 'submitted')
LIMIT ?2
