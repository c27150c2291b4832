-- Foreign keys without ON UPDATE CASCADE, which Citus refuses on distributed tables. The columns that they refer to never change.
-- This reads each table once, and writes none.

ALTER TABLE "memberships" DROP CONSTRAINT "memberships_site_id_fkey",
    ADD CONSTRAINT "memberships_site_id_fkey" FOREIGN KEY ("site_id") REFERENCES "sites"("id") ON DELETE RESTRICT;

ALTER TABLE "memberships" DROP CONSTRAINT "memberships_user_id_fkey",
    ADD CONSTRAINT "memberships_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT;

ALTER TABLE "tokens" DROP CONSTRAINT "tokens_site_id_fkey",
    ADD CONSTRAINT "tokens_site_id_fkey" FOREIGN KEY ("site_id") REFERENCES "sites"("id") ON DELETE RESTRICT;

ALTER TABLE "tokens" DROP CONSTRAINT "tokens_user_id_fkey",
    ADD CONSTRAINT "tokens_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT;

ALTER TABLE "customers" DROP CONSTRAINT "customers_site_id_fkey",
    ADD CONSTRAINT "customers_site_id_fkey" FOREIGN KEY ("site_id") REFERENCES "sites"("id") ON DELETE RESTRICT;

ALTER TABLE "sessions" DROP CONSTRAINT "sessions_site_id_customer_id_fkey",
    ADD CONSTRAINT "sessions_site_id_customer_id_fkey" FOREIGN KEY ("site_id", "customer_id") REFERENCES "customers"("site_id", "id") ON DELETE RESTRICT;

ALTER TABLE "channels" DROP CONSTRAINT "channels_site_id_fkey",
    ADD CONSTRAINT "channels_site_id_fkey" FOREIGN KEY ("site_id") REFERENCES "sites"("id") ON DELETE RESTRICT;

ALTER TABLE "entries" DROP CONSTRAINT "entries_site_id_channel_uid_fkey",
    ADD CONSTRAINT "entries_site_id_channel_uid_fkey" FOREIGN KEY ("site_id", "channel_uid") REFERENCES "channels"("site_id", "uid") ON DELETE CASCADE;

ALTER TABLE "entry_values" DROP CONSTRAINT "entry_values_site_id_entry_id_fkey",
    ADD CONSTRAINT "entry_values_site_id_entry_id_fkey" FOREIGN KEY ("site_id", "entry_id") REFERENCES "entries"("site_id", "id") ON DELETE CASCADE;

ALTER TABLE "idempotency_keys" DROP CONSTRAINT "idempotency_keys_site_id_fkey",
    ADD CONSTRAINT "idempotency_keys_site_id_fkey" FOREIGN KEY ("site_id") REFERENCES "sites"("id") ON DELETE RESTRICT;

ALTER TABLE "change_feeds" DROP CONSTRAINT "change_feeds_site_id_fkey",
    ADD CONSTRAINT "change_feeds_site_id_fkey" FOREIGN KEY ("site_id") REFERENCES "sites"("id") ON DELETE RESTRICT;

ALTER TABLE "webhooks" DROP CONSTRAINT "webhooks_site_id_fkey",
    ADD CONSTRAINT "webhooks_site_id_fkey" FOREIGN KEY ("site_id") REFERENCES "sites"("id") ON DELETE RESTRICT;

ALTER TABLE "webhook_events" DROP CONSTRAINT "webhook_events_site_id_webhook_id_fkey",
    ADD CONSTRAINT "webhook_events_site_id_webhook_id_fkey" FOREIGN KEY ("site_id", "webhook_id") REFERENCES "webhooks"("site_id", "id") ON DELETE CASCADE;

ALTER TABLE "webhook_deliveries" DROP CONSTRAINT "webhook_deliveries_site_id_fkey",
    ADD CONSTRAINT "webhook_deliveries_site_id_fkey" FOREIGN KEY ("site_id") REFERENCES "sites"("id") ON DELETE RESTRICT;
