-- Who did it: the author of each change of the feed (docs/contract.md §9.1), as JSON in which a member that does not apply is absent.
-- Changes of processes of the release before have none.
ALTER TABLE "changes" ADD COLUMN "actor" JSONB;
ALTER TABLE "webhook_events" ADD COLUMN "actor" JSONB;
ALTER TABLE "webhook_deliveries" ADD COLUMN "actor" JSONB;
-- The author of a channel's last change, with the version that the channel has by it, for the triggers that record changes of channels.
ALTER TABLE "channels" ADD COLUMN "changed_by" JSONB;

-- From here on written from prisma/functions/ by `npm run migration`.

-- Stores new entries of one channel where the tables are distributed: their rows in the order of their slugs, and those of the side table
-- in the order of their values, so that concurrent calls cannot deadlock. "p_indexed" has the values of the side table, with the ids of
-- their entries. No row: the channel has another version.
CREATE OR REPLACE FUNCTION "entryway_create_each"(
    "p_site_id" TEXT, "p_lock" BIGINT, "p_channel_uid" UUID, "p_channel_version" INTEGER, "p_fields_version" INTEGER,
    "p_language" REGCONFIG, "p_drafts" JSONB, "p_indexed" JSONB)
RETURNS TABLE ("entry_id" UUID, "outcome" TEXT) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    "v_channel" "entryway_held_channel" := "entryway_hold_channel"("p_site_id", "p_lock", "p_channel_uid", "p_channel_version");
    "v_new" RECORD;
    "v_entry" RECORD;
    "v_value" RECORD;
    -- By the ids of entries, the unique fields whose values others have, a line for each.
    "v_taken" JSONB := '{}';
    "v_stored" UUID[] := '{}';
    "v_search" TSVECTOR;
    "v_open" BOOLEAN;
    "v_number" BIGINT;
