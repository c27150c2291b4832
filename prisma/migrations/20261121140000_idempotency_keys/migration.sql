-- CreateTable
CREATE TABLE "idempotency_keys" (
    "site_id" VARCHAR(63) NOT NULL,
    "holder" BYTEA NOT NULL,
    "key" VARCHAR(255) COLLATE "C" NOT NULL,
    "request" BYTEA NOT NULL,
    "status" SMALLINT NOT NULL,
    "headers" JSONB NOT NULL,
    "body" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("site_id","holder","key")
);

-- CreateIndex
CREATE INDEX "idempotency_keys_site_id_created_at_idx" ON "idempotency_keys"("site_id", "created_at");

-- AddForeignKey
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_site_id_fkey" FOREIGN KEY ("site_id") REFERENCES "sites"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
