-- Records without a place, of all sites: there are few at any time, and they are found without a list of the sites
-- (src/entries/readChanges.ts, src/database/undelivered.ts).
CREATE INDEX "changes_unplaced_idx" ON "changes" ("site_id") WHERE "position" >= 4611686018427387904;
