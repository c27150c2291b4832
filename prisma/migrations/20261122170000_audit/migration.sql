-- The audit log (contract §13.6): who changed what is managed. A record is stored in the transaction of its change.

CREATE TABLE "audit_records" (
    -- Empty: what belongs to no site, such as users. It refers to no site, because the record of a deletion outlives the site.
    "site_id" VARCHAR(63) NOT NULL,
    "id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    -- What was changed: the kind of thing, its id, and how.
    "type" VARCHAR(20) NOT NULL,
    "subject" VARCHAR(255) NOT NULL,
    "action" VARCHAR(20) NOT NULL,
    -- Who changed it: the kind of token, `operator` for the command line, or `service` for the service itself.
    "actor_kind" VARCHAR(20) NOT NULL,
    "token_id" UUID,
    "user_id" UUID,
    "customer_id" VARCHAR(255),
    "actor_name" VARCHAR(255),
    -- The members that changed; null: it did not exist.
    "before" JSONB,
    "after" JSONB,
    -- How many bytes these two have as JSON.
    "bytes" INTEGER NOT NULL,
    "request_id" VARCHAR(200),
    "address" VARCHAR(100),

    CONSTRAINT "audit_records_pkey" PRIMARY KEY ("site_id", "id")
);

CREATE INDEX "audit_records_site_id_at_idx" ON "audit_records" ("site_id", "at");
CREATE INDEX "audit_records_site_id_subject_id_idx" ON "audit_records" ("site_id", "subject", "id" DESC);
