// Times as people of this browser's zone read and enter them. The service has them in UTC.

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** A time for people; the text itself if it is not a time. */
export function showTime(iso: string): string {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? iso : format.format(time);
}

/** A time as a `datetime-local` field has it, in the browser's zone; empty: none. */
export function toLocalInput(iso: string | null): string {
  if (iso === null) return '';
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return '';
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}

/** The time of a `datetime-local` field in UTC; null if it is empty or incomplete. */
export function fromLocalInput(text: string): string | null {
  const time = new Date(text);
  return text === '' || Number.isNaN(time.getTime()) ? null : time.toISOString();
}
