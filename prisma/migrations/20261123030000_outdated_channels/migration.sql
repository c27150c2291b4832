-- The look for channels whose entries are derived for earlier fields finds them without reading all channels of all sites.
CREATE INDEX "channels_outdated_idx" ON "channels" ("site_id", "uid") WHERE "derived_version" < "fields_version";
