// The parts of Swagger UI that are used; the package has no types.
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  export interface SwaggerRequest {
    url: string;
    headers: Record<string, string>;
  }

  export interface SwaggerSystem {
    readonly specActions: { readonly updateSpec: (document: string) => void };
    readonly authActions: { readonly logout: (names: readonly string[]) => void };
    readonly preauthorizeApiKey: (name: string, value: string) => void;
  }

  /** A function that stands in for an action, and may call it. */
  export type WrapAction<Payload> = (original: (payload: Payload) => unknown) => (payload: Payload) => unknown;

  export interface SwaggerOptions {
    readonly domNode: HTMLElement;
    readonly spec: object;
    readonly requestInterceptor: (request: SwaggerRequest) => SwaggerRequest;
    readonly plugins: readonly object[];
    readonly persistAuthorization: boolean;
    readonly deepLinking: boolean;
    readonly docExpansion: 'list' | 'none';
    readonly defaultModelsExpandDepth: number;
    readonly displayRequestDuration: boolean;
    readonly tryItOutEnabled: boolean;
    readonly validatorUrl: null;
    readonly onComplete: () => void;
  }

  const SwaggerUI: (options: SwaggerOptions) => SwaggerSystem;
  export default SwaggerUI;
}
