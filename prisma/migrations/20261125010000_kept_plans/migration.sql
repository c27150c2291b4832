-- Statements that write are as Citus runs them by plans that it keeps (docs/scaling.md): a statement of one table, which names the site,
-- has no subquery, and calls no volatile function, as a column's default may be. What is stored stays the same.

-- Whether the tables are distributed: `entryway distribute` replaces it. What it decides is folded into the plans that are kept, and
-- these are made anew when it is replaced.
CREATE FUNCTION "entryway_is_distributed"() RETURNS BOOLEAN LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT FALSE';
DO $do$
BEGIN
    IF EXISTS (SELECT FROM "pg_attrdef" d WHERE d."adrelid" = '"changes"'::regclass
        AND pg_get_expr(d."adbin", d."adrelid") LIKE '%entryway_written_at%') THEN
        CREATE OR REPLACE FUNCTION "entryway_is_distributed"() RETURNS BOOLEAN LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT TRUE';
    END IF;
END
$do$;

-- The number of a new record, as the column's default. Statements that insert records give it themselves: Citus keeps no plan of one
-- that calls a volatile function, and makes and plans its text anew each time.
CREATE FUNCTION "entryway_record_number"() RETURNS BIGINT LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF "entryway_is_distributed"() THEN
        RETURN "entryway_written_at"();
    END IF;
    RETURN 4611686018427387904 + nextval('changes_written');
END
$$;

-- The unique fields whose values other entries of the channel have.
CREATE OR REPLACE FUNCTION "entryway_taken_fields"("p_site_id" TEXT, "p_channel_uid" UUID, "p_entry_id" UUID, "p_fields" TEXT[], "p_digests" BYTEA[])
RETURNS TEXT[] LANGUAGE plpgsql STABLE AS $$
DECLARE
    "v_taken" TEXT[] := '{}';
BEGIN
    FOR "i" IN 1 .. cardinality("p_fields") LOOP
        CONTINUE WHEN "p_digests"["i"] IS NULL;
        PERFORM v."entry_id" FROM "entry_values" v WHERE v."site_id" = "p_site_id" AND v."channel_uid" = "p_channel_uid"
            AND v."field" = "p_fields"["i"] AND v."digest" = "p_digests"["i"] AND v."entry_id" <> "p_entry_id" LIMIT 1;
        IF FOUND THEN
            "v_taken" := "v_taken" || "p_fields"["i"];
        END IF;
    END LOOP;
    RETURN "v_taken";
END
$$;

-- Stores a new entry. "p_at" is the time of its record.
CREATE OR REPLACE FUNCTION "entryway_create_entry"(
    "p_site_id" TEXT, "p_lock" BIGINT, "p_channel_uid" UUID, "p_channel_version" INTEGER, "p_fields_version" INTEGER,
    "p_language" REGCONFIG, "p_at" TIMESTAMPTZ, "p_id" UUID, "p_short_id" TEXT, "p_version" INTEGER,
    "p_created_at" TIMESTAMPTZ, "p_updated_at" TIMESTAMPTZ, "p_slug" TEXT, "p_status" "entry_status", "p_publish_at" TIMESTAMPTZ,
    "p_acl" JSONB, "p_owner" TEXT, "p_data" JSONB, "p_kept" JSONB, "p_title" TEXT, "p_a" TEXT, "p_b" TEXT, "p_c" TEXT,
    "p_fields" TEXT[], "p_values" JSONB[], "p_keys" TEXT[], "p_uniques" BOOLEAN[])
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
        "after_sights", "after_open", "after_owner", "after_grant", "after_deny")
    VALUES ("p_site_id", "v_number", 'entry.created', "p_at", "p_channel_uid", "v_channel"."id", "p_id", "p_version",
        CASE WHEN "v_channel"."publishable" AND "v_open" THEN TRUE END, "v_channel"."sight", "v_open",
        "p_owner", nullif("v_entry"."read_grant", '{}'), nullif("v_entry"."read_deny", '{}'));
    IF cardinality("p_fields") > 0 THEN
        PERFORM "entryway_store_values"("p_site_id", "p_id", "p_channel_uid", "p_fields", "p_values", "p_keys", "v_digests");
    END IF;
    RETURN "entryway_stored"("v_entry");
END
$$;

