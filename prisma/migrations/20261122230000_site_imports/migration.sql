-- A site that is being imported (contract §12): nobody but its import sees it until it is complete.
ALTER TABLE "sites"
    -- The import that writes it; null: it is complete.
    ADD COLUMN "importing" UUID,
    -- When that import last wrote.
    ADD COLUMN "importing_at" TIMESTAMPTZ(3);
