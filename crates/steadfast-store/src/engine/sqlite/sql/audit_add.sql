INSERT INTO steadfast_audit (at, actor, origin, action, target, detail)
VALUES (?1, ?2, ?3, ?4, ?5, ?6)
