// What TypeScript has against a program that a test has generated.
import typescript from 'typescript';

/** The messages of the compiler, of a strict compilation. */
export function diagnose(file: string): string[] {
  const { ModuleKind, ModuleResolutionKind, ScriptTarget } = typescript;
  const program = typescript.createProgram([file], {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ScriptTarget.ES2022,
    module: ModuleKind.ESNext,
    moduleResolution: ModuleResolutionKind.Bundler,
    types: [],
  });
  const found = typescript.getPreEmitDiagnostics(program);
  return found.map(({ messageText }) => typescript.flattenDiagnosticMessageText(messageText, '\n'));
}