BEGIN
    IF "v_channel"."id" IS NULL THEN
        RETURN;
    END IF;
    FOR "v_value" IN
        SELECT i."id", i."field", "entryway_digest"(i."value") AS "digest"
        FROM jsonb_to_recordset("p_indexed") AS i ("id" UUID, "field" TEXT, "value" JSONB, "key" TEXT, "unique" BOOLEAN) WHERE i."unique"
    LOOP
        PERFORM v."entry_id" FROM "entry_values" v WHERE v."site_id" = "p_site_id" AND v."channel_uid" = "p_channel_uid"
            AND v."field" = "v_value"."field" AND v."digest" = "v_value"."digest" AND v."entry_id" <> "v_value"."id" LIMIT 1;
        IF FOUND THEN
            "v_taken" := "v_taken" || jsonb_build_object("v_value"."id",
                concat_ws(E'\n', "v_taken" ->> "v_value"."id"::TEXT, "v_value"."field"));
        END IF;
    END LOOP;
    FOR "v_new" IN
        SELECT n.* FROM jsonb_to_recordset("p_drafts") AS n ("id" UUID, "shortId" TEXT, "version" INTEGER, "at" TIMESTAMPTZ,
            "createdAt" TIMESTAMPTZ, "updatedAt" TIMESTAMPTZ, "slug" TEXT, "status" "entry_status", "publishAt" TIMESTAMPTZ, "acl" JSONB,
            "owner" TEXT, "data" JSONB, "kept" JSONB, "title" TEXT, "a" TEXT, "b" TEXT, "c" TEXT,
            "actor" JSONB)
        ORDER BY n."slug"
    LOOP
        "entry_id" := "v_new"."id";
        IF "v_taken" ? "v_new"."id"::TEXT THEN
            "outcome" := E'taken\n' || ("v_taken" ->> "v_new"."id"::TEXT);
            RETURN NEXT;
            CONTINUE;
        END IF;
        "v_open" := "v_new"."status" <> 'draft' AND ("v_new"."publishAt" IS NULL OR "v_new"."publishAt" <= "v_new"."at");
        "v_search" := "entryway_search_vector"("p_channel_uid", "p_language", "v_new"."a", "v_new"."b", "v_new"."c");
        INSERT INTO "entries" AS e ("site_id", "id", "channel_uid", "short_id", "version", "created_at", "updated_at", "slug", "status",
            "publish_at", "acl", "owner", "data", "kept", "title", "search", "fields_version", "announced", "sight_version")
        VALUES ("p_site_id", "v_new"."id", "p_channel_uid", "v_new"."shortId", "v_new"."version", "v_new"."createdAt",
            "v_new"."updatedAt", "v_new"."slug", "v_new"."status", "v_new"."publishAt", "v_new"."acl", "v_new"."owner", "v_new"."data",
            "v_new"."kept", left("v_new"."title", 1000), "v_search", "p_fields_version", "v_open", "v_channel"."sight_version")
        ON CONFLICT DO NOTHING
        RETURNING e."id", e."short_id", e."slug", e."version", e."status", e."size", e."fields_version", e."created_at",
            e."updated_at", e."publish_at", e."acl", e."data", e."kept", e."title", e."read_grant", e."read_deny" INTO "v_entry";
        IF NOT FOUND THEN
            "outcome" := 'duplicate';
            RETURN NEXT;
            CONTINUE;
        END IF;
        "v_number" := "entryway_record_number"();
        INSERT INTO "changes" ("site_id", "position", "type", "at", "channel_uid", "channel", "entry_id", "version", "publication",
            "after_sights", "after_open", "after_owner", "after_grant", "after_deny", "actor")
        VALUES ("p_site_id", "v_number", 'entry.created', "v_new"."at", "p_channel_uid", "v_channel"."id", "v_new"."id",
            "v_new"."version", CASE WHEN "v_channel"."publishable" AND "v_open" THEN TRUE END, "v_channel"."sight", "v_open",
            "v_new"."owner", nullif("v_entry"."read_grant", '{}'), nullif("v_entry"."read_deny", '{}'), "v_new"."actor");
        "v_stored" := "v_stored" || "v_new"."id";
        "outcome" := "entryway_stored"("v_entry");
        RETURN NEXT;
    END LOOP;
    FOR "v_value" IN
        SELECT w.* FROM (
            SELECT i."id", i."field", "entryway_index_key"(i."value", i."key") AS "key",
                CASE WHEN i."unique" THEN "entryway_digest"(i."value") END AS "digest"
            FROM jsonb_to_recordset("p_indexed") AS i ("id" UUID, "field" TEXT, "value" JSONB, "key" TEXT, "unique" BOOLEAN)) AS w
        WHERE w."id" = ANY("v_stored") ORDER BY w."field", w."digest", w."id"
    LOOP
        INSERT INTO "entry_values" ("site_id", "entry_id", "channel_uid", "field", "key", "digest")
        VALUES ("p_site_id", "v_value"."id", "p_channel_uid", "v_value"."field", "v_value"."key", "v_value"."digest");
    END LOOP;
END
$$;

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

-- Stores a new entry. "p_at" is the time of its record, "p_actor" the author of it.
CREATE OR REPLACE FUNCTION "entryway_create_entry"(
    "p_site_id" TEXT, "p_lock" BIGINT, "p_channel_uid" UUID, "p_channel_version" INTEGER, "p_fields_version" INTEGER,
    "p_language" REGCONFIG, "p_at" TIMESTAMPTZ, "p_id" UUID, "p_short_id" TEXT, "p_version" INTEGER,
    "p_created_at" TIMESTAMPTZ, "p_updated_at" TIMESTAMPTZ, "p_slug" TEXT, "p_status" "entry_status", "p_publish_at" TIMESTAMPTZ,
    "p_acl" JSONB, "p_owner" TEXT, "p_data" JSONB, "p_kept" JSONB, "p_title" TEXT, "p_a" TEXT, "p_b" TEXT, "p_c" TEXT,
    "p_fields" TEXT[], "p_values" JSONB[], "p_keys" TEXT[], "p_uniques" BOOLEAN[],
    "p_actor" JSONB DEFAULT NULL)
