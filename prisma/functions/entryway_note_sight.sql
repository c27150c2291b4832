-- Notes when a change of a channel's settings changes who sees its entries. A process of the release before empties "earlier_sights" alone.
CREATE OR REPLACE FUNCTION "entryway_note_sight"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
    "v_until" TIMESTAMPTZ[] := CASE WHEN OLD."earlier_sights" = '{}' THEN '{}' ELSE OLD."earlier_sights_until" END;
BEGIN
    "v_until" := array_fill(NULL::TIMESTAMPTZ, ARRAY[greatest(0, cardinality(OLD."earlier_sights") - cardinality("v_until"))]) || "v_until";
    NEW."sight_version" := OLD."sight_version" + 1;
    NEW."earlier_sights" := OLD."earlier_sights" || OLD."sight";
    NEW."earlier_sights_until" := "v_until" || clock_timestamp();
    -- Many changes while one of them is being recorded: the oldest two are taken as one, which ended with the first of them. An entry
    -- that was published under the second one is told to nobody then who may have seen it only there.
    IF cardinality(NEW."earlier_sights") > 16 THEN
        NEW."earlier_sights" := (NEW."earlier_sights"[1] | NEW."earlier_sights"[2])::SMALLINT || NEW."earlier_sights"[3:];
        NEW."earlier_sights_until" := NEW."earlier_sights_until"[1] || NEW."earlier_sights_until"[3:];
    END IF;
    RETURN NEW;
END
$$;
