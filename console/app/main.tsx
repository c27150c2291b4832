// The console: a client of the service's own public API, by a sign-in or with the token that one pastes.
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { takeOver } from '../shared/credentials.ts';
import { DraftsProvider } from './entry/drafts.tsx';
import { LiveProvider } from './live/live.tsx';
import { Boundary } from './parts/Boundary.tsx';
import { PreviewProvider } from './preview/context.tsx';
import { Layout } from './shell/Layout.tsx';
import { Screens } from './shell/Screens.tsx';
import { loadSession } from './api/session.ts';
import { asProblem } from './api/problem.ts';
import { enterAgain } from './signin/enter.ts';
import { SessionProvider } from './shell/session.tsx';
import { SignIn } from './shell/SignIn.tsx';
import { useAddress } from './shell/useAddress.ts';
import './style.css';

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no element "root".');

await takeOver();
const first = loadSession() ?? (await enterAgain().catch((error: unknown) => asProblem(error).message));
createRoot(root).render(
  <StrictMode>
    <Boundary>
      <SessionProvider
        first={first}
        door={(signIn, reason, choice) => <SignIn onSignIn={signIn} reason={reason} first={choice} />}
      >
        <Router hook={useAddress}>
          <PreviewProvider>
            <LiveProvider>
              <DraftsProvider>
                <Layout>
                  <Screens />
                </Layout>
              </DraftsProvider>
            </LiveProvider>
          </PreviewProvider>
        </Router>
      </SessionProvider>
    </Boundary>
  </StrictMode>,
);