RETURNS TEXT LANGUAGE plpgsql AS $$
DECLARE
    "v_channel" "entryway_held_channel" := "entryway_hold_channel"("p_site_id", "p_lock", "p_channel_uid", "p_channel_version");
    "v_entry" RECORD;
    "v_digests" BYTEA[] := "entryway_digests"("p_values", "p_uniques");
    "v_taken" TEXT[];
    "v_open" BOOLEAN := "p_status" <> 'draft' AND ("p_publish_at" IS NULL OR "p_publish_at" <= "p_at");
    "v_number" BIGINT;
    "v_search" TSVECTOR;
BEGIN
    IF "v_channel"."id" IS NULL THEN
        RETURN 'stale';
    END IF;
    IF "v_digests" IS NOT NULL THEN
        "v_taken" := "entryway_taken_fields"("p_site_id", "p_channel_uid", "p_id", "p_fields", "v_digests");
        IF "v_taken" <> '{}' THEN
            RETURN E'taken\n' || array_to_string("v_taken", E'\n');
        END IF;
    END IF;
    "v_search" := "entryway_search_vector"("p_channel_uid", "p_language", "p_a", "p_b", "p_c");
    INSERT INTO "entries" AS e ("site_id", "id", "channel_uid", "short_id", "version", "created_at", "updated_at", "slug", "status",
        "publish_at", "acl", "owner", "data", "kept", "title", "search", "fields_version", "announced", "sight_version")
    VALUES ("p_site_id", "p_id", "p_channel_uid", "p_short_id", "p_version", "p_created_at", "p_updated_at", "p_slug", "p_status",
        "p_publish_at", "p_acl", "p_owner", "p_data", "p_kept", left("p_title", 1000),
        "v_search", "p_fields_version", "v_open",
        "v_channel"."sight_version")
    ON CONFLICT DO NOTHING
    RETURNING e."id", e."short_id", e."slug", e."version", e."status", e."size", e."fields_version", e."created_at",
        e."updated_at", e."publish_at", e."acl", e."data", e."kept", e."title", e."read_grant", e."read_deny" INTO "v_entry";
    IF NOT FOUND THEN
        RETURN 'duplicate';
    END IF;
    "v_number" := "entryway_record_number"();
    INSERT INTO "changes" ("site_id", "position", "type", "at", "channel_uid", "channel", "entry_id", "version", "publication",
        "after_sights", "after_open", "after_owner", "after_grant", "after_deny", "actor")
    VALUES ("p_site_id", "v_number", 'entry.created', "p_at", "p_channel_uid", "v_channel"."id", "p_id", "p_version",
        CASE WHEN "v_channel"."publishable" AND "v_open" THEN TRUE END, "v_channel"."sight", "v_open",
        "p_owner", nullif("v_entry"."read_grant", '{}'), nullif("v_entry"."read_deny", '{}'), "p_actor");
    IF cardinality("p_fields") > 0 THEN
        PERFORM "entryway_store_values"("p_site_id", "p_id", "p_channel_uid", "p_fields", "p_values", "p_keys", "v_digests");
    END IF;
    RETURN "entryway_stored"("v_entry");
END
$$;

-- Records that the time of an entry has come, where its channel was publishable then. The author is the service, whoever writes meanwhile.
CREATE OR REPLACE FUNCTION "entryway_record_publication"(
    "p_site_id" TEXT, "p_channel_uid" UUID, "p_channel" TEXT, "p_entry" "entryway_past_entry", "p_before" SMALLINT, "p_sight" SMALLINT)
RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
    "v_number" BIGINT;
