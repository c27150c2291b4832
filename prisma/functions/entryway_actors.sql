-- The actor keys, in their long form, for which an access list says `allowed` to `action` (docs/contract.md §3).
CREATE OR REPLACE FUNCTION "entryway_actors"("acl" JSONB, "action" TEXT, "allowed" BOOLEAN) RETURNS TEXT[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    IF "acl" = '{}' THEN
        RETURN '{}';
    END IF;
    RETURN ARRAY(
        SELECT CASE WHEN "key" IN ('*', 'users') OR "key" LIKE 'id:%' OR "key" LIKE 'role:%' THEN "key" ELSE 'id:' || "key" END
        FROM jsonb_each("acl") WHERE "value" -> "action" = to_jsonb("allowed") ORDER BY 1);
END
$$;
