-- The text of html fields is now extracted by an HTML tokenizer, which decodes every character reference ("&Aacute" without
-- its semicolon, too), so that other words of some entries are searched. A higher fields_version makes the entries of each
-- channel with an html field outdated: the running service derives them again in the background, batch by batch. A higher
-- version makes writes that were decided on the channel as it was start again. This statement writes one row for each such
-- channel, and no entry.
UPDATE "channels" SET "fields_version" = "fields_version" + 1, "version" = "version" + 1
WHERE "fields" @> '[{"type": "html"}]';
