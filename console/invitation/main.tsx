// The page of a link by which somebody gets in: an invitation, or one that sets a password (docs/contract.md §14.8). What stands behind
// `#` is the link's secret: it is taken out of the address at once, and kept nowhere.
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../app/style.css';
import { Invitation } from './Invitation.tsx';
import { takeSecret } from './secret.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no element "root".');

const token = takeSecret();
// The same link opened in this tab again changes what stands behind `#` alone.
addEventListener('hashchange', () => location.reload());
createRoot(root).render(
  <StrictMode>
    <Invitation token={token} />
  </StrictMode>,
);
