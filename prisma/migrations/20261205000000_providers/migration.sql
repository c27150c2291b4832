-- Users sign in by OpenID Connect providers (docs/contract.md §14.8): providers, the links of users to them, and the sign-ins made by them.
CREATE TABLE "providers" (
    "id" VARCHAR(63) NOT NULL,
    "name" VARCHAR(255) NOT NULL,
    "issuer" VARCHAR(2048) NOT NULL,
    "client_id" VARCHAR(255) NOT NULL,
    "client_secret" VARCHAR(1024) NOT NULL,
    "domains" VARCHAR(253)[] NOT NULL,
    "key" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "providers_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "identities" (
    "provider_id" VARCHAR(63) NOT NULL,
    "subject" VARCHAR(255) NOT NULL,
    "user_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "identities_pkey" PRIMARY KEY ("provider_id", "subject"),
    CONSTRAINT "identities_provider_id_fkey" FOREIGN KEY ("provider_id") REFERENCES "providers" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "identities_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "identities_user_id_provider_id_key" ON "identities" ("user_id", "provider_id");

ALTER TABLE "sign_ins" ADD COLUMN "provider_id" VARCHAR(63);
ALTER TABLE "sign_ins" ADD CONSTRAINT "sign_ins_provider_id_fkey" FOREIGN KEY ("provider_id") REFERENCES "providers" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
CREATE INDEX "sign_ins_provider_id_idx" ON "sign_ins" ("provider_id") WHERE "provider_id" IS NOT NULL;

-- Whom a provider signs in the first time is looked for among the invitations of all sites.
CREATE INDEX "invitations_email_without_case_idx" ON "invitations" (lower("email" COLLATE "C"));
