-- What happened to an entry since it was written last, without a write of it, is recorded by the times at which it happened (docs/contract.md
-- §9): its publication, and changes of its channel's scope and publishing. Before, it was taken from what was recorded so far: a write
-- that came sooner than the record of a publication left that out, and its end; and a channel that was changed so soon told too much or nothing.
-- The deletion of a channel records who could see any of its entries.

ALTER TABLE "channels"
    -- When each of the earlier sights ended.
    ADD COLUMN "earlier_sights_until" TIMESTAMPTZ[] NOT NULL DEFAULT '{}';

-- Notes when a change of a channel's settings changes who sees its entries. A process of the release before empties "earlier_sights" alone.
CREATE OR REPLACE FUNCTION "entryway_note_sight"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
    "v_until" TIMESTAMPTZ[] := CASE WHEN OLD."earlier_sights" = '{}' THEN '{}' ELSE OLD."earlier_sights_until" END;
BEGIN
    "v_until" := array_fill(NULL::TIMESTAMPTZ, ARRAY[greatest(0, cardinality(OLD."earlier_sights") - cardinality("v_until"))]) || "v_until";
    NEW."sight_version" := OLD."sight_version" + 1;
    NEW."earlier_sights" := OLD."earlier_sights" || OLD."sight";
    NEW."earlier_sights_until" := "v_until" || clock_timestamp();
    -- Many changes while one of them is being recorded: the oldest two are taken as one, which ended with the first of them. An entry
    -- that was published under the second one is told to nobody then who may have seen it only there.
    IF cardinality(NEW."earlier_sights") > 16 THEN
        NEW."earlier_sights" := (NEW."earlier_sights"[1] | NEW."earlier_sights"[2])::SMALLINT || NEW."earlier_sights"[3:];
        NEW."earlier_sights_until" := NEW."earlier_sights_until"[1] || NEW."earlier_sights_until"[3:];
    END IF;
    RETURN NEW;
END
$$;

-- What is known of an entry whose past is recorded.
CREATE TYPE "entryway_past_entry" AS ("id" UUID, "version" INTEGER, "created_at" TIMESTAMPTZ, "status" "entry_status", "publish_at" TIMESTAMPTZ,
    "owner" TEXT, "read_grant" TEXT[], "read_deny" TEXT[], "announced" BOOLEAN, "sight_version" INTEGER);

-- Since when publication shows an entry to the public, in channels where it decides. It was announced after all earlier sights, or
-- written so.
CREATE FUNCTION "entryway_opened_at"("announced" BOOLEAN, "status" "entry_status", "publish_at" TIMESTAMPTZ) RETURNS TIMESTAMPTZ
LANGUAGE SQL IMMUTABLE AS $$
    SELECT CASE WHEN "announced" THEN '-infinity' WHEN "status" = 'draft' THEN 'infinity' ELSE coalesce("publish_at", '-infinity') END
$$;

-- The set of sights that an entry was under, which begins to be shown at a time. Those of publishable channels (170) that ended before
-- are other bits, one for each scope: the public never saw the entry there, and who sees every state did. An end that is not known
-- counts as a late one.
CREATE FUNCTION "entryway_past_sights"("sights" SMALLINT[], "until" TIMESTAMPTZ[], "opened_at" TIMESTAMPTZ) RETURNS SMALLINT
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    "v_set" INTEGER := 0;
    "v_sight" INTEGER;
BEGIN
    FOR i IN 1 .. cardinality("sights") LOOP
        "v_sight" := "sights"[i];
        IF "until"[i] < "opened_at" THEN
            "v_sight" := ("v_sight" & 85) | (("v_sight" & 2) << 7) | (("v_sight" & 8) << 6) | (("v_sight" & 32) << 5) | (("v_sight" & 128) << 4);
        END IF;
        "v_set" := "v_set" | "v_sight";
    END LOOP;
    RETURN "v_set";
END
$$;

-- Records that the time of an entry has come, where its channel was publishable then.
CREATE FUNCTION "entryway_record_publication"(
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
        "after_sights", "after_open", "after_owner", "after_grant", "after_deny")
    VALUES ("p_site_id", "v_number", 'entry.published', "p_entry"."publish_at", "p_channel_uid", "p_channel", "p_entry"."id",
        "p_entry"."version",
        "p_before", FALSE, "p_entry"."owner", nullif("p_entry"."read_grant", '{}'), nullif("p_entry"."read_deny", '{}'),
        "p_sight", TRUE, "p_entry"."owner", nullif("p_entry"."read_grant", '{}'), nullif("p_entry"."read_deny", '{}'));
END
$$;

