-- Invitations to sites. Who is asked for with the link's token is known by its hash alone, whatever the site.
CREATE TABLE "invitations" (
    "site_id" VARCHAR(63) NOT NULL,
    "id" UUID NOT NULL,
    "email" VARCHAR(320) NOT NULL,
    "roles" VARCHAR(63)[] NOT NULL,
    "hash" BYTEA NOT NULL,
    "invited_by" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "invitations_pkey" PRIMARY KEY ("site_id", "id"),
    CONSTRAINT "invitations_site_id_fkey" FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "invitations_hash_key" ON "invitations" ("hash");
CREATE INDEX "invitations_expires_at_idx" ON "invitations" ("expires_at");
-- A site has one invitation for an address, whatever the case of its ASCII letters ("C": no others are folded).
CREATE UNIQUE INDEX "invitations_site_id_email_without_case_key" ON "invitations" ("site_id", lower("email" COLLATE "C"));

-- Whether an invitation has made the user, and nobody has proved since whose address it has.
ALTER TABLE "users" ADD COLUMN "unproven" BOOLEAN NOT NULL DEFAULT FALSE;