-- Stores new entries of one channel where the tables are distributed: their rows in the order of their slugs, and those of the side table in the order of their
-- values, so that concurrent calls cannot deadlock. "p_indexed" has the values of the side table, with the ids of their entries.
CREATE FUNCTION "entryway_create_each"(
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
            "owner" TEXT, "data" JSONB, "kept" JSONB, "title" TEXT, "a" TEXT, "b" TEXT, "c" TEXT)
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
            "after_sights", "after_open", "after_owner", "after_grant", "after_deny")
        VALUES ("p_site_id", "v_number", 'entry.created', "v_new"."at", "p_channel_uid", "v_channel"."id", "v_new"."id",
            "v_new"."version", CASE WHEN "v_channel"."publishable" AND "v_open" THEN TRUE END, "v_channel"."sight", "v_open",
            "v_new"."owner", nullif("v_entry"."read_grant", '{}'), nullif("v_entry"."read_deny", '{}'));
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
            "owner" TEXT, "data" JSONB, "kept" JSONB, "title" TEXT, "a" TEXT, "b" TEXT, "c" TEXT)
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
            "after_sights", "after_open", "after_owner", "after_grant", "after_deny")
        SELECT "p_site_id", 'entry.created', n."at", "p_channel_uid", "v_channel"."id", e."id", e."version",
            CASE WHEN "v_channel"."publishable" AND e."announced" THEN TRUE END,
            "v_channel"."sight", e."announced", e."owner", nullif(e."read_grant", '{}'), nullif(e."read_deny", '{}')
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

-- Stores an entry's new values, if it has the version that the write was decided on. The entry as it was is read without a lock,
-- which would cost as much as the update: if it is not that entry any more, that is stale.
CREATE OR REPLACE FUNCTION "entryway_update_entry"(
    "p_site_id" TEXT, "p_lock" BIGINT, "p_channel_uid" UUID, "p_channel_version" INTEGER, "p_fields_version" INTEGER,
    "p_language" REGCONFIG, "p_at" TIMESTAMPTZ, "p_id" UUID, "p_version" INTEGER, "p_slug" TEXT, "p_status" "entry_status",
    "p_publish_at" TIMESTAMPTZ, "p_acl" JSONB, "p_owner" TEXT, "p_data" JSONB, "p_kept" JSONB, "p_title" TEXT,
    "p_a" TEXT, "p_b" TEXT, "p_c" TEXT, "p_fields" TEXT[], "p_values" JSONB[], "p_keys" TEXT[], "p_uniques" BOOLEAN[])
RETURNS TEXT LANGUAGE plpgsql AS $$
DECLARE
    "v_channel" "entryway_held_channel" := "entryway_hold_channel"("p_site_id", "p_lock", "p_channel_uid", "p_channel_version");
    "v_old" RECORD;
    "v_entry" RECORD;
    "v_digests" BYTEA[] := "entryway_digests"("p_values", "p_uniques");
    "v_taken" TEXT[];
    "v_open" BOOLEAN;
    "v_announced" BOOLEAN;
    "v_was_open" BOOLEAN;
    "v_sights" SMALLINT;
    "v_number" BIGINT;
    "v_search" TSVECTOR;
BEGIN
    IF "v_channel"."id" IS NULL THEN
        RETURN 'stale';
    END IF;
    SELECT e."version", e."status", e."publish_at", e."owner", e."read_grant", e."read_deny", e."announced", e."sight_version"
        INTO "v_old" FROM "entries" e WHERE e."site_id" = "p_site_id" AND e."id" = "p_id"
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
    -- What was announced is not taken back because a process has a slow clock, as long as the publication state and time stay
    -- the same.
    "v_open" := ("p_status" <> 'draft' AND ("p_publish_at" IS NULL OR "p_publish_at" <= "p_at"))
        OR (coalesce("v_old"."announced", FALSE) AND "p_status" = "v_old"."status"
            AND "p_publish_at" IS NOT DISTINCT FROM "v_old"."publish_at");
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
    -- Others read the entry until now, and not until the request began.
    "v_was_open" := coalesce("v_old"."announced", FALSE) OR ("v_old"."status" <> 'draft'
        AND ("v_old"."publish_at" IS NULL OR "v_old"."publish_at" <= greatest("p_at", clock_timestamp())));
    "v_announced" := coalesce("v_old"."announced",
        "v_old"."status" <> 'draft' AND ("v_old"."publish_at" IS NULL OR "v_old"."publish_at" <= "p_at"));
    "v_sights" := "v_channel"."sight";
    IF "v_old"."sight_version" < "v_channel"."sight_version" THEN
        "v_sights" := "v_sights" | "entryway_earlier_sights"("v_channel"."earlier_sights",
            "v_channel"."sight_version" - "v_old"."sight_version");
    END IF;
    "v_number" := "entryway_record_number"();
    INSERT INTO "changes" ("site_id", "position", "type", "at", "channel_uid", "channel", "entry_id", "version", "publication",
        "before_sights", "before_open", "before_owner", "before_grant", "before_deny",
        "after_sights", "after_open", "after_owner", "after_grant", "after_deny")
    VALUES ("p_site_id", "v_number", 'entry.updated', "p_at", "p_channel_uid", "v_channel"."id", "p_id", "v_entry"."version",
        CASE WHEN "v_channel"."publishable" AND "v_open" <> "v_announced" THEN "v_open" END,
        "v_sights", "v_was_open", "v_old"."owner", nullif("v_old"."read_grant", '{}'), nullif("v_old"."read_deny", '{}'),
        "v_channel"."sight", "v_open", "p_owner", nullif("v_entry"."read_grant", '{}'), nullif("v_entry"."read_deny", '{}'));
    IF cardinality("p_fields") > 0 THEN
        PERFORM "entryway_store_values"("p_site_id", "p_id", "p_channel_uid", "p_fields", "p_values", "p_keys", "v_digests");
    END IF;
    RETURN "entryway_stored"("v_entry");
