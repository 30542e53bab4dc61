-- Categories that need not wait any more.
DELETE FROM steadfast.holds WHERE until <= now()
