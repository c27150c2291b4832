-- Scopes of tokens: a part of the rights of their holders (docs/contract.md §14.5). A user token with scopes belongs to one site.
ALTER TABLE "tokens" ADD COLUMN "scopes" TEXT;
ALTER TABLE "tokens" DROP CONSTRAINT "tokens_bound";
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_bound" CHECK (CASE WHEN "kind" = 'user'
    THEN "user_id" IS NOT NULL AND ("site_id" IS NOT NULL OR "scopes" IS NULL)
    ELSE "site_id" IS NOT NULL AND "user_id" IS NULL AND ("scopes" IS NULL OR "kind" <> 'public') END);
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_of_sign_ins" CHECK ("sign_in_id" IS NULL OR ("site_id" IS NULL AND "scopes" IS NULL));