BEGIN
    IF "p_sight" & 170 = 0 THEN
        RETURN;
    END IF;
    "v_number" := "entryway_record_number"();
    INSERT INTO "changes" ("site_id", "position", "type", "at", "channel_uid", "channel", "entry_id", "version",
        "before_sights", "before_open", "before_owner", "before_grant", "before_deny",
        "after_sights", "after_open", "after_owner", "after_grant", "after_deny", "actor")
    VALUES ("p_site_id", "v_number", 'entry.published', "p_entry"."publish_at", "p_channel_uid", "p_channel", "p_entry"."id",
        "p_entry"."version",
        "p_before", FALSE, "p_entry"."owner", nullif("p_entry"."read_grant", '{}'), nullif("p_entry"."read_deny", '{}'),
        "p_sight", TRUE, "p_entry"."owner", nullif("p_entry"."read_grant", '{}'), nullif("p_entry"."read_deny", '{}'),
        '{"kind": "service"}'::JSONB);
END
$$;

-- Records what happened to an entry since it was written last, in the order of the times: its publication, if that is not recorded yet and
-- "p_is_open" says that its time has come, and that it was under earlier sights of its channel. The caller notes in the entry that this is
-- recorded, or writes the entry. The author of these records is the service: nobody wrote the entry then.
CREATE OR REPLACE FUNCTION "entryway_record_past"(
    "p_site_id" TEXT, "p_channel_uid" UUID, "p_entry" "entryway_past_entry", "p_is_open" BOOLEAN, "p_at" TIMESTAMPTZ)
RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
    "v_channel" RECORD;
    "v_first" INTEGER;
    "v_earlier" SMALLINT[];
    "v_until" TIMESTAMPTZ[];
    "v_all" SMALLINT;
    "v_is_due" BOOLEAN := "p_is_open" AND NOT coalesce("p_entry"."announced", TRUE);
    "v_is_open" BOOLEAN := "p_is_open";
    "v_published_in" INTEGER := 1;
    "v_number" BIGINT;
BEGIN
    SELECT c."id", c."publishable", c."sight", c."earlier_sights", c."earlier_sights_until", c."sight_version" INTO "v_channel"
        FROM "channels" c WHERE c."site_id" = "p_site_id" AND c."uid" = "p_channel_uid";
    "v_first" := greatest(1, cardinality("v_channel"."earlier_sights") - ("v_channel"."sight_version" - "p_entry"."sight_version") + 1);
    "v_earlier" := "v_channel"."earlier_sights"["v_first":];
    IF "v_earlier" = '{}' THEN
        IF "v_is_due" THEN
            PERFORM "entryway_record_publication"("p_site_id", "p_channel_uid", "v_channel"."id", "p_entry", "v_channel"."sight",
                "v_channel"."sight");
        END IF;
        RETURN;
    END IF;
    "v_until" := "v_channel"."earlier_sights_until"["v_first":];
    "v_all" := "entryway_past_sights"("v_earlier", "v_until", '-infinity');
    IF "v_is_due" THEN
        WHILE "v_until"["v_published_in"] < "p_entry"."publish_at" LOOP
            "v_published_in" := "v_published_in" + 1;
        END LOOP;
        IF "v_published_in" <= cardinality("v_earlier") THEN
            PERFORM "entryway_record_publication"("p_site_id", "p_channel_uid", "v_channel"."id", "p_entry",
                "entryway_past_sights"("v_earlier"[:"v_published_in"], "v_until", '-infinity'), "v_earlier"["v_published_in"]);
        ELSE
            -- All earlier sights had ended.
            "v_is_open" := FALSE;
        END IF;
    END IF;
    "v_number" := "entryway_record_number"();
    INSERT INTO "changes" ("site_id", "position", "type", "at", "channel_uid", "channel", "entry_id", "version", "publication",
        "before_sights", "before_open", "before_owner", "before_grant", "before_deny",
        "after_sights", "after_open", "after_owner", "after_grant", "after_deny", "actor")
    VALUES ("p_site_id", "v_number", 'entry.sight', "p_at", "p_channel_uid", "v_channel"."id", "p_entry"."id", "p_entry"."version",
        -- The sights of channels that are not publishable are 85, those of publishable ones 170 (entryway_sight).
        CASE WHEN "v_is_open" THEN NULL
            WHEN "v_channel"."publishable" AND "v_all" & 85::SMALLINT <> 0 THEN FALSE
            WHEN NOT "v_channel"."publishable" AND "v_all" & 170::SMALLINT <> 0 THEN TRUE END,
        "entryway_past_sights"("v_earlier", "v_until",
            "entryway_opened_at"("p_entry"."announced", "p_entry"."status", "p_entry"."publish_at")),
        "v_is_open", "p_entry"."owner", nullif("p_entry"."read_grant", '{}'), nullif("p_entry"."read_deny", '{}'),
        "v_channel"."sight", "v_is_open", "p_entry"."owner", nullif("p_entry"."read_grant", '{}'), nullif("p_entry"."read_deny", '{}'),
        '{"kind": "service"}'::JSONB);
    IF "v_is_due" AND NOT "v_is_open" THEN
        PERFORM "entryway_record_publication"("p_site_id", "p_channel_uid", "v_channel"."id", "p_entry", "v_channel"."sight",
            "v_channel"."sight");
    END IF;
