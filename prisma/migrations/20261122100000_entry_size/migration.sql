-- How many bytes an entry's values and access list have as JSON: known before they are read, so that a list that would be too
-- large for the process is refused and not read (contract §5). This rewrites the table.
ALTER TABLE "entries" ADD COLUMN "size" INTEGER NOT NULL
    GENERATED ALWAYS AS (octet_length("data"::text) + octet_length("kept"::text) + octet_length("acl"::text)) STORED;
