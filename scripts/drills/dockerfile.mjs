// Reads a Dockerfile into its stages and steps, for the drill of the container and for the test of its rules.
import { readFileSync } from 'node:fs';
import { DockerfileParser } from 'dockerfile-ast';

/**
 * Reads a file.
 * @returns its stages: { name, image, steps }; a step is { keyword, text, words, from }, where `words` are the words of the
 *   text without flags, or the strings of its JSON form, and `from` the stage that a COPY takes files of
 */
export function readDockerfile(path) {
  const stages = [];
  const defaults = {};
  for (const instruction of DockerfileParser.parse(readFileSync(path, 'utf8')).getInstructions()) {
    const keyword = instruction.getKeyword();
    const text = (instruction.getArgumentsContent() ?? '').replaceAll(/\\\r?\n\s*/g, ' ');
    if (keyword === 'FROM') {
      const [image = '', , name = ''] = text.split(/\s+/);
      stages.push({ name, image: fill(image, defaults), steps: [] });
    } else if (stages.length === 0) Object.assign(defaults, readPairs(text));
    else stages.at(-1).steps.push(readStep(keyword, text, instruction.getFlags?.() ?? []));
  }
  return stages;
}

function readStep(keyword, text, flags) {
  const from = flags.find((flag) => flag.getName() === 'from')?.getValue() ?? null;
  const list = /\[.*\]$/s.exec(text)?.[0];
  return { keyword, text, words: list === undefined ? text.split(/\s+/) : JSON.parse(list), from };
}

/** `NAME=value …` as of ENV and ARG. */
export function readPairs(text) {
  return Object.fromEntries(text.split(/\s+/).map((pair) => pair.split(/=(.*)/s, 2)));
}

function fill(text, values) {
  return text.replaceAll(/\$\{(\w+)\}/g, (all, name) => values[name] ?? all);
}