-- Records what happened to an entry since it was written last, in the order of the times: its publication, if that is not recorded yet and
-- "p_is_open" says that its time has come, and that it was under earlier sights of its channel. The caller notes in the entry that this is
-- recorded, or writes the entry.
CREATE FUNCTION "entryway_record_past"(
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
        "after_sights", "after_open", "after_owner", "after_grant", "after_deny")
    VALUES ("p_site_id", "v_number", 'entry.sight', "p_at", "p_channel_uid", "v_channel"."id", "p_entry"."id", "p_entry"."version",
        -- The sights of channels that are not publishable are 85, those of publishable ones 170 (entryway_sight).
        CASE WHEN "v_is_open" THEN NULL
            WHEN "v_channel"."publishable" AND "v_all" & 85::SMALLINT <> 0 THEN FALSE
            WHEN NOT "v_channel"."publishable" AND "v_all" & 170::SMALLINT <> 0 THEN TRUE END,
        "entryway_past_sights"("v_earlier", "v_until",
            "entryway_opened_at"("p_entry"."announced", "p_entry"."status", "p_entry"."publish_at")),
        "v_is_open", "p_entry"."owner", nullif("p_entry"."read_grant", '{}'), nullif("p_entry"."read_deny", '{}'),
        "v_channel"."sight", "v_is_open", "p_entry"."owner", nullif("p_entry"."read_grant", '{}'), nullif("p_entry"."read_deny", '{}'));
    IF "v_is_due" AND NOT "v_is_open" THEN
        PERFORM "entryway_record_publication"("p_site_id", "p_channel_uid", "v_channel"."id", "p_entry", "v_channel"."sight",
            "v_channel"."sight");
    END IF;
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
        "after_sights", "after_open", "after_owner", "after_grant", "after_deny")
    VALUES ("p_site_id", "v_number", 'entry.updated', "p_at", "p_channel_uid", "v_channel"."id", "p_id", "v_entry"."version",
        CASE WHEN "v_channel"."publishable" AND "v_open" <> "v_was_open" THEN "v_open" END,
        "v_channel"."sight", "v_was_open", "v_old"."owner", nullif("v_old"."read_grant", '{}'), nullif("v_old"."read_deny", '{}'),
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
        "before_sights", "before_open", "before_owner", "before_grant", "before_deny")
    VALUES ("p_site_id", "v_number", 'entry.deleted', "p_at", "p_channel_uid", "v_channel"."id", "p_id", "p_version",
        CASE WHEN "v_channel"."publishable" AND "v_was_open" THEN FALSE END,
        "v_channel"."sight", "v_was_open", "v_old"."owner", nullif("v_old"."read_grant", '{}'), nullif("v_old"."read_deny", '{}'));
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
    "v_version" INTEGER;
    "v_old" "entryway_past_entry";
    "v_open" BOOLEAN;
    "v_count" INTEGER := 0;
    "v_last_at" TIMESTAMPTZ;
    "v_last_id" UUID;
BEGIN
    PERFORM pg_advisory_xact_lock_shared("p_lock");
    SELECT c."sight_version" INTO "v_version" FROM "channels" c
        WHERE c."site_id" = "p_site_id" AND c."uid" = "p_channel_uid" AND c."earlier_sights" <> '{}' FOR SHARE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF "p_version" <> "v_version" THEN
        RETURN QUERY SELECT "v_version", 0, NULL::TIMESTAMPTZ, NULL::UUID;
        RETURN;
    END IF;
    FOR "v_old" IN
        SELECT o."id", o."version", o."created_at", o."status", o."publish_at", o."owner", o."read_grant", o."read_deny",
            o."announced", o."sight_version"
        FROM "entries" o WHERE o."site_id" = "p_site_id" AND o."channel_uid" = "p_channel_uid"
            AND o."sight_version" < "v_version"
            AND (o."created_at", o."id") > (coalesce("p_after_at", '-infinity'), coalesce("p_after_id", '00000000-0000-0000-0000-000000000000'))
        ORDER BY o."created_at", o."id" LIMIT "p_limit" FOR SHARE
    LOOP
        -- Others read the entry until now, and not until the request began.
        "v_open" := coalesce("v_old"."announced", FALSE) OR ("v_old"."status" <> 'draft'
            AND ("v_old"."publish_at" IS NULL OR "v_old"."publish_at" <= greatest("p_at", clock_timestamp())));
        PERFORM "entryway_record_past"("p_site_id", "p_channel_uid", "v_old", "v_open", "p_at");
        IF "v_open" AND NOT "v_old"."announced" THEN
            UPDATE "entries" e SET "announced" = TRUE, "sight_version" = "v_version"
                WHERE e."site_id" = "p_site_id" AND e."id" = "v_old"."id";
        END IF;
        "v_count" := "v_count" + 1;
        "v_last_at" := "v_old"."created_at";
        "v_last_id" := "v_old"."id";
    END LOOP;
    RETURN QUERY SELECT "v_version", "v_count", "v_last_at", "v_last_id";
