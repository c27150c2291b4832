// The reference of REST: Swagger UI over the OpenAPI document, which is made for the token that was entered
// (docs/contract.md §11.1, §20).
import SwaggerUI, {
  type SwaggerRequest,
  type SwaggerSystem,
  type WrapAction,
} from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import { addCredentialsForm } from '../shared/credentialsForm.ts';
import { prepareDocument, type OpenApiDocument } from './document.ts';
import { credentialHeaders, keepCredential, onSettled, readCredential } from '../shared/credentials.ts';

/** The name of the security scheme in the document. */
const scheme = 'token';

type Authorization = Readonly<Record<string, { readonly value?: unknown }>>;

/** Keeps the token that is entered in Swagger UI's dialog as if it were entered at the top of the page. */
const rememberToken = (): object => {
  const authorize: WrapAction<Authorization> = (original) => (payload) => {
    const value = payload[scheme]?.value;
    if (typeof value === 'string') keepCredential('token', value);
    return original(payload);
  };
  const logout: WrapAction<readonly string[]> = (original) => (payload) => {
    keepCredential('token', '');
    return original(payload);
  };
  return { statePlugins: { auth: { wrapActions: { authorize, logout } } } };
};

/** Adds the site and the session that were entered, unless the request has its own. */
function addCredentials(request: SwaggerRequest): SwaggerRequest {
  const sent = new Set(Object.keys(request.headers).map((name) => name.toLowerCase()));
  for (const [name, value] of Object.entries(credentialHeaders())) {
    if (!sent.has(name.toLowerCase())) request.headers[name] = value;
  }
  return request;
}

/** Loads the document for the credentials that were entered; if they are refused, the one for nobody, and a line says why. */
async function loadDocument(): Promise<object> {
  const own = await fetch('openapi.json', { headers: credentialHeaders() });
  const response = own.ok ? own : await fetch('openapi.json');
  tell(own.ok ? '' : `This is what every site has: ${await readRefusal(own)}`);
  const address = new URL('.', document.baseURI).href.replace(/\/$/, '');
  return prepareDocument((await response.json()) as OpenApiDocument, address);
}

async function readRefusal(response: Response): Promise<string> {
  const problem = (await response.json().catch(() => ({}))) as { readonly detail?: string };
  return problem.detail ?? `HTTP ${String(response.status)}`;
}

function tell(text: string): void {
  const notice = document.getElementById('notice');
  if (notice) notice.textContent = text;
}

let isAuthorized = false;

/** Tells Swagger UI the token that was entered at the top of the page. */
function authorize(ui: SwaggerSystem): void {
  const token = readCredential('token');
  if (token !== '') ui.preauthorizeApiKey(scheme, token);
  else if (isAuthorized) ui.authActions.logout([scheme]);
  isAuthorized = token !== '';
}

async function start(credentials: HTMLElement, domNode: HTMLElement): Promise<void> {
  document.documentElement.classList.toggle('dark-mode', matchMedia('(prefers-color-scheme: dark)').matches);
  addCredentialsForm(credentials);
  const ui: SwaggerSystem = SwaggerUI({
    domNode,
    spec: await loadDocument(),
    requestInterceptor: addCredentials,
    plugins: [rememberToken],
    persistAuthorization: false,
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    validatorUrl: null,
    onComplete: () => authorize(ui),
  });
  onSettled(() => {
    void loadDocument().then((loaded) => {
      ui.specActions.updateSpec(JSON.stringify(loaded));
      authorize(ui);
    });
  });
}

const credentials = document.getElementById('credentials');
const reference = document.getElementById('reference');
if (credentials && reference) await start(credentials, reference);
