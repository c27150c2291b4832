// Hands the credentials of open tabs to a new one, so that a link opened in a new tab asks for no token again, and takes them back
// everywhere at once. They pass between pages of this origin alone (`BroadcastChannel` of the HTML standard), and are never stored but
// in each tab's own session storage: they are gone when the last tab is.

/** Credentials by name. */
export type Credentials = Readonly<Record<string, string>>;

type Message =
  | { readonly type: 'ask'; readonly id: string }
  | { readonly type: 'give'; readonly id: string; readonly credentials: Credentials; readonly used: number }
  | { readonly type: 'forget'; readonly holder: string }
  | { readonly type: 'signed-in' }
  | { readonly type: 'count'; readonly id: string }
  | { readonly type: 'unsaved'; readonly id: string };

/** What a tab has, and what becomes of it. */
export interface Keeper {
  /** The credentials of this tab; null: it has none to give. */
  readonly read: () => Credentials | null;
  /** Forgets them, if they are this token or sign-in. */
  readonly forget: (holder: string) => void;
}

/** How long a tab waits for the others. They answer within milliseconds, those in the background, too. */
const patience = 150;

const channel = new BroadcastChannel('entryway.credentials');

/** When this tab was used last: a link is opened from the tab that was used last. */
let used = Date.now();
for (const event of ['focus', 'pointerdown', 'keydown']) addEventListener(event, () => (used = Date.now()), true);

/** Whether this tab has something that signing out would throw away. */
let hasUnsaved = (): boolean => false;

/** Says how a tab finds out whether it has something unsaved. */
export function noteUnsaved(find: () => boolean): void {
  hasUnsaved = find;
}

/** Answers the other tabs for as long as the page is open. */
export function answerOthers({ read, forget }: Keeper): void {
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.type === 'ask') {
      const credentials = read();
      if (credentials !== null) send({ type: 'give', id: data.id, credentials, used });
    } else if (data.type === 'count' && hasUnsaved()) send({ type: 'unsaved', id: data.id });
    else if (data.type === 'forget') forget(data.holder);
  });
}

/** The credentials of the tab that was used last; null: no tab has any. */
export async function askOthers(): Promise<Credentials | null> {
  const given = await collect('ask', 'give');
  const [latest] = given.sort((one, other) => other.used - one.used);
  return latest?.credentials ?? null;
}

/** Whether another tab has something unsaved. */
export async function othersHaveUnsaved(): Promise<boolean> {
  return (await collect('count', 'unsaved')).length > 0;
}

/** Makes every other tab with this token or sign-in forget it. */
export function tellToForget(holder: string): void {
  send({ type: 'forget', holder });
}

/** Tells the other tabs that somebody signed in: the browser has the cookie for all of them. */
export function tellSignedIn(): void {
  send({ type: 'signed-in' });
}

/** Calls a function whenever somebody signed in in another tab. @returns ends that */
export function onSignedIn(listener: () => void): () => void {
  const listen = ({ data }: MessageEvent<Message>): void => {
    if (data.type === 'signed-in') listener();
  };
  channel.addEventListener('message', listen);
  return () => channel.removeEventListener('message', listen);
}

function send(message: Message): void {
  channel.postMessage(message);
}

/** Asks the other tabs, and collects what they answer within a moment. */
async function collect<Type extends 'give' | 'unsaved'>(
  question: 'ask' | 'count',
  answer: Type,
): Promise<Extract<Message, { type: Type }>[]> {
  const id = crypto.getRandomValues(new Uint32Array(4)).join('-');
  const answers: Extract<Message, { type: Type }>[] = [];
  const listen = ({ data }: MessageEvent<Message>): void => {
    if (data.type === answer && 'id' in data && data.id === id) answers.push(data as Extract<Message, { type: Type }>);
  };
  channel.addEventListener('message', listen);
  send({ type: question, id });
  await new Promise((resolve) => setTimeout(resolve, patience));
  channel.removeEventListener('message', listen);
  return answers;
}
