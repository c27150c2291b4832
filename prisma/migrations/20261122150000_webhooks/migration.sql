-- Webhooks (contract §9): where changes are sent, what is still to be sent, and the log of what was.

CREATE TYPE "webhook_audience" AS ENUM ('management', 'public');

CREATE TABLE "webhooks" (
    "site_id" VARCHAR(63) NOT NULL,
    "id" UUID NOT NULL,
    "url" VARCHAR(2048) NOT NULL,
    -- Empty: all.
    "types" TEXT[] NOT NULL,
    "channels" VARCHAR(63)[] NOT NULL,
    "audience" "webhook_audience" NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    -- Why the service disabled it; null: it did not.
    "disabled_reason" VARCHAR(20),
    -- The keys of its signatures. They are stored as they are, because each delivery is signed with them.
    "secret" BYTEA NOT NULL,
    "old_secret" BYTEA,
    "old_secret_until" TIMESTAMPTZ(3),
    -- How far the feed was read for it.
    "cursor" VARCHAR(32) NOT NULL,
    -- The last place of its queue that was given.
    "queued" BIGINT NOT NULL DEFAULT 0,
    -- The first failure since the last success.
    "failing_since" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhooks_pkey" PRIMARY KEY ("site_id", "id"),
    CONSTRAINT "webhooks_site_id_fkey" FOREIGN KEY ("site_id") REFERENCES "sites" ("id")
);

-- What is to be sent to a webhook. A row goes when it was answered 2xx, or is given up.
CREATE TABLE "webhook_events" (
    "site_id" VARCHAR(63) NOT NULL,
    "webhook_id" UUID NOT NULL,
    "place" BIGINT NOT NULL,
    -- Events of one subject, which is an entry or a channel, are sent one after the other.
    "subject" VARCHAR(63) NOT NULL,
    -- Asked for by somebody: sent at once, without regard to order, and once.
    "is_manual" BOOLEAN NOT NULL DEFAULT FALSE,
    -- The change, as the audience sees it.
    "type" VARCHAR(30) NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "channel" VARCHAR(63),
    "entry_id" UUID,
    "version" INTEGER,
    -- The cursor of the change; of a test: a text of its own.
    "cursor" VARCHAR(36) NOT NULL,
    "audience" "webhook_audience" NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    -- Who is sending it, and until when nobody else does.
    "holder" UUID,
    "held_until" TIMESTAMPTZ(3),
    -- The id that the next attempt gets in the log; null: any.
    "delivery_id" UUID,

    CONSTRAINT "webhook_events_pkey" PRIMARY KEY ("site_id", "webhook_id", "place"),
    CONSTRAINT "webhook_events_site_id_webhook_id_fkey" FOREIGN KEY ("site_id", "webhook_id")
        REFERENCES "webhooks" ("site_id", "id") ON DELETE CASCADE
);

CREATE INDEX "webhook_events_site_id_due_at_idx" ON "webhook_events" ("site_id", "due_at");
CREATE INDEX "webhook_events_site_id_webhook_id_due_at_idx" ON "webhook_events" ("site_id", "webhook_id", "due_at");
CREATE INDEX "webhook_events_site_id_webhook_id_subject_place_idx" ON "webhook_events" ("site_id", "webhook_id", "subject", "place");

-- The log of attempts. It refers to no webhook, so that deleting one is a small write: the rest goes with its age.
CREATE TABLE "webhook_deliveries" (
    "site_id" VARCHAR(63) NOT NULL,
    "id" UUID NOT NULL,
    "webhook_id" UUID NOT NULL,
    "type" VARCHAR(30) NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL,
    "channel" VARCHAR(63),
    "entry_id" UUID,
    "version" INTEGER,
    "cursor" VARCHAR(36) NOT NULL,
    "audience" "webhook_audience" NOT NULL,
    "attempt" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    -- The answer, or what went wrong.
    "status" INTEGER,
    "error" TEXT,
    "milliseconds" INTEGER,
    "answer" TEXT,
    "next_attempt_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("site_id", "id"),
    CONSTRAINT "webhook_deliveries_site_id_fkey" FOREIGN KEY ("site_id") REFERENCES "sites" ("id")
);

CREATE INDEX "webhook_deliveries_site_id_webhook_id_id_idx" ON "webhook_deliveries" ("site_id", "webhook_id", "id" DESC);
CREATE INDEX "webhook_deliveries_site_id_at_idx" ON "webhook_deliveries" ("site_id", "at");

-- Tells all processes of webhooks that follow a site's changes from now on.
CREATE FUNCTION "entryway_notify_webhook"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('entryway', jsonb_build_array('webhooks', NEW."site_id")::TEXT);
    RETURN NULL;
END
$$;

CREATE TRIGGER "webhooks_notify_insert" AFTER INSERT ON "webhooks"
    FOR EACH ROW EXECUTE FUNCTION "entryway_notify_webhook"();
CREATE TRIGGER "webhooks_notify_enable" AFTER UPDATE OF "enabled" ON "webhooks"
    FOR EACH ROW WHEN (NEW."enabled" AND NOT OLD."enabled") EXECUTE FUNCTION "entryway_notify_webhook"();
