// Reads the parts of a value for controls. A value of another type is shown as none. Pure.
import type { Json, JsonObject } from '../api/types.ts';

export function readText(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

export function readList(value: Json): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

export function readObject(value: Json): JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as JsonObject) : {};
}

/** The number that a text stands for; the text itself if it is none, so that the service can say what is wrong. */
export function parseNumber(text: string): Json {
  const number = Number(text.trim());
  if (text.trim() === '') return null;
  return Number.isFinite(number) ? number : text;
}

/** A text, a number or a boolean as a text; empty for anything else. */
export function showPart(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}