END
$$;

-- Records that the time of some entries of a channel has come (the migration "records_and_rebuilds").
CREATE OR REPLACE FUNCTION "entryway_record_opened"(
    "p_site_id" TEXT, "p_turn" BIGINT, "p_lock" BIGINT, "p_channel_uid" UUID, "p_at" TIMESTAMPTZ, "p_ids" UUID[])
RETURNS TABLE ("has_turn" BOOLEAN, "entries" INTEGER) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    "v_version" INTEGER;
    "v_old" "entryway_past_entry";
    "v_id" UUID;
    "v_ids" UUID[] := '{}';
BEGIN
    IF NOT pg_try_advisory_xact_lock("p_turn") THEN
        RETURN QUERY SELECT FALSE, 0;
        RETURN;
    END IF;
    IF pg_try_advisory_xact_lock_shared("p_lock") THEN
        SELECT c."sight_version" INTO "v_version" FROM "channels" c
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
        SELECT o."id", o."version", o."created_at", o."status", o."publish_at", o."owner", o."read_grant", o."read_deny",
            o."announced", o."sight_version"
        FROM "entries" o WHERE o."site_id" = "p_site_id" AND o."id" = ANY("v_ids")
        ORDER BY o."publish_at", o."id" LIMIT cardinality("v_ids")
    LOOP
        UPDATE "entries" e SET "announced" = TRUE, "sight_version" = "v_version"
            WHERE e."site_id" = "p_site_id" AND e."id" = "v_old"."id";
        PERFORM "entryway_record_past"("p_site_id", "p_channel_uid", "v_old", TRUE, "p_at");
    END LOOP;
    RETURN QUERY SELECT TRUE, cardinality("v_ids");
END
$$;

-- The set of sights under which the public could see an entry of a channel until now, if access control lets it.
CREATE FUNCTION "entryway_shown_sights"(
    "sight" SMALLINT, "earlier_sights" SMALLINT[], "until" TIMESTAMPTZ[], "sight_version" INTEGER,
    "entry_version" INTEGER, "opened_at" TIMESTAMPTZ, "now" TIMESTAMPTZ)
RETURNS INTEGER LANGUAGE SQL IMMUTABLE AS $$
    SELECT ("sight" | CASE WHEN "earlier_sights" = '{}' THEN 0::SMALLINT ELSE "entryway_past_sights"(
            "earlier_sights"[greatest(1, cardinality("earlier_sights") - ("sight_version" - "entry_version") + 1):],
            "until"[greatest(1, cardinality("earlier_sights") - ("sight_version" - "entry_version") + 1):], "opened_at") END)
        & CASE WHEN "opened_at" <= "now" THEN 255 ELSE 85 END
$$;

-- Records the deletion of a channel before its entries go, with who of the public could see any of them, whatever keys and roles they
-- have: "before_grant" has the keys to which an entry was granted, and the owners of entries under the scope "private" that are not
-- denied to them; each text in "before_deny" is the scope, "public" or "shared", that showed an entry, and the keys that were denied it.
-- Beyond 100,000 keys, or 1,000 lists of denied keys, those of single customers and the longest lists are left out: who saw an entry by
-- these alone is not told.
CREATE FUNCTION "entryway_record_deleted_channel"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
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
    INSERT INTO "changes" ("site_id", "position", "type", "at", "channel_uid", "channel", "before_grant", "before_deny")
    VALUES (OLD."site_id", "v_number", 'channel.deleted', now(), OLD."uid", OLD."id", "v_keys", "v_lists");
    RETURN OLD;
END
$$;

-- Where the tables are distributed, Citus asks for this before it changes triggers.
SET LOCAL citus.enable_unsafe_triggers = on;
DROP TRIGGER "channels_record_delete" ON "channels";
CREATE TRIGGER "channels_record_delete" BEFORE DELETE ON "channels"
    FOR EACH ROW EXECUTE FUNCTION "entryway_record_deleted_channel"();

CREATE OR REPLACE FUNCTION "entryway_record_channel"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "changes" ("site_id", "type", "at", "channel_uid", "channel")
    VALUES (NEW."site_id", TG_ARGV[0]::"change_type", NEW."updated_at", NEW."uid", NEW."id");
    RETURN NULL;
END
$$;
