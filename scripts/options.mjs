// The options of a script, from its command line.
import { parseArgs } from 'node:util';

/**
 * Reads the options. `--help` ends the process with the usage, and an option that there is not with exit code 2 and the usage,
 * because a stack would tell nobody which ones there are.
 * @param defaults the name of each with its value where it is not given, which may be undefined: a boolean makes a flag of it, a list
 *   one that may be given several times
 * @param takesWords whether there may be words that are no options
 * @returns { values, words }
 */
export function readOptions(usage, defaults, { takesWords = false } = {}) {
  const options = Object.fromEntries(
    Object.entries({ ...defaults, help: false }).map(([name, value]) => [
      name,
      {
        type: typeof value === 'boolean' ? 'boolean' : 'string',
        multiple: Array.isArray(value),
        ...(value !== undefined && { default: value }),
      },
    ]),
  );
  const { values, positionals: words } = parseOrEnd(usage, { options, allowPositionals: takesWords });
  if (!values.help) return { values, words };
  console.log(usage);
  return process.exit(0);
}

function parseOrEnd(usage, config) {
  try {
    return parseArgs(config);
  } catch (error) {
    if (!String(error.code).startsWith('ERR_PARSE_ARGS')) throw error;
    console.error(`${error.message}\n${usage}`);
    return process.exit(2);
  }
}
