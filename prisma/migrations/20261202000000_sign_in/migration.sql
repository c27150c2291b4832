-- Users sign in: passwords, sign-ins with their tokens, browsers that were in before, links that set a password, and failures.
CREATE TABLE "passwords" (
    "user_id" UUID NOT NULL,
    "stored" VARCHAR(255) NOT NULL,
    "set_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "passwords_pkey" PRIMARY KEY ("user_id"),
    CONSTRAINT "passwords_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE TABLE "sign_ins" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_ins_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "sign_ins_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "sign_ins_hash_key" ON "sign_ins" ("hash");
CREATE INDEX "sign_ins_user_id_created_at_idx" ON "sign_ins" ("user_id", "created_at");
CREATE INDEX "sign_ins_expires_at_idx" ON "sign_ins" ("expires_at");

CREATE TABLE "known_browsers" (
    "user_id" UUID NOT NULL,
    "hash" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "known_browsers_pkey" PRIMARY KEY ("user_id", "hash"),
    CONSTRAINT "known_browsers_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "known_browsers_expires_at_idx" ON "known_browsers" ("expires_at");

CREATE TABLE "user_links" (
    "hash" BYTEA NOT NULL,
    "user_id" UUID NOT NULL,
    "keep_tokens" BOOLEAN NOT NULL,
    "keep_links" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "user_links_pkey" PRIMARY KEY ("hash"),
    CONSTRAINT "user_links_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "user_links_user_id_idx" ON "user_links" ("user_id");
CREATE INDEX "user_links_expires_at_idx" ON "user_links" ("expires_at");

CREATE TABLE "sign_in_failures" (
    "key" BYTEA NOT NULL,
    "failures" INTEGER NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_failures_pkey" PRIMARY KEY ("key")
);
CREATE INDEX "sign_in_failures_ends_at_idx" ON "sign_in_failures" ("ends_at");

-- The tokens of a sign-in are deleted with it. The trigger of tokens announces each.
ALTER TABLE "tokens" ADD COLUMN "sign_in_id" UUID;
ALTER TABLE "tokens" ADD COLUMN "sealed_key" BYTEA;
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_sign_in_id_fkey" FOREIGN KEY ("sign_in_id") REFERENCES "sign_ins" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
CREATE INDEX "tokens_sign_in_id_idx" ON "tokens" ("sign_in_id", "expires_at") WHERE "sign_in_id" IS NOT NULL;

-- One user has one address, whatever the case of its ASCII letters ("C": no others are folded). Older users whose addresses differ in
-- nothing else stay, and keep them.
ALTER TABLE "users" ADD COLUMN "spelled_alone" BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE "users" SET "spelled_alone" = TRUE WHERE lower("email" COLLATE "C") IN (
    SELECT lower(u."email" COLLATE "C") FROM "users" u GROUP BY 1 HAVING count(*) > 1);
CREATE UNIQUE INDEX "users_email_without_case_key" ON "users" (lower("email" COLLATE "C")) WHERE NOT "spelled_alone";