END
$$;

-- Deletes an entry, if it has the version that the delete was decided on; FALSE: it has not, or the channel has not.
CREATE OR REPLACE FUNCTION "entryway_delete_entry"(
    "p_site_id" TEXT, "p_lock" BIGINT, "p_channel_uid" UUID, "p_channel_version" INTEGER, "p_at" TIMESTAMPTZ, "p_id" UUID,
    "p_version" INTEGER, "p_actor" JSONB DEFAULT NULL)
RETURNS BOOLEAN LANGUAGE plpgsql AS $$
DECLARE
    "v_channel" "entryway_held_channel" := "entryway_hold_channel"("p_site_id", "p_lock", "p_channel_uid", "p_channel_version");
    "v_old" "entryway_past_entry";
    "v_was_open" BOOLEAN;
    "v_number" BIGINT;
BEGIN
    IF "v_channel"."id" IS NULL THEN
        RETURN FALSE;
    END IF;
    DELETE FROM "entries" e WHERE e."site_id" = "p_site_id" AND e."id" = "p_id" AND e."channel_uid" = "p_channel_uid"
        AND e."version" = "p_version"
    RETURNING e."id", e."version", e."created_at", e."status", e."publish_at", e."owner", e."read_grant", e."read_deny", e."announced",
        e."sight_version" INTO "v_old";
    IF NOT FOUND THEN
        RETURN FALSE;
    END IF;
    -- Others read the entry until now, and not until the request began.
    "v_was_open" := coalesce("v_old"."announced", FALSE) OR ("v_old"."status" <> 'draft'
        AND ("v_old"."publish_at" IS NULL OR "v_old"."publish_at" <= greatest("p_at", clock_timestamp())));
    IF ("v_channel"."publishable" AND "v_was_open" AND NOT "v_old"."announced")
        OR ("v_channel"."earlier_sights" <> '{}' AND "v_old"."sight_version" < "v_channel"."sight_version") THEN
        PERFORM "entryway_record_past"("p_site_id", "p_channel_uid", "v_old", "v_was_open", "p_at");
    END IF;
    "v_number" := "entryway_record_number"();
    INSERT INTO "changes" ("site_id", "position", "type", "at", "channel_uid", "channel", "entry_id", "version", "publication",
        "before_sights", "before_open", "before_owner", "before_grant", "before_deny", "actor")
    VALUES ("p_site_id", "v_number", 'entry.deleted', "p_at", "p_channel_uid", "v_channel"."id", "p_id", "p_version",
        CASE WHEN "v_channel"."publishable" AND "v_was_open" THEN FALSE END,
        "v_channel"."sight", "v_was_open", "v_old"."owner", nullif("v_old"."read_grant", '{}'), nullif("v_old"."read_deny", '{}'),
        "p_actor");
    RETURN TRUE;
END
$$;

