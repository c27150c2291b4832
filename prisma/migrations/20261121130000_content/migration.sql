-- AlterTable
ALTER TABLE "channels" ADD COLUMN     "derived_version" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "fields_version" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "entries" ADD COLUMN     "fields_version" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "kept" JSONB NOT NULL DEFAULT '{}';

-- CreateTable
CREATE TABLE "entry_values" (
    "site_id" VARCHAR(63) NOT NULL,
    "entry_id" UUID NOT NULL,
    "field" VARCHAR(63) COLLATE "C" NOT NULL,
    "channel_uid" UUID NOT NULL,
    "key" TEXT COLLATE "C",
    "digest" BYTEA,

    CONSTRAINT "entry_values_pkey" PRIMARY KEY ("site_id","entry_id","field")
);

-- CreateIndex
CREATE INDEX "entry_values_site_id_channel_uid_field_key_entry_id_idx" ON "entry_values"("site_id", "channel_uid", "field", "key", "entry_id");

-- The other direction: absent values come last there, too.
CREATE INDEX "entry_values_descending_idx" ON "entry_values"("site_id", "channel_uid", "field", "key" DESC NULLS LAST, "entry_id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "entry_values_site_id_channel_uid_field_digest_key" ON "entry_values"("site_id", "channel_uid", "field", "digest");

-- AddForeignKey
ALTER TABLE "entry_values" ADD CONSTRAINT "entry_values_site_id_entry_id_fkey" FOREIGN KEY ("site_id", "entry_id") REFERENCES "entries"("site_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What is in a field, or in a list of one: an index for each channel, in one. The channel leads each path, so that a
-- search meets the entries of that channel alone. Without a list of what is pending, which each search would walk.
CREATE INDEX "entries_data_idx" ON "entries" USING GIN (jsonb_set('{}', ARRAY["channel_uid"::TEXT], "data") jsonb_path_ops) WITH (fastupdate = off);

-- Entries were stored as they were sent, and are to be gone through once.
UPDATE "channels" SET "derived_version" = 0;
