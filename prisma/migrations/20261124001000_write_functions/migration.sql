-- Writes of entries as functions (docs/architecture.md, "Writes"). PostgreSQL makes each of their short statements ready in less
-- time than one statement with all of them, and a distributed PostgreSQL can run a call whole on the server that has the
-- site: the first parameter is the site's id, and every statement names it.
--
-- Outcomes are texts, because a driver takes longer for columns: `stale`, `duplicate`; `taken` and the unique fields whose
-- values other entries have; or `stored` and the row: its short columns (src/entries/row.ts), acl, data, kept, and the
-- title, if it has one. These are lines: JSON as PostgreSQL writes it has no line breaks, and the title comes last.

-- The key of a value in an indexed field: of a text its beginning without regard to case, of other values the given one.
CREATE FUNCTION "entryway_index_key"("value" JSONB, "given" TEXT) RETURNS TEXT LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF jsonb_typeof("value") = 'string' THEN
        RETURN 't' || "entryway_fold"(left("value" #>> '{}', 300));
    END IF;
    RETURN "given";
END
$$;

-- A digest of a JSON scalar, equal only for equal values of a field. Numbers are equal by value, however they are spelled.
CREATE FUNCTION "entryway_digest"("value" JSONB) RETURNS BYTEA LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    IF jsonb_typeof("value") = 'number' THEN
        RETURN sha256(convert_to(trim_scale("value"::NUMERIC)::TEXT, 'UTF8'));
    END IF;
    RETURN sha256(convert_to("value" #>> '{}', 'UTF8'));
END
$$;

-- The digests of those values that are unique, each at the place of its value; NULL: none is.
CREATE FUNCTION "entryway_digests"("values" JSONB[], "uniques" BOOLEAN[]) RETURNS BYTEA[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    "digests" BYTEA[];
BEGIN
    IF TRUE = ANY("uniques") THEN
        "digests" := array_fill(NULL::BYTEA, ARRAY[cardinality("values")]);
        FOR "i" IN 1 .. cardinality("values") LOOP
            IF "uniques"["i"] THEN "digests"["i"] := "entryway_digest"("values"["i"]); END IF;
        END LOOP;
    END IF;
    RETURN "digests";
END
$$;

-- What a search finds an entry by: its channel, and its words by weight.
CREATE FUNCTION "entryway_search_vector"("channel" UUID, "language" REGCONFIG, "a" TEXT, "b" TEXT, "c" TEXT) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    "vector" tsvector := array_to_tsvector(ARRAY['@' || "channel"]);
BEGIN
    IF "a" <> '' THEN "vector" := "vector" || setweight(to_tsvector("language", "a"), 'A'); END IF;
    IF "b" <> '' THEN "vector" := "vector" || setweight(to_tsvector("language", "b"), 'B'); END IF;
    IF "c" <> '' THEN "vector" := "vector" || setweight(to_tsvector("language", "c"), 'C'); END IF;
    RETURN "vector";
END
$$;

-- What writes and records of entries need of a channel.
CREATE TYPE "entryway_held_channel" AS ("id" TEXT, "publishable" BOOLEAN, "sight" SMALLINT, "earlier_sights" SMALLINT[], "sight_version" INTEGER);

-- Locks a channel against changes of its settings until the transaction ends, if it has the version that a write was decided on;
-- NULL: it has another one. It shares the channel's lock first, so that the statement after it sees the channel as whoever
-- had the lock alone has left it.
CREATE FUNCTION "entryway_hold_channel"("p_site_id" TEXT, "p_lock" BIGINT, "p_channel_uid" UUID, "p_version" INTEGER)
RETURNS "entryway_held_channel" LANGUAGE plpgsql AS $$
DECLARE
    "v_channel" "entryway_held_channel";
BEGIN
    PERFORM pg_advisory_xact_lock_shared("p_lock");
    SELECT c."id", c."publishable", c."sight", c."earlier_sights", c."sight_version" INTO "v_channel" FROM "channels" c
        WHERE c."site_id" = "p_site_id" AND c."uid" = "p_channel_uid" AND c."version" = "p_version" FOR SHARE;
    RETURN "v_channel";
END
$$;

-- The unique fields whose values other entries of the channel have.
CREATE FUNCTION "entryway_taken_fields"("p_site_id" TEXT, "p_channel_uid" UUID, "p_entry_id" UUID, "p_fields" TEXT[], "p_digests" BYTEA[])
RETURNS TEXT[] LANGUAGE plpgsql STABLE AS $$
DECLARE
    "v_taken" TEXT[] := '{}';
BEGIN
    FOR "i" IN 1 .. cardinality("p_fields") LOOP
        IF "p_digests"["i"] IS NOT NULL AND EXISTS (
            SELECT FROM "entry_values" v WHERE v."site_id" = "p_site_id" AND v."channel_uid" = "p_channel_uid"
                AND v."field" = "p_fields"["i"] AND v."digest" = "p_digests"["i"] AND v."entry_id" <> "p_entry_id") THEN
            "v_taken" := "v_taken" || "p_fields"["i"];
        END IF;
    END LOOP;
    RETURN "v_taken";
END
$$;

-- Statements that write are as Citus runs them by plans that it keeps: what one returns are columns, of which the outcome is made
-- afterwards, and each row of the side table is written by a statement of its own.

-- The outcome of a write that stored an entry.
CREATE FUNCTION "entryway_stored"("entry" RECORD) RETURNS TEXT LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN concat_ws(E'\n', 'stored',
        concat_ws(',', "entry"."id", "entry"."short_id", "entry"."slug", "entry"."version", "entry"."status", "entry"."size",
            "entry"."fields_version", "entry"."created_at", "entry"."updated_at", "entry"."publish_at"),
        "entry"."acl", "entry"."data", "entry"."kept", "entry"."title");
END
$$;

-- Stores the rows of the side table of an entry, in the order of their fields, so that concurrent writes cannot deadlock.
CREATE FUNCTION "entryway_store_values"(
    "p_site_id" TEXT, "p_entry_id" UUID, "p_channel_uid" UUID, "p_fields" TEXT[], "p_values" JSONB[], "p_keys" TEXT[], "p_digests" BYTEA[])
RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
    "v_row" RECORD;
BEGIN
    FOR "v_row" IN SELECT i."field", "entryway_index_key"(i."value", i."key") AS "key", i."digest"
        FROM unnest("p_fields", "p_values", "p_keys", "p_digests") AS i ("field", "value", "key", "digest") ORDER BY i."field"
    LOOP
        INSERT INTO "entry_values" ("site_id", "entry_id", "channel_uid", "field", "key", "digest")
        VALUES ("p_site_id", "p_entry_id", "p_channel_uid", "v_row"."field", "v_row"."key", "v_row"."digest")
        ON CONFLICT ("site_id", "entry_id", "field") DO UPDATE SET "key" = EXCLUDED."key", "digest" = EXCLUDED."digest"
        WHERE ("entry_values"."key", "entry_values"."digest") IS DISTINCT FROM (EXCLUDED."key", EXCLUDED."digest");
    END LOOP;
END
$$;

-- Stores a new entry. "p_at" is the time of its record.
CREATE FUNCTION "entryway_create_entry"(
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
    INSERT INTO "entries" AS e ("site_id", "id", "channel_uid", "short_id", "version", "created_at", "updated_at", "slug", "status",
        "publish_at", "acl", "owner", "data", "kept", "title", "search", "fields_version", "announced", "sight_version")
    VALUES ("p_site_id", "p_id", "p_channel_uid", "p_short_id", "p_version", "p_created_at", "p_updated_at", "p_slug", "p_status",
        "p_publish_at", "p_acl", "p_owner", "p_data", "p_kept", left("p_title", 1000),
        "entryway_search_vector"("p_channel_uid", "p_language", "p_a", "p_b", "p_c"), "p_fields_version", "v_open",
        "v_channel"."sight_version")
    ON CONFLICT DO NOTHING
    RETURNING e."id", e."short_id", e."slug", e."version", e."status", e."size", e."fields_version", e."created_at",
        e."updated_at", e."publish_at", e."acl", e."data", e."kept", e."title", e."read_grant", e."read_deny" INTO "v_entry";
    IF NOT FOUND THEN
        RETURN 'duplicate';
    END IF;
    INSERT INTO "changes" ("site_id", "type", "at", "channel_uid", "channel", "entry_id", "version", "publication",
        "after_sights", "after_open", "after_owner", "after_grant", "after_deny")
    VALUES ("p_site_id", 'entry.created', "p_at", "p_channel_uid", "v_channel"."id", "p_id", "p_version",
        CASE WHEN "v_channel"."publishable" AND "v_open" THEN TRUE END, "v_channel"."sight", "v_open",
        "p_owner", nullif("v_entry"."read_grant", '{}'), nullif("v_entry"."read_deny", '{}'));
    IF cardinality("p_fields") > 0 THEN
        PERFORM "entryway_store_values"("p_site_id", "p_id", "p_channel_uid", "p_fields", "p_values", "p_keys", "v_digests");
    END IF;
    RETURN "entryway_stored"("v_entry");
END
$$;

-- Stores new entries of one channel: their rows in the order of their slugs, and those of the side table in the order of their
-- values, so that concurrent calls cannot deadlock. "p_indexed" has the values of the side table, with the ids of their entries.
CREATE FUNCTION "entryway_create_entries"(
    "p_site_id" TEXT, "p_lock" BIGINT, "p_channel_uid" UUID, "p_channel_version" INTEGER, "p_fields_version" INTEGER,
    "p_language" REGCONFIG, "p_drafts" JSONB, "p_indexed" JSONB)
RETURNS TABLE ("entry_id" UUID, "outcome" TEXT) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    "v_channel" "entryway_held_channel" := "entryway_hold_channel"("p_site_id", "p_lock", "p_channel_uid", "p_channel_version");
BEGIN
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
CREATE FUNCTION "entryway_update_entry"(
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
    UPDATE "entries" e SET "version" = e."version" + 1, "updated_at" = "p_at", "slug" = "p_slug", "status" = "p_status",
        "publish_at" = "p_publish_at", "acl" = "p_acl", "owner" = "p_owner", "data" = "p_data", "kept" = "p_kept",
        "title" = left("p_title", 1000),
        "search" = "entryway_search_vector"("p_channel_uid", "p_language", "p_a", "p_b", "p_c"),
        "fields_version" = "p_fields_version", "announced" = "v_open", "sight_version" = "v_channel"."sight_version"
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
    INSERT INTO "changes" ("site_id", "type", "at", "channel_uid", "channel", "entry_id", "version", "publication",
        "before_sights", "before_open", "before_owner", "before_grant", "before_deny",
        "after_sights", "after_open", "after_owner", "after_grant", "after_deny")
    VALUES ("p_site_id", 'entry.updated', "p_at", "p_channel_uid", "v_channel"."id", "p_id", "v_entry"."version",
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
CREATE FUNCTION "entryway_delete_entry"(
    "p_site_id" TEXT, "p_lock" BIGINT, "p_channel_uid" UUID, "p_channel_version" INTEGER, "p_at" TIMESTAMPTZ, "p_id" UUID,
    "p_version" INTEGER)
RETURNS BOOLEAN LANGUAGE plpgsql AS $$
DECLARE
    "v_channel" "entryway_held_channel" := "entryway_hold_channel"("p_site_id", "p_lock", "p_channel_uid", "p_channel_version");
    "v_old" RECORD;
    "v_announced" BOOLEAN;
    "v_was_open" BOOLEAN;
    "v_sights" SMALLINT;
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
    INSERT INTO "changes" ("site_id", "type", "at", "channel_uid", "channel", "entry_id", "version", "publication",
        "before_sights", "before_open", "before_owner", "before_grant", "before_deny")
    VALUES ("p_site_id", 'entry.deleted', "p_at", "p_channel_uid", "v_channel"."id", "p_id", "p_version",
        CASE WHEN "v_channel"."publishable" AND "v_announced" THEN FALSE END,
        "v_sights", "v_was_open", "v_old"."owner", nullif("v_old"."read_grant", '{}'), nullif("v_old"."read_deny", '{}'));
    RETURN TRUE;
END
$$;
