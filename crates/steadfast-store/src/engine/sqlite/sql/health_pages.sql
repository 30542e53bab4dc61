SELECT size.page_size AS size, total.page_count AS count, empty.freelist_count AS free
FROM pragma_page_size AS size, pragma_page_count AS total, pragma_freelist_count AS empty
