-- Stores new entries of one channel as "entryway_create_each" does, by one statement, which is faster for four entries or more, but
-- which Citus would plan anew each time.
CREATE OR REPLACE FUNCTION "entryway_create_entries"(
    "p_site_id" TEXT, "p_lock" BIGINT, "p_channel_uid" UUID, "p_channel_version" INTEGER, "p_fields_version" INTEGER,
    "p_language" REGCONFIG, "p_drafts" JSONB, "p_indexed" JSONB)
RETURNS TABLE ("entry_id" UUID, "outcome" TEXT) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    "v_channel" "entryway_held_channel";
BEGIN
    IF "entryway_is_distributed"() THEN
        RETURN QUERY SELECT c."entry_id", c."outcome" FROM "entryway_create_each"("p_site_id", "p_lock", "p_channel_uid",
            "p_channel_version", "p_fields_version", "p_language", "p_drafts", "p_indexed") AS c;
        RETURN;
    END IF;
    "v_channel" := "entryway_hold_channel"("p_site_id", "p_lock", "p_channel_uid", "p_channel_version");
    IF "v_channel"."id" IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY WITH "new" AS (
        SELECT n.* FROM jsonb_to_recordset("p_drafts") AS n ("id" UUID, "shortId" TEXT, "version" INTEGER, "at" TIMESTAMPTZ,
            "createdAt" TIMESTAMPTZ, "updatedAt" TIMESTAMPTZ, "slug" TEXT, "status" "entry_status", "publishAt" TIMESTAMPTZ, "acl" JSONB,
            "owner" TEXT, "data" JSONB, "kept" JSONB, "title" TEXT, "a" TEXT, "b" TEXT, "c" TEXT,
            "actor" JSONB)
    ), "wanted" AS (
        SELECT i."id", i."field", "entryway_index_key"(i."value", i."key") AS "key",
            CASE WHEN i."unique" THEN "entryway_digest"(i."value") END AS "digest"
        FROM jsonb_to_recordset("p_indexed") AS i ("id" UUID, "field" TEXT, "value" JSONB, "key" TEXT, "unique" BOOLEAN)
    ), "taken" AS (
        SELECT w."id", w."field" FROM "wanted" w JOIN "entry_values" v ON v."field" = w."field" AND v."digest" = w."digest"
        WHERE v."site_id" = "p_site_id" AND v."channel_uid" = "p_channel_uid" AND v."entry_id" <> w."id"
    ), "e" AS (
        INSERT INTO "entries" ("site_id", "id", "channel_uid", "short_id", "version", "created_at", "updated_at", "slug", "status",
            "publish_at", "acl", "owner", "data", "kept", "title", "search", "fields_version", "announced", "sight_version")
        SELECT "p_site_id", n."id", "p_channel_uid", n."shortId", n."version", n."createdAt", n."updatedAt", n."slug", n."status",
            n."publishAt", n."acl", n."owner", n."data", n."kept", left(n."title", 1000),
            "entryway_search_vector"("p_channel_uid", "p_language", n."a", n."b", n."c"), "p_fields_version",
            n."status" <> 'draft' AND (n."publishAt" IS NULL OR n."publishAt" <= n."at"), "v_channel"."sight_version"
        FROM "new" n WHERE NOT EXISTS (SELECT FROM "taken" t WHERE t."id" = n."id")
        ORDER BY n."slug"
        ON CONFLICT DO NOTHING
        RETURNING *
    ), "recorded" AS (
        INSERT INTO "changes" ("site_id", "type", "at", "channel_uid", "channel", "entry_id", "version", "publication",
            "after_sights", "after_open", "after_owner", "after_grant", "after_deny", "actor")
        SELECT "p_site_id", 'entry.created', n."at", "p_channel_uid", "v_channel"."id", e."id", e."version",
            CASE WHEN "v_channel"."publishable" AND e."announced" THEN TRUE END,
            "v_channel"."sight", e."announced", e."owner", nullif(e."read_grant", '{}'), nullif(e."read_deny", '{}'), n."actor"
        FROM "e" JOIN "new" n ON n."id" = e."id"
    ), "stored" AS (
        INSERT INTO "entry_values" ("site_id", "entry_id", "channel_uid", "field", "key", "digest")
        SELECT "p_site_id", w."id", "p_channel_uid", w."field", w."key", w."digest" FROM "wanted" w JOIN "e" ON e."id" = w."id"
        ORDER BY w."field", w."digest", w."id"
    )
    SELECT n."id", CASE
        WHEN e."id" IS NOT NULL THEN concat_ws(E'\n', 'stored',
            concat_ws(',', e."id", e."short_id", e."slug", e."version", e."status", e."size", e."fields_version", e."created_at",
                e."updated_at", e."publish_at"), e."acl", e."data", e."kept", e."title")
        WHEN EXISTS (SELECT FROM "taken" t WHERE t."id" = n."id")
            THEN E'taken\n' || (SELECT string_agg(t."field", E'\n') FROM "taken" t WHERE t."id" = n."id")
        ELSE 'duplicate' END
    FROM "new" n LEFT JOIN "e" ON e."id" = n."id";
END
$$;
