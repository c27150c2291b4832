-- The texts of a process of the release before, which has one line: with another one, without marks. Long ones stay, because their vectors could
-- be too large.
CREATE OR REPLACE FUNCTION "entryway_with_plain_words"("words" TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN strpos("words", E'\n') > 0 OR octet_length("words") = length("words") OR octet_length("words") > 100000 THEN "words"
        ELSE "words" || E'\n' || normalize(replace(replace(replace(translate(
            regexp_replace(normalize("words", NFD), '[\u0300-\u036F\u0591-\u05BD\u0610-\u061A\u064B-\u065F\u0670]', '', 'g'),
            'łøđðħıŧ', 'loddhit'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), NFC)
    END
$$;