END
$$;

-- Deletes an entry, if it has the version that the delete was decided on; FALSE: it has not, or the channel has not.
CREATE OR REPLACE FUNCTION "entryway_delete_entry"(
    "p_site_id" TEXT, "p_lock" BIGINT, "p_channel_uid" UUID, "p_channel_version" INTEGER, "p_at" TIMESTAMPTZ, "p_id" UUID,
    "p_version" INTEGER)
RETURNS BOOLEAN LANGUAGE plpgsql AS $$
DECLARE
    "v_channel" "entryway_held_channel" := "entryway_hold_channel"("p_site_id", "p_lock", "p_channel_uid", "p_channel_version");
    "v_old" RECORD;
    "v_announced" BOOLEAN;
    "v_was_open" BOOLEAN;
    "v_sights" SMALLINT;
    "v_number" BIGINT;
BEGIN
    IF "v_channel"."id" IS NULL THEN
        RETURN FALSE;
    END IF;
    DELETE FROM "entries" e WHERE e."site_id" = "p_site_id" AND e."id" = "p_id" AND e."channel_uid" = "p_channel_uid"
        AND e."version" = "p_version"
    RETURNING e."status", e."publish_at", e."owner", e."read_grant", e."read_deny", e."announced", e."sight_version" INTO "v_old";
    IF NOT FOUND THEN
        RETURN FALSE;
    END IF;
    -- Others read the entry until now, and not until the request began.
    "v_was_open" := coalesce("v_old"."announced", FALSE) OR ("v_old"."status" <> 'draft'
        AND ("v_old"."publish_at" IS NULL OR "v_old"."publish_at" <= greatest("p_at", clock_timestamp())));
    "v_announced" := coalesce("v_old"."announced",
        "v_old"."status" <> 'draft' AND ("v_old"."publish_at" IS NULL OR "v_old"."publish_at" <= "p_at"));
    "v_sights" := "v_channel"."sight";
    IF "v_old"."sight_version" < "v_channel"."sight_version" THEN
        "v_sights" := "v_sights" | "entryway_earlier_sights"("v_channel"."earlier_sights",
            "v_channel"."sight_version" - "v_old"."sight_version");
    END IF;
    "v_number" := "entryway_record_number"();
    INSERT INTO "changes" ("site_id", "position", "type", "at", "channel_uid", "channel", "entry_id", "version", "publication",
        "before_sights", "before_open", "before_owner", "before_grant", "before_deny")
    VALUES ("p_site_id", "v_number", 'entry.deleted', "p_at", "p_channel_uid", "v_channel"."id", "p_id", "p_version",
        CASE WHEN "v_channel"."publishable" AND "v_announced" THEN FALSE END,
        "v_sights", "v_was_open", "v_old"."owner", nullif("v_old"."read_grant", '{}'), nullif("v_old"."read_deny", '{}'));
    RETURN TRUE;
END
$$;

-- Records for a batch of a channel's entries that its earlier sights have ended for them (the migration "records_and_rebuilds").
CREATE OR REPLACE FUNCTION "entryway_record_sights"(
    "p_site_id" TEXT, "p_lock" BIGINT, "p_channel_uid" UUID, "p_version" INTEGER, "p_at" TIMESTAMPTZ,
    "p_after_at" TIMESTAMPTZ, "p_after_id" UUID, "p_limit" INTEGER)
RETURNS TABLE ("sight_version" INTEGER, "entries" INTEGER, "last_at" TIMESTAMPTZ, "last_id" UUID) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    "v_channel" RECORD;
    "v_old" RECORD;
    "v_earlier" SMALLINT;
    "v_open" BOOLEAN;
    "v_count" INTEGER := 0;
    "v_last_at" TIMESTAMPTZ;
    "v_last_id" UUID;
    "v_number" BIGINT;
