-- AlterTable
ALTER TABLE "entries" ADD COLUMN     "search" tsvector;

-- CreateIndex
-- Each vector names its channel, so that a search meets the entries of that channel alone. Without a list of what is
-- pending, which each search would walk.
CREATE INDEX "entries_search_idx" ON "entries" USING GIN ("search") WITH (fastupdate = off);

-- Entries that are there have none yet, and are to be gone through once.
UPDATE "channels" SET "fields_version" = "fields_version" + 1;