-- Records that a channel was created, or that its settings were changed; the trigger names the type of the record. Its author is in the
-- channel's row, with the version that it has by that write: a process of the release before changes the channel without naming one.
CREATE OR REPLACE FUNCTION "entryway_record_channel"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "changes" ("site_id", "type", "at", "channel_uid", "channel", "actor")
    VALUES (NEW."site_id", TG_ARGV[0]::"change_type", NEW."updated_at", NEW."uid", NEW."id",
        CASE WHEN NEW."changed_by" ->> 'version' = NEW."version"::TEXT THEN NEW."changed_by" - 'version' END);
    RETURN NULL;
END
$$;

-- Records the deletion of a channel before its entries go, with who of the public could see any of them, whatever keys and roles they
-- have: "before_grant" has the keys to which an entry was granted, and the owners of entries under the scope "private" that are not
-- denied to them; each text in "before_deny" is the scope, "public" or "shared", that showed an entry, and the keys that were denied it.
-- Beyond 100,000 keys, or 1,000 lists of denied keys, those of single customers and the longest lists are left out: who saw an entry by
-- these alone is not told. The author is in the channel's row, which the deletion's transaction wrote before, with "deleted" for a version.
CREATE OR REPLACE FUNCTION "entryway_record_deleted_channel"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
    "v_now" TIMESTAMPTZ := clock_timestamp();
    "v_keys" TEXT[];
    "v_lists" TEXT[];
    "v_number" BIGINT;
BEGIN
    -- In most channels an entry that everybody sees is found at once.
    PERFORM s."id" FROM (
        SELECT e."id", e."read_grant", e."read_deny", "entryway_shown_sights"(OLD."sight", OLD."earlier_sights", OLD."earlier_sights_until",
            OLD."sight_version", e."sight_version", "entryway_opened_at"(e."announced", e."status", e."publish_at"), "v_now") AS "shown"
        FROM "entries" e WHERE e."site_id" = OLD."site_id" AND e."channel_uid" = OLD."uid") AS s
    WHERE (s."shown" & 3 <> 0 AND s."read_deny" = '{}') OR (s."shown" <> 0 AND '*' = ANY(s."read_grant")) LIMIT 1;
    IF FOUND THEN
        "v_keys" := ARRAY['*'];
    ELSE
        SELECT array_agg(k."key") INTO "v_keys" FROM (
            SELECT DISTINCT s."key", s."key" LIKE 'id:%' AS "is_single" FROM (
                SELECT unnest(r."read_grant" || CASE WHEN r."shown" & 48 <> 0 AND NOT r."read_deny" && (
                    ARRAY['users', 'id:' || r."owner"] || (
                        SELECT array_agg('role:' || "role") FROM "customers" o, unnest(o."roles") AS "role"
                        WHERE o."site_id" = OLD."site_id" AND o."id" = r."owner"))
                    THEN ARRAY['id:' || r."owner"] ELSE '{}' END) AS "key"
                FROM (
                    SELECT e."owner", e."read_grant", e."read_deny", "entryway_shown_sights"(OLD."sight", OLD."earlier_sights",
                        OLD."earlier_sights_until", OLD."sight_version", e."sight_version",
                        "entryway_opened_at"(e."announced", e."status", e."publish_at"), "v_now") AS "shown"
                    FROM "entries" e WHERE e."site_id" = OLD."site_id" AND e."channel_uid" = OLD."uid"
                        AND (e."read_grant" <> '{}' OR e."owner" IS NOT NULL)) AS r
                WHERE r."shown" <> 0) AS s
            WHERE s."key" IS NOT NULL ORDER BY "is_single", s."key" LIMIT 100000) AS k;
        SELECT array_agg(l."list") INTO "v_lists" FROM (
            SELECT DISTINCT (ARRAY[s."scope"] || s."read_deny")::TEXT AS "list", cardinality(s."read_deny") AS "length" FROM (
                SELECT r."read_deny", unnest(CASE WHEN r."shown" & 3 <> 0 THEN ARRAY['public'] ELSE '{}' END
                    || CASE WHEN r."shown" & 12 <> 0 THEN ARRAY['shared'] ELSE '{}' END) AS "scope"
                FROM (
                    SELECT e."read_deny", "entryway_shown_sights"(OLD."sight", OLD."earlier_sights", OLD."earlier_sights_until",
                        OLD."sight_version", e."sight_version", "entryway_opened_at"(e."announced", e."status", e."publish_at"), "v_now") AS "shown"
                    FROM "entries" e WHERE e."site_id" = OLD."site_id" AND e."channel_uid" = OLD."uid") AS r) AS s
            ORDER BY "length", "list" LIMIT 1000) AS l;
    END IF;
    "v_number" := "entryway_record_number"();
    INSERT INTO "changes" ("site_id", "position", "type", "at", "channel_uid", "channel", "before_grant", "before_deny", "actor")
    VALUES (OLD."site_id", "v_number", 'channel.deleted', now(), OLD."uid", OLD."id", "v_keys", "v_lists",
        CASE WHEN OLD."changed_by" ->> 'version' = 'deleted' THEN OLD."changed_by" - 'version' END);
    RETURN OLD;
