-- Lists that no index serves have a bound on the embedded database, whose statements nobody can cancel; what is stored stays the same,
-- and no table is rewritten.

-- Folding a text that is not ASCII alone took time by its length multiplied by the 1,450 capital letters that "entryway_fold_unicode"
-- knows: 2,000 entries of 7,600 Cyrillic letters took two minutes on the embedded database, and 75 seconds on PostgreSQL 15. Now only the
-- capital letters that a text has are looked for in it.
CREATE FUNCTION "entryway_fold_capitals"("value" TEXT) RETURNS TEXT LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    "rest" TEXT := regexp_replace("value", '[^'
        'À-ÖØ-ÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮİĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽƁƂƄƆƇƉ-ƋƎ-ƑƓƔƖ-ƘƜƝƟƠƢƤƦƧƩƬƮƯƱ-ƳƵƷƸƼǄǅǇǈǊǋǍǏǑǓǕǗǙǛǞǠǢǤǦǨǪǬǮǱǲǴǶ-ǸǺǼǾȀȂȄȆȈȊȌȎȐȒȔȖȘȚȜȞȠȢȤȦȨȪȬȮȰȲȺȻȽȾɁɃ-ɆɈɊɌɎͰͲͶͿΆΈ-ΊΌΎΏΑ-ΡΣ-ΫϏϘϚϜϞϠϢϤϦϨϪϬϮϴϷϹϺϽ-ЯѠѢѤѦѨѪѬѮѰѲѴѶѸѺѼѾҀҊҌҎҐҒҔҖҘҚҜҞҠҢҤҦҨҪҬҮҰҲҴҶҸҺҼҾӀӁӃӅӇӉӋӍӐӒӔӖӘӚӜӞӠӢӤӦӨӪӬӮӰӲӴӶӸӺӼӾԀԂԄԆԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤԦԨԪԬԮԱ-ՖႠ-ჅჇჍᎠ-ᏵᲉᲐ-ᲺᲽ-ᲿḀḂḄḆḈḊḌḎḐḒḔḖḘḚḜḞḠḢḤḦḨḪḬḮḰḲḴḶḸḺḼḾṀṂṄṆṈṊṌṎṐṒṔṖṘṚṜṞṠṢṤṦṨṪṬṮṰṲṴṶṸṺṼṾẀẂẄẆẈẊẌẎẐẒẔẞẠẢẤẦẨẪẬẮẰẲẴẶẸẺẼẾỀỂỄỆỈỊỌỎỐỒỔỖỘỚỜỞỠỢỤỦỨỪỬỮỰỲỴỶỸỺỼỾἈ-ἏἘ-ἝἨ-ἯἸ-ἿὈ-ὍὙὛὝὟὨ-Ὧᾈ-ᾏᾘ-ᾟᾨ-ᾯᾸ-ᾼῈ-ῌῘ-ΊῨ-ῬῸ-ῼΩKÅℲⅠ-ⅯↃⒶ-ⓏⰀ-ⰯⱠⱢ-ⱤⱧⱩⱫⱭ-ⱰⱲⱵⱾ-ⲀⲂⲄⲆⲈⲊⲌⲎⲐⲒⲔⲖⲘⲚⲜⲞⲠⲢⲤⲦⲨⲪⲬⲮⲰⲲⲴⲶⲸⲺⲼⲾⳀⳂⳄⳆⳈⳊⳌⳎⳐⳒⳔⳖⳘⳚⳜⳞⳠⳢⳫⳭⳲꙀꙂꙄꙆꙈꙊꙌꙎꙐꙒꙔꙖꙘꙚꙜꙞꙠꙢꙤꙦꙨꙪꙬꚀꚂꚄꚆꚈꚊꚌꚎꚐꚒꚔꚖꚘꚚꜢꜤꜦꜨꜪꜬꜮꜲꜴꜶꜸꜺꜼꜾꝀꝂꝄꝆꝈꝊꝌꝎꝐꝒꝔꝖꝘꝚꝜꝞꝠꝢꝤꝦꝨꝪꝬꝮꝹꝻꝽꝾꞀꞂꞄꞆꞋꞍꞐꞒꞖꞘꞚꞜꞞꞠꞢꞤꞦꞨꞪ-ꞮꞰ-ꞴꞶꞸꞺꞼꞾꟀꟂꟄ-ꟇꟉꟋꟌ꟎Ꟑ꟒꟔ꟖꟘꟚꟜꟵＡ-Ｚ𐐀-𐐧𐒰-𐓓𐕰-𐕺𐕼-𐖊𐖌-𐖒𐖔𐖕𐲀-𐲲𐵐-𐵥𑢠-𑢿𖹀-𖹟𖺠-𖺸𞤀-𞤡'
        ']+', '', 'g');
    "capitals" TEXT := '';
BEGIN
    WHILE "rest" <> '' LOOP
        "capitals" := "capitals" || left("rest", 1);
        "rest" := replace("rest", left("rest", 1), '');
    END LOOP;
    RETURN translate(lower("value" COLLATE "C"), "capitals", "entryway_fold_unicode"("capitals"));
END
$$;

-- From PostgreSQL 17 on, which the embedded database is, lower() with the collation pg_c_utf8 gives the same in time by the length alone,
-- save for the letters that Unicode 16 and 17 added: these are replaced afterwards, and only where there are any. An expression of PL/pgSQL
-- is made ready when it is first run, so that servers before that never meet the name of the collation.
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
        RETURN "entryway_fold_capitals"("value");
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
