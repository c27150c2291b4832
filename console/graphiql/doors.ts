// The two schemas that GraphiQL shows, each behind a tab with an address of its own, and Apollo Sandbox for the one that is shown.
import { changed, exampleHeaders } from '../shared/credentials.ts';

/** The paths of the schemas: the one that all sites have, and the one that is made of the channels of a site. */
export type Door = 'graphql' | 'graphql/site';

/** The schema that the page's address names. */
export function readDoor(): Door {
  return location.hash === '#site' ? 'graphql/site' : 'graphql';
}

/** Shows which tab is open, and calls a function now and whenever another one is. */
export function followDoor(show: (door: Door) => void): void {
  const tabs = [...document.querySelectorAll<HTMLAnchorElement>('[data-door]')];
  const turn = (): void => {
    const door = readDoor();
    for (const tab of tabs) {
      if (tab.dataset['door'] === door) tab.setAttribute('aria-current', 'page');
      else tab.removeAttribute('aria-current');
    }
    show(door);
  };
  window.addEventListener('hashchange', turn);
  turn();
}

/** Keeps a link leading to Apollo Sandbox, with this service's address and the headers to fill in. */
export function leadToSandbox(link: HTMLAnchorElement): void {
  const turn = (): void => {
    const address = new URL('https://studio.apollographql.com/sandbox/explorer');
    address.searchParams.set('endpoint', new URL(readDoor(), document.baseURI).href);
    address.searchParams.set('headers', JSON.stringify(exampleHeaders()));
    link.href = address.href;
  };
  window.addEventListener('hashchange', turn);
  window.addEventListener(changed, turn);
  turn();
}
