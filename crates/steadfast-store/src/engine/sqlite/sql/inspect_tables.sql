SELECT name FROM sqlite_schema
WHERE type = 'table' AND name LIKE 'steadfast\_%' ESCAPE '\' AND name <> 'steadfast_schema'
ORDER BY name
