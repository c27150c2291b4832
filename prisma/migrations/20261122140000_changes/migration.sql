-- The record of what happened to entries and channels (contract §9): each write stores its change in its own transaction.

CREATE TYPE "change_type" AS ENUM (
    'entry.created', 'entry.updated', 'entry.deleted', 'entry.published',
    -- Who may read the channel's entries was changed: not shown under this name.
    'entry.sight',
    'channel.created', 'channel.updated', 'channel.deleted'
);

-- What the scope and the publishing of a channel let others see of its entries, as one bit of eight: records hold sets of them.
CREATE FUNCTION "entryway_sight"("scope" "channel_scope", "publishable" BOOLEAN) RETURNS SMALLINT LANGUAGE SQL IMMUTABLE AS $$
    SELECT (1 << (2 * CASE "scope" WHEN 'public' THEN 0 WHEN 'shared' THEN 1 WHEN 'private' THEN 2 ELSE 3 END + "publishable"::INT))::SMALLINT
$$;

ALTER TABLE "channels"
    ADD COLUMN "sight" SMALLINT NOT NULL GENERATED ALWAYS AS ("entryway_sight"("read_scope", "publishable")) STORED,
    -- Goes up when `sight` changes.
    ADD COLUMN "sight_version" INTEGER NOT NULL DEFAULT 1,
    -- The earlier sights of which it is not recorded yet for every entry that they ended: the last one is that of the version
    -- before this one, and so on.
    ADD COLUMN "earlier_sights" SMALLINT[] NOT NULL DEFAULT '{}';

CREATE INDEX "channels_earlier_sights_idx" ON "channels" ("site_id", "uid") WHERE "earlier_sights" <> '{}';

-- Which of the earlier sights an entry was under that was written so many versions ago. Of those that it was never under nobody
-- is told: it may have been hidden from who could read others then.
CREATE FUNCTION "entryway_earlier_sights"("earlier" SMALLINT[], "versions" INTEGER) RETURNS SMALLINT LANGUAGE SQL IMMUTABLE AS $$
    SELECT coalesce(bit_or(s), 0::SMALLINT) FROM unnest("earlier"[greatest(1, cardinality("earlier") - "versions" + 1):]) AS s
$$;

ALTER TABLE "entries"
    -- The channel's when the entry was written last.
    ADD COLUMN "sight_version" INTEGER NOT NULL DEFAULT 1,
    -- Whether its last change says that publication lets the public see it; null: it has none, its state and time say it.
    ADD COLUMN "announced" BOOLEAN;

UPDATE "entries" SET "announced" = ("publish_at" <= now()) WHERE "status" <> 'draft' AND "publish_at" IS NOT NULL;

-- The publications to come, of all sites, in the order of their times: one look finds those that are due.
CREATE INDEX "entries_due_idx" ON "entries" ("publish_at", "site_id") WHERE NOT "announced" AND "status" <> 'draft' AND "publish_at" IS NOT NULL;

CREATE SEQUENCE "changes_written";

CREATE TABLE "changes" (
    "site_id" VARCHAR(63) NOT NULL,
    -- Its place in the site's feed. A new record has none yet: its number, from 2^62 on, says when it was written.
    "position" BIGINT NOT NULL DEFAULT 4611686018427387904 + nextval('changes_written'),
    "type" "change_type" NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "channel_uid" UUID NOT NULL,
    "channel" VARCHAR(63) NOT NULL,
    "entry_id" UUID,
    "version" INTEGER,
    -- What the public sees of the entry began (true) or ended (false) to exist with this change.
    "publication" BOOLEAN,
    -- What decides who could see the entry before the change: the channel's sights (none: there was no entry), publication,
    -- owner, and the keys that grant and deny `read` (null: none).
    "before_sights" SMALLINT NOT NULL DEFAULT 0,
    "before_open" BOOLEAN NOT NULL DEFAULT FALSE,
    "before_owner" VARCHAR(255),
    "before_grant" TEXT[],
    "before_deny" TEXT[],
    -- The same after the change.
    "after_sights" SMALLINT NOT NULL DEFAULT 0,
    "after_open" BOOLEAN NOT NULL DEFAULT FALSE,
    "after_owner" VARCHAR(255),
    "after_grant" TEXT[],
    "after_deny" TEXT[],

    CONSTRAINT "changes_pkey" PRIMARY KEY ("site_id", "position")
);

-- Places are given in the order of writing: most updates of a record happen right after its insert.
ALTER TABLE "changes" SET (fillfactor = 90, autovacuum_vacuum_insert_scale_factor = 0.1);

