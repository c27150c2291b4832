-- The outcome of a write that stored an entry. A statement that writes returns columns, of which this is made afterwards: only then
-- Citus keeps its plan.
CREATE OR REPLACE FUNCTION "entryway_stored"("entry" RECORD) RETURNS TEXT LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN concat_ws(E'\n', 'stored',
        concat_ws(',', "entry"."id", "entry"."short_id", "entry"."slug", "entry"."version", "entry"."status", "entry"."size",
            "entry"."fields_version", "entry"."created_at", "entry"."updated_at", "entry"."publish_at"),
        "entry"."acl", "entry"."data", "entry"."kept", "entry"."title");
END
$$;
