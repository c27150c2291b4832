-- Lists that no index serves have a bound on the embedded database, whose statements nobody can cancel; what is stored stays the same,
-- and no table is rewritten.

-- Folding a text that is not ASCII alone took time by its length multiplied by the 1,450 capital letters that "entryway_fold_unicode"
-- knows: 2,000 entries of 7,600 Cyrillic letters took two minutes on the embedded database. From PostgreSQL 17 on, which the embedded
-- database is, lower() with the collation pg_c_utf8 gives the same in time by the length alone, save for the letters that Unicode 16 and 17
-- added: these are replaced afterwards, and only where there are any. Servers before that do as they did. An expression of PL/pgSQL is made
-- ready when it is first run, so that they never meet the name of the collation.
CREATE OR REPLACE FUNCTION "entryway_fold"("value" TEXT) RETURNS TEXT LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 4 AS $$
DECLARE
    "newer" CONSTANT TEXT := 'ᲉꟋꟌ꟎꟒꟔ꟚꟜ𐵐𐵑𐵒𐵓𐵔𐵕𐵖𐵗𐵘𐵙𐵚𐵛𐵜𐵝𐵞𐵟𐵠𐵡𐵢𐵣𐵤𐵥𖺠𖺡𖺢𖺣𖺤𖺥𖺦𖺧𖺨𖺩𖺪𖺫𖺬𖺭𖺮𖺯𖺰𖺱𖺲𖺳𖺴𖺵𖺶𖺷𖺸';
    "smaller" CONSTANT TEXT := 'ᲊɤꟍ꟏ꟓꟕꟛƛ𐵰𐵱𐵲𐵳𐵴𐵵𐵶𐵷𐵸𐵹𐵺𐵻𐵼𐵽𐵾𐵿𐶀𐶁𐶂𐶃𐶄𐶅𖺻𖺼𖺽𖺾𖺿𖻀𖻁𖻂𖻃𖻄𖻅𖻆𖻇𖻈𖻉𖻊𖻋𖻌𖻍𖻎𖻏𖻐𖻑𖻒𖻓';
    "folded" TEXT;
BEGIN
    IF octet_length("value") = char_length("value") THEN
        RETURN lower("value" COLLATE "C");
    END IF;
    IF current_setting('server_version_num')::INTEGER < 170000 THEN
        RETURN "entryway_fold_unicode"("value");
    END IF;
    "folded" := lower("value" COLLATE "pg_c_utf8");
    IF "folded" ~ '[ᲉꟋ-Ƛ𐵐-𐵥𖺠-𖺸]' THEN
        FOR "at" IN 1..char_length("newer") LOOP
            "folded" := replace("folded", substr("newer", "at", 1), substr("smaller", "at", 1));
        END LOOP;
    END IF;
    RETURN "folded";
END
$$;

-- Ends a statement that has taken so long already, with the code EW001: lists on the embedded database ask for each entry that they look
-- into (src/entries/timeLimit.ts). It costs the planner nothing, so that it is asked before anything else is compared. "entry" ties it to
-- the rows of a table: without that it would be asked once.
CREATE FUNCTION "entryway_in_time"("entry" UUID, "most" INTERVAL) RETURNS BOOLEAN LANGUAGE plpgsql VOLATILE STRICT COST 0.0001 AS $$
BEGIN
    IF clock_timestamp() - statement_timestamp() >= "most" THEN
        RAISE EXCEPTION 'the statement has taken longer than %', "most" USING ERRCODE = 'EW001';
    END IF;
    RETURN TRUE;
END
$$;
