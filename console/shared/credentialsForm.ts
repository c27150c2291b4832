// The fields for the token, the site and the session.
import {
  changed,
  credentialNames,
  forgetEverywhere,
  keepCredential,
  readCredential,
  takeOver,
  type CredentialName,
} from './credentials.ts';

const labels: Readonly<Record<CredentialName, readonly [label: string, hint: string]>> = {
  token: ['Token', 'ew_…'],
  site: ['Site', 'with a user token'],
  session: ['Session', 'of a customer'],
};

/** Adds the fields to an element. What is entered holds at once. */
export function addCredentialsForm(element: HTMLElement): void {
  const form = document.createElement('form');
  form.className = 'credentials';
  form.setAttribute('aria-label', 'Credentials, which stay in this browser session');
  const inputs = credentialNames.map((name) => makeField(form, name));
  const forget = document.createElement('button');
  forget.type = 'button';
  forget.textContent = 'Forget';
  forget.title = 'Forget the token, the site and the session';
  forget.addEventListener('click', forgetEverywhere);
  form.append(forget);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
  });
  window.addEventListener(changed, () => {
    for (const [name, input] of inputs)
      if (input.value.trim() !== readCredential(name)) input.value = readCredential(name);
  });
  element.append(form);
  void takeOver();
}

function makeField(form: HTMLElement, name: CredentialName): readonly [CredentialName, HTMLInputElement] {
  const [text, hint] = labels[name];
  const label = document.createElement('label');
  const input = document.createElement('input');
  input.name = name;
  // A field of the type `password` would invite browsers to store what is entered.
  input.type = 'text';
  input.className = name === 'site' ? '' : 'secret';
  input.placeholder = hint;
  input.autocomplete = 'off';
  input.spellcheck = false;
  input.value = readCredential(name);
  input.addEventListener('input', () => {
    keepCredential(name, input.value);
  });
  label.append(text, input);
  form.append(label);
  return [name, input];
}
