-- What writes and records of entries need of a channel.
CREATE TYPE "entryway_held_channel" AS ("id" TEXT, "publishable" BOOLEAN, "sight" SMALLINT, "earlier_sights" SMALLINT[], "sight_version" INTEGER);
