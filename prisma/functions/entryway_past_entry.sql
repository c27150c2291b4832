-- What is known of an entry whose past is recorded.
CREATE TYPE "entryway_past_entry" AS ("id" UUID, "version" INTEGER, "created_at" TIMESTAMPTZ, "status" "entry_status", "publish_at" TIMESTAMPTZ,
    "owner" TEXT, "read_grant" TEXT[], "read_deny" TEXT[], "announced" BOOLEAN, "sight_version" INTEGER);
