// Finds the fields of a form that the service refused, and leads to the first of them.

const focusable = 'input, select, textarea, button';

/** The first field that is marked as wrong; null: there is none in the form. */
function findWrong(form: HTMLFormElement | null): HTMLElement | null {
  return form?.querySelector<HTMLElement>('[data-wrong]') ?? null;
}

/** Scrolls to the first field that is marked as wrong, and focuses its control. @returns whether there is one */
export function showWrong(form: HTMLFormElement | null): boolean {
  const field = findWrong(form);
  if (field === null) return false;
  field.scrollIntoView({ block: 'center' });
  field.querySelector<HTMLElement>(focusable)?.focus({ preventScroll: true });
  return true;
}
