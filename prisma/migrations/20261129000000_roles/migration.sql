-- Members get roles, and sites roles of their own. Who is a member already has none.
ALTER TABLE "memberships" ADD COLUMN "roles" VARCHAR(63)[] NOT NULL DEFAULT ARRAY[]::VARCHAR(63)[];

CREATE TABLE "roles" (
    "site_id" VARCHAR(63) NOT NULL,
    "id" VARCHAR(63) NOT NULL,
    "name" VARCHAR(255),
    "rights" TEXT[] NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "roles_pkey" PRIMARY KEY ("site_id", "id"),
    CONSTRAINT "roles_site_id_fkey" FOREIGN KEY ("site_id") REFERENCES "sites" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

CREATE TRIGGER "roles_notify" AFTER UPDATE OR DELETE ON "roles"
    FOR EACH ROW EXECUTE FUNCTION "entryway_notify"('roles', 'site_id', 'id');
