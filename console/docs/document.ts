// The OpenAPI document as Swagger UI gets it.

interface Parameter {
  readonly in?: string;
  readonly description?: string;
  readonly example?: unknown;
  readonly examples?: unknown;
}

interface PathItem {
  readonly parameters?: readonly Parameter[];
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, PathItem>>>>;
  readonly components: { readonly parameters?: Readonly<Record<string, Parameter>> };
}

/**
 * Prepares a document for Swagger UI. It would fill in what is an example of a query parameter or a header, so that the first call
 * of a list would filter by nonsense: the examples become a part of the descriptions.
 * @param address of the service that the page comes from, which it calls whatever address others know it by
 */
export function prepareDocument(source: OpenApiDocument, address: string): object {
  const paths = mapValues(source.paths, (path) =>
    mapValues(path, (operation) =>
      operation.parameters ? { ...operation, parameters: operation.parameters.map(withoutExample) } : operation,
    ),
  );
  const parameters = mapValues(source.components.parameters ?? {}, withoutExample);
  return { ...source, servers: [{ url: address }], paths, components: { ...source.components, parameters } };
}

function withoutExample(parameter: Parameter): Parameter {
  if (parameter.in !== 'query' && parameter.in !== 'header') return parameter;
  const { example, examples: _, ...rest } = parameter;
  const shown = typeof example === 'string' ? example : JSON.stringify(example);
  const description = [rest.description, ...(example === undefined ? [] : [`For example: \`${shown}\``])]
    .join(' ')
    .trim();
  return { ...rest, description };
}

function mapValues<From, To>(from: Readonly<Record<string, From>>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(from).map(([name, value]) => [name, change(value)]));
}
