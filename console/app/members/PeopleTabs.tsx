// The ways between the screens of the people who work on the site.
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useHas } from '../api/queries.ts';

const tabs = { '/members': 'Members', '/invitations': 'Invitations', '/roles': 'Roles' } as const;

export function PeopleTabs(): ReactNode {
  const [location] = useLocation();
  const has = useHas();
  // Roles are read by whoever manages members.
  if (!has('members')) return null;
  return (
    <nav className="tabs" aria-label="People">
      {Object.entries(tabs).map(([href, name]) => (
        <Link key={href} href={href} aria-current={location === href ? 'page' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  );
}