CREATE TABLE "change_feeds" (
    "site_id" VARCHAR(63) NOT NULL,
    -- The last place that was given.
    "last" BIGINT NOT NULL DEFAULT 0,
    -- The last record that was dropped because of its age.
    "dropped" BIGINT NOT NULL DEFAULT 0,
    -- Encrypts the site's cursors, so that they do not show places.
    "secret" BYTEA NOT NULL DEFAULT decode(replace(gen_random_uuid()::TEXT, '-', ''), 'hex'),

    CONSTRAINT "change_feeds_pkey" PRIMARY KEY ("site_id"),
    CONSTRAINT "change_feeds_site_id_fkey" FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- Gives places to a site's new records, in the order in which they were written, and tells all processes. Only committed records
-- are seen here, so that an open transaction holds back nobody; it gets its places when it commits, after all that were given.
-- A write that waited for another one, of the same entry or of its channel, is never placed before it: whoever sees the second
-- record sees the first one, too, and the first one was written first.
CREATE FUNCTION "entryway_place_changes"("site" TEXT) RETURNS "change_feeds" LANGUAGE plpgsql
-- Its plans are kept, and made without the values: they must not read all records to find the new ones.
SET enable_seqscan = off AS $$
DECLARE
    "first_new" CONSTANT BIGINT := 4611686018427387904;
    "written" BIGINT;
    "feed" "change_feeds";
BEGIN
    SELECT * INTO "feed" FROM "change_feeds" f WHERE f."site_id" = "site";
    IF NOT FOUND THEN
        INSERT INTO "change_feeds" ("site_id") VALUES ("site") ON CONFLICT DO NOTHING;
        SELECT * INTO "feed" FROM "change_feeds" f WHERE f."site_id" = "site";
    END IF;
    -- New records have the highest numbers.
    IF coalesce((SELECT c."position" FROM "changes" c WHERE c."site_id" = "site" ORDER BY c."position" DESC LIMIT 1), 0) < "first_new" THEN
        RETURN "feed";
    END IF;
    SELECT * INTO "feed" FROM "change_feeds" f WHERE f."site_id" = "site" FOR UPDATE;
    -- A new statement, which sees what those who held the lock before have placed. One record after the other, by its key: no
    -- plan can come to read more than the new ones.
    FOR "written" IN
        SELECT c."position" FROM "changes" c WHERE c."site_id" = "site" AND c."position" >= "first_new" ORDER BY c."position" LIMIT 10000
    LOOP
        "feed"."last" := "feed"."last" + 1;
        UPDATE "changes" c SET "position" = "feed"."last" WHERE c."site_id" = "site" AND c."position" = "written";
    END LOOP;
    UPDATE "change_feeds" f SET "last" = "feed"."last" WHERE f."site_id" = "site" RETURNING f.* INTO "feed";
    PERFORM pg_notify('entryway', jsonb_build_array('changes', "site")::TEXT);
    RETURN "feed";
END
$$;

-- Records changes of channels, whoever makes them, and notes when a change of their settings changes who sees their entries.
CREATE FUNCTION "entryway_note_sight"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    NEW."sight_version" := OLD."sight_version" + 1;
    NEW."earlier_sights" := OLD."earlier_sights" || OLD."sight";
    -- Many changes while one of them is being recorded: the oldest two are taken as one.
    IF cardinality(NEW."earlier_sights") > 16 THEN
        NEW."earlier_sights" := (NEW."earlier_sights"[1] | NEW."earlier_sights"[2])::SMALLINT || NEW."earlier_sights"[3:];
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER "channels_note_sight" BEFORE UPDATE ON "channels" FOR EACH ROW
    WHEN (OLD."read_scope" <> NEW."read_scope" OR OLD."publishable" <> NEW."publishable")
    EXECUTE FUNCTION "entryway_note_sight"();

CREATE FUNCTION "entryway_record_channel"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        INSERT INTO "changes" ("site_id", "type", "at", "channel_uid", "channel")
        VALUES (OLD."site_id", 'channel.deleted', now(), OLD."uid", OLD."id");
    ELSE
        INSERT INTO "changes" ("site_id", "type", "at", "channel_uid", "channel")
        VALUES (NEW."site_id", TG_ARGV[0]::"change_type", NEW."updated_at", NEW."uid", NEW."id");
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER "channels_record_insert" AFTER INSERT ON "channels"
    FOR EACH ROW EXECUTE FUNCTION "entryway_record_channel"('channel.created');
CREATE TRIGGER "channels_record_update" AFTER UPDATE ON "channels"
    FOR EACH ROW WHEN (OLD."version" <> NEW."version") EXECUTE FUNCTION "entryway_record_channel"('channel.updated');
CREATE TRIGGER "channels_record_delete" AFTER DELETE ON "channels"
    FOR EACH ROW EXECUTE FUNCTION "entryway_record_channel"();
