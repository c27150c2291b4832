-- What processes tell each other of rates. It is of the last minute: it need not outlive a crash, nor reach a standby.
CREATE UNLOGGED TABLE "rate_counts" (
    "name" VARCHAR(20) NOT NULL,
    "key" VARCHAR(255) NOT NULL,
    "operations" DOUBLE PRECISION NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "rate_counts_pkey" PRIMARY KEY ("name","key")
) WITH (fillfactor = 50);
