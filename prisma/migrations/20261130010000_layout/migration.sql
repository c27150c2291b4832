-- How a form of a channel's entries is laid out, for whoever makes forms: a JSON object that the service does not look into
-- (docs/contract.md §6.1).
ALTER TABLE "channels" ADD COLUMN "layout" JSONB;
