-- The rules of a channel's fields (docs/contract.md §14.6), each a list of actor keys: known without reading the fields, which can be
-- large, so that what describes channels is cached for callers who are told the same.
ALTER TABLE "channels" ADD COLUMN "field_rules" JSONB NOT NULL
    GENERATED ALWAYS AS (jsonb_path_query_array("fields", '$[*].read') || jsonb_path_query_array("fields", '$[*].write')) STORED;