BEGIN
    PERFORM pg_advisory_xact_lock_shared("p_lock");
    SELECT c."id", c."publishable", c."sight", c."earlier_sights", c."sight_version" INTO "v_channel" FROM "channels" c
        WHERE c."site_id" = "p_site_id" AND c."uid" = "p_channel_uid" AND c."earlier_sights" <> '{}' FOR SHARE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF "p_version" <> "v_channel"."sight_version" THEN
        RETURN QUERY SELECT "v_channel"."sight_version", 0, NULL::TIMESTAMPTZ, NULL::UUID;
        RETURN;
    END IF;
    FOR "v_old" IN
        SELECT o."id", o."version", o."created_at", o."status", o."publish_at", o."owner", o."read_grant", o."read_deny",
            o."announced", o."sight_version"
        FROM "entries" o WHERE o."site_id" = "p_site_id" AND o."channel_uid" = "p_channel_uid"
            AND o."sight_version" < "v_channel"."sight_version"
            AND (o."created_at", o."id") > (coalesce("p_after_at", '-infinity'), coalesce("p_after_id", '00000000-0000-0000-0000-000000000000'))
        ORDER BY o."created_at", o."id" LIMIT "p_limit" FOR SHARE
    LOOP
        "v_earlier" := "entryway_earlier_sights"("v_channel"."earlier_sights", "v_channel"."sight_version" - "v_old"."sight_version");
        -- Others read the entry until now, and not until the request began.
        "v_open" := coalesce("v_old"."announced", FALSE) OR ("v_old"."status" <> 'draft'
            AND ("v_old"."publish_at" IS NULL OR "v_old"."publish_at" <= greatest("p_at", clock_timestamp())));
        "v_number" := "entryway_record_number"();
        INSERT INTO "changes" ("site_id", "position", "type", "at", "channel_uid", "channel", "entry_id", "version", "publication",
            "before_sights", "before_open", "before_owner", "before_grant", "before_deny",
            "after_sights", "after_open", "after_owner", "after_grant", "after_deny")
        VALUES ("p_site_id", "v_number", 'entry.sight', "p_at", "p_channel_uid", "v_channel"."id", "v_old"."id", "v_old"."version",
            -- The sights of channels that are not publishable are 85, those of publishable ones 170 (entryway_sight).
            CASE WHEN "v_open" THEN NULL
                WHEN "v_channel"."publishable" AND "v_earlier" & 85::SMALLINT <> 0 THEN FALSE
                WHEN NOT "v_channel"."publishable" AND "v_earlier" & 170::SMALLINT <> 0 THEN TRUE END,
            "v_earlier", "v_open", "v_old"."owner", nullif("v_old"."read_grant", '{}'), nullif("v_old"."read_deny", '{}'),
            "v_channel"."sight", "v_open", "v_old"."owner", nullif("v_old"."read_grant", '{}'), nullif("v_old"."read_deny", '{}'));
        "v_count" := "v_count" + 1;
        "v_last_at" := "v_old"."created_at";
        "v_last_id" := "v_old"."id";
    END LOOP;
    RETURN QUERY SELECT "v_channel"."sight_version", "v_count", "v_last_at", "v_last_id";
END
$$;

-- Records that the time of some entries of a channel has come (the migration "records_and_rebuilds").
CREATE OR REPLACE FUNCTION "entryway_record_opened"(
    "p_site_id" TEXT, "p_turn" BIGINT, "p_lock" BIGINT, "p_channel_uid" UUID, "p_at" TIMESTAMPTZ, "p_ids" UUID[])
RETURNS TABLE ("has_turn" BOOLEAN, "entries" INTEGER) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    "v_channel" RECORD;
    "v_old" RECORD;
    "v_id" UUID;
    "v_ids" UUID[] := '{}';
    "v_sights" SMALLINT;
    "v_number" BIGINT;
