UPDATE steadfast_ends SET completed = completed + ?3, failed = failed + ?4, cancelled = cancelled + ?5
