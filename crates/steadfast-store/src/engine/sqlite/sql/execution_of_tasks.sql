SELECT DISTINCT node.execution
FROM json_each(?1) AS wanted
CROSS JOIN steadfast_nodes AS node INDEXED BY steadfast_nodes_submitted
    ON node.task = unhex(wanted.value) AND node.status = 'submitted'
