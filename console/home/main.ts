// The start page: shows the version, and only the links that this service has.
import { addCredentialsForm } from '../shared/credentialsForm.ts';

interface Overview {
  readonly version: string;
  readonly links: Readonly<Record<string, string>>;
}

const form = document.getElementById('credentials');
if (form) addCredentialsForm(form);
await showOverview();

/** Shows what `GET /` tells programs. */
async function showOverview(): Promise<void> {
  const response = await fetch('.', { headers: { Accept: 'application/json' } });
  if (!response.ok) return;
  const { version, links } = (await response.json()) as Overview;
  const place = document.getElementById('version');
  if (place) place.textContent = version;
  for (const item of document.querySelectorAll<HTMLElement>('[data-link]')) {
    item.hidden = links[item.dataset['link'] ?? ''] === undefined;
  }
}