END
$$;

-- Stores an entry's new values, if it has the version that the write was decided on. The entry as it was is read without a lock,
-- which would cost as much as the update: if it is not that entry any more, that is stale.
CREATE OR REPLACE FUNCTION "entryway_update_entry"(
    "p_site_id" TEXT, "p_lock" BIGINT, "p_channel_uid" UUID, "p_channel_version" INTEGER, "p_fields_version" INTEGER,
    "p_language" REGCONFIG, "p_at" TIMESTAMPTZ, "p_id" UUID, "p_version" INTEGER, "p_slug" TEXT, "p_status" "entry_status",
    "p_publish_at" TIMESTAMPTZ, "p_acl" JSONB, "p_owner" TEXT, "p_data" JSONB, "p_kept" JSONB, "p_title" TEXT,
    "p_a" TEXT, "p_b" TEXT, "p_c" TEXT, "p_fields" TEXT[], "p_values" JSONB[], "p_keys" TEXT[], "p_uniques" BOOLEAN[],
    "p_actor" JSONB DEFAULT NULL)
RETURNS TEXT LANGUAGE plpgsql AS $$
DECLARE
    "v_channel" "entryway_held_channel" := "entryway_hold_channel"("p_site_id", "p_lock", "p_channel_uid", "p_channel_version");
    "v_old" "entryway_past_entry";
    "v_entry" RECORD;
    "v_digests" BYTEA[] := "entryway_digests"("p_values", "p_uniques");
    "v_taken" TEXT[];
    "v_open" BOOLEAN;
    "v_was_open" BOOLEAN;
    "v_number" BIGINT;
    "v_search" TSVECTOR;
