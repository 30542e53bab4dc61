-- For one instance at a time; the others have better things to do than to wait for it.
SELECT until FROM steadfast.summed FOR UPDATE SKIP LOCKED
