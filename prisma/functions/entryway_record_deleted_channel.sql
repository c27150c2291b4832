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