BEGIN
    IF NOT pg_try_advisory_xact_lock("p_turn") THEN
        RETURN QUERY SELECT FALSE, 0;
        RETURN;
    END IF;
    IF pg_try_advisory_xact_lock_shared("p_lock") THEN
        SELECT c."id", c."publishable", c."sight", c."earlier_sights", c."sight_version" INTO "v_channel" FROM "channels" c
            WHERE c."site_id" = "p_site_id" AND c."uid" = "p_channel_uid" FOR SHARE;
        IF FOUND THEN
            FOR "v_id" IN
                SELECT o."id" FROM "entries" o WHERE o."site_id" = "p_site_id" AND o."id" = ANY("p_ids")
                    AND o."channel_uid" = "p_channel_uid" AND NOT o."announced" AND o."status" <> 'draft' AND o."publish_at" <= "p_at"
                ORDER BY o."id" LIMIT cardinality("p_ids") FOR UPDATE SKIP LOCKED
            LOOP
                "v_ids" := "v_ids" || "v_id";
            END LOOP;
        END IF;
    END IF;
    FOR "v_old" IN
        SELECT o."id", o."version", o."publish_at", o."owner", o."read_grant", o."read_deny", o."sight_version"
        FROM "entries" o WHERE o."site_id" = "p_site_id" AND o."id" = ANY("v_ids")
        ORDER BY o."publish_at", o."id" LIMIT cardinality("v_ids")
    LOOP
        UPDATE "entries" e SET "announced" = TRUE, "sight_version" = "v_channel"."sight_version"
            WHERE e."site_id" = "p_site_id" AND e."id" = "v_old"."id";
        "v_sights" := "v_channel"."sight";
        IF "v_old"."sight_version" < "v_channel"."sight_version" THEN
            "v_sights" := "v_sights" | "entryway_earlier_sights"("v_channel"."earlier_sights",
                "v_channel"."sight_version" - "v_old"."sight_version");
        END IF;
        IF "v_channel"."publishable" THEN
            "v_number" := "entryway_record_number"();
            INSERT INTO "changes" ("site_id", "position", "type", "at", "channel_uid", "channel", "entry_id", "version",
                "before_sights", "before_open", "before_owner", "before_grant", "before_deny",
                "after_sights", "after_open", "after_owner", "after_grant", "after_deny")
            VALUES ("p_site_id", "v_number", 'entry.published', "v_old"."publish_at", "p_channel_uid", "v_channel"."id", "v_old"."id", "v_old"."version",
                "v_sights", FALSE, "v_old"."owner", nullif("v_old"."read_grant", '{}'), nullif("v_old"."read_deny", '{}'),
                "v_channel"."sight", TRUE, "v_old"."owner", nullif("v_old"."read_grant", '{}'), nullif("v_old"."read_deny", '{}'));
        END IF;
    END LOOP;
    RETURN QUERY SELECT TRUE, cardinality("v_ids");
END
$$;

-- Gives places to the new records of a site (the migrations "changes" and "place_changes_order").
CREATE OR REPLACE FUNCTION "entryway_place_changes"("site" TEXT) RETURNS "change_feeds" LANGUAGE plpgsql
SET enable_seqscan = off AS $$
DECLARE
    "first_new" CONSTANT BIGINT := 4611686018427387904;
    "newest" BIGINT;
    "written" BIGINT;
    "feed" "change_feeds";
BEGIN
    -- New records have the highest numbers. The feed is read after it is known whether there are any.
    SELECT c."position" INTO "newest" FROM "changes" c WHERE c."site_id" = "site" ORDER BY c."position" DESC LIMIT 1;
    IF "newest" IS NULL OR "newest" < "first_new" THEN
        SELECT * INTO "feed" FROM "change_feeds" f WHERE f."site_id" = "site";
        IF FOUND THEN
            RETURN "feed";
        END IF;
    END IF;
    SELECT * INTO "feed" FROM "change_feeds" f WHERE f."site_id" = "site" FOR UPDATE;
    IF NOT FOUND THEN
        INSERT INTO "change_feeds" ("site_id") VALUES ("site") ON CONFLICT DO NOTHING;
        SELECT * INTO "feed" FROM "change_feeds" f WHERE f."site_id" = "site" FOR UPDATE;
    END IF;
    IF "newest" IS NULL OR "newest" < "first_new" THEN
        RETURN "feed";
    END IF;
    -- A new statement, which sees what those who held the lock before have placed. One record after the other, by its key: no
    -- plan can come to read more than the new ones.
    FOR "written" IN
        SELECT c."position" FROM "changes" c WHERE c."site_id" = "site" AND c."position" >= "first_new" ORDER BY c."position" LIMIT 10000
    LOOP
        "feed"."last" := "feed"."last" + 1;
        UPDATE "changes" c SET "position" = "feed"."last" WHERE c."site_id" = "site" AND c."position" = "written";
    END LOOP;
    UPDATE "change_feeds" f SET "last" = "feed"."last" WHERE f."site_id" = "site";
    PERFORM pg_notify('entryway', jsonb_build_array('changes', "site")::TEXT);
    RETURN "feed";
END
$$;
