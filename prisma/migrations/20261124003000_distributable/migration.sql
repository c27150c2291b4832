-- What keeps the tables from being distributed by site over the nodes of Citus (docs/scaling.md) is as it has to be there, on
-- every database alike. What is stored stays the same, and no table is rewritten.

-- A notification names its table by the trigger's first argument: the name that a trigger sees is that of a shard, on a node.
CREATE OR REPLACE FUNCTION "entryway_notify"() RETURNS TRIGGER LANGUAGE plpgsql SET "bytea_output" TO 'hex' AS $$
BEGIN
    PERFORM pg_notify('entryway', (
        SELECT (jsonb_build_array(TG_ARGV[0]) || jsonb_agg(to_jsonb(OLD) -> "column" ORDER BY "position"))::TEXT
        FROM unnest(TG_ARGV[1:]) WITH ORDINALITY AS "argument"("column", "position")));
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER "tokens_notify" AFTER DELETE OR UPDATE OF "kind", "hash", "site_id", "user_id", "expires_at", "revoked_at" ON "tokens"
    FOR EACH ROW EXECUTE FUNCTION "entryway_notify"('tokens', 'hash');

CREATE OR REPLACE TRIGGER "memberships_notify" AFTER UPDATE OR DELETE ON "memberships"
    FOR EACH ROW EXECUTE FUNCTION "entryway_notify"('memberships', 'site_id', 'user_id');

CREATE OR REPLACE TRIGGER "customers_notify" AFTER UPDATE OR DELETE ON "customers"
    FOR EACH ROW EXECUTE FUNCTION "entryway_notify"('customers', 'site_id', 'id');

CREATE OR REPLACE TRIGGER "sessions_notify" AFTER DELETE OR UPDATE OF "site_id", "customer_id", "hash", "expires_at", "revoked_at" ON "sessions"
    FOR EACH ROW EXECUTE FUNCTION "entryway_notify"('sessions', 'site_id', 'hash');

CREATE OR REPLACE TRIGGER "channels_notify" AFTER UPDATE OR DELETE ON "channels"
    FOR EACH ROW EXECUTE FUNCTION "entryway_notify"('channels', 'site_id', 'id');

-- The names of these values never change, so that the text of one is the same for ever. PostgreSQL's own conversion is only
-- stable, and Citus returns from a write what is immutable alone.
CREATE FUNCTION "entryway_text"("value" "token_kind") RETURNS TEXT LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN enum_out("value");
END
$$;

CREATE FUNCTION "entryway_text"("value" "channel_scope") RETURNS TEXT LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN enum_out("value");
END
$$;

CREATE FUNCTION "entryway_text"("value" "webhook_audience") RETURNS TEXT LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN enum_out("value");
END
$$;

CREATE CAST ("token_kind" AS TEXT) WITH FUNCTION "entryway_text"("token_kind") AS ASSIGNMENT;
CREATE CAST ("channel_scope" AS TEXT) WITH FUNCTION "entryway_text"("channel_scope") AS ASSIGNMENT;
CREATE CAST ("webhook_audience" AS TEXT) WITH FUNCTION "entryway_text"("webhook_audience") AS ASSIGNMENT;

-- What the number of a new record is where the tables are distributed, in place of a sequence: each node would have a part of the
-- sequence's numbers, and a site that is moved to another node would go on with earlier ones. It is the time, in microseconds; where
-- one record was written after another one had been seen, clocks of nodes have to agree on that. A connection's numbers go up even
-- if its clock goes back, and the last ten bits keep those of several connections apart.
CREATE FUNCTION "entryway_written_at"() RETURNS BIGINT LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    "at" BIGINT := (extract(EPOCH FROM clock_timestamp() - TIMESTAMPTZ '2026-01-01 00:00:00Z') * 1000000)::BIGINT;
    "last" BIGINT := nullif(current_setting('entryway.written_at', TRUE), '')::BIGINT;
BEGIN
    "at" := greatest("at", "last" + 1);
    PERFORM set_config('entryway.written_at', "at"::TEXT, FALSE);
    RETURN 4611686018427387904 + "at" * 1024 + (pg_backend_pid() & 1023);
END
$$;
