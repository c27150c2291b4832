-- AlterTable
ALTER TABLE "channels" ADD COLUMN     "fields" JSONB NOT NULL DEFAULT '[]';