BEGIN
    IF "v_channel"."id" IS NULL THEN
        RETURN 'stale';
    END IF;
    SELECT e."id", e."version", e."created_at", e."status", e."publish_at", e."owner", e."read_grant", e."read_deny", e."announced",
        e."sight_version" INTO "v_old" FROM "entries" e WHERE e."site_id" = "p_site_id" AND e."id" = "p_id"
            AND e."channel_uid" = "p_channel_uid" AND e."version" = "p_version";
    IF NOT FOUND THEN
        RETURN 'stale';
    END IF;
    IF "v_digests" IS NOT NULL THEN
        "v_taken" := "entryway_taken_fields"("p_site_id", "p_channel_uid", "p_id", "p_fields", "v_digests");
        IF "v_taken" <> '{}' THEN
            RETURN E'taken\n' || array_to_string("v_taken", E'\n');
        END IF;
    END IF;
    -- Others read the entry until now, and not until the request began.
    "v_was_open" := coalesce("v_old"."announced", FALSE) OR ("v_old"."status" <> 'draft'
        AND ("v_old"."publish_at" IS NULL OR "v_old"."publish_at" <= greatest("p_at", clock_timestamp())));
    -- What others read is not taken back because a process has a slow clock, as long as the publication state and time stay the same.
    "v_open" := ("p_status" <> 'draft' AND ("p_publish_at" IS NULL OR "p_publish_at" <= "p_at"))
        OR ("v_was_open" AND "p_status" = "v_old"."status" AND "p_publish_at" IS NOT DISTINCT FROM "v_old"."publish_at");
    "v_search" := "entryway_search_vector"("p_channel_uid", "p_language", "p_a", "p_b", "p_c");
    UPDATE "entries" e SET "version" = e."version" + 1, "updated_at" = "p_at", "slug" = "p_slug", "status" = "p_status",
        "publish_at" = "p_publish_at", "acl" = "p_acl", "owner" = "p_owner", "data" = "p_data", "kept" = "p_kept",
        "title" = left("p_title", 1000),
        "search" = "v_search", "fields_version" = "p_fields_version", "announced" = "v_open", "sight_version" = "v_channel"."sight_version"
    WHERE e."site_id" = "p_site_id" AND e."id" = "p_id" AND e."version" = "v_old"."version"
        AND e."announced" IS NOT DISTINCT FROM "v_old"."announced" AND e."sight_version" = "v_old"."sight_version"
    RETURNING e."id", e."short_id", e."slug", e."version", e."status", e."size", e."fields_version", e."created_at",
        e."updated_at", e."publish_at", e."acl", e."data", e."kept", e."title", e."read_grant", e."read_deny" INTO "v_entry";
    IF NOT FOUND THEN
        RETURN 'stale';
    END IF;
    IF ("v_channel"."publishable" AND "v_was_open" AND NOT "v_old"."announced")
        OR ("v_channel"."earlier_sights" <> '{}' AND "v_old"."sight_version" < "v_channel"."sight_version") THEN
        PERFORM "entryway_record_past"("p_site_id", "p_channel_uid", "v_old", "v_was_open", "p_at");
    END IF;
    "v_number" := "entryway_record_number"();
    INSERT INTO "changes" ("site_id", "position", "type", "at", "channel_uid", "channel", "entry_id", "version", "publication",
        "before_sights", "before_open", "before_owner", "before_grant", "before_deny",
        "after_sights", "after_open", "after_owner", "after_grant", "after_deny", "actor")
    VALUES ("p_site_id", "v_number", 'entry.updated', "p_at", "p_channel_uid", "v_channel"."id", "p_id", "v_entry"."version",
        CASE WHEN "v_channel"."publishable" AND "v_open" <> "v_was_open" THEN "v_open" END,
        "v_channel"."sight", "v_was_open", "v_old"."owner", nullif("v_old"."read_grant", '{}'), nullif("v_old"."read_deny", '{}'),
        "v_channel"."sight", "v_open", "p_owner", nullif("v_entry"."read_grant", '{}'), nullif("v_entry"."read_deny", '{}'),
        "p_actor");
    IF cardinality("p_fields") > 0 THEN
        PERFORM "entryway_store_values"("p_site_id", "p_id", "p_channel_uid", "p_fields", "p_values", "p_keys", "v_digests");
    END IF;
    RETURN "entryway_stored"("v_entry");
END
$$;

DROP FUNCTION entryway_create_entry(text, bigint, uuid, integer, integer, regconfig, timestamp with time zone, uuid, text, integer, timestamp with time zone, timestamp with time zone, text, entry_status, timestamp with time zone, jsonb, text, jsonb, jsonb, text, text, text, text, text[], jsonb[], text[], boolean[]);

DROP FUNCTION entryway_update_entry(text, bigint, uuid, integer, integer, regconfig, timestamp with time zone, uuid, integer, text, entry_status, timestamp with time zone, jsonb, text, jsonb, jsonb, text, text, text, text, text[], jsonb[], text[], boolean[]);

DROP FUNCTION entryway_delete_entry(text, bigint, uuid, integer, timestamp with time zone, uuid, integer);
