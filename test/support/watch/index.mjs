// The watch over this process, as setup.mjs or process.mjs began it; without one of them (a run without scripts/test.mjs)
// nothing is watched.
import { watchStatements } from './database.mjs';
import { findingsIn } from './exchange.mjs';
import { watchAnswers } from './http.mjs';
import { isStray, tokensIn } from './patterns.mjs';
import { Record } from './record.mjs';

let record = null;
/** What else judges answers, and the judgements that are under way. */
const judges = [];
const underway = new Set();

/**
 * Watches this process: the statements that it sends, the answers that its HTTP servers give.
 * @param origin see Record
 * @returns { record, stop }: `stop` ends what is watched in Node's own modules
 */
export function beginWatch(directory, origin, findingsFile) {
  const begun = new Record(directory, origin, findingsFile);
  record = begun;
  const stopStatements = watchStatements((text, driver) => begun.statement(text, driver));
  const stopAnswers = watchAnswers((exchange) => {
    begun.count('answers');
    const { method, url, status } = exchange;
    const where = `${method} ${url} → ${status}`;
    // It must not break the answer; that it could not be searched is a finding, too.
    const fail = (error) => begun.finding({ what: `not searched: ${error}`, where });
    const tell = (findings) => findings.forEach((what) => begun.finding({ what, where }));
    try {
      tell(findingsIn(exchange));
      for (const judge of judges) {
        const judging = Promise.resolve(judge(exchange))
          .then(tell, fail)
          .finally(() => underway.delete(judging));
        underway.add(judging);
      }
    } catch (error) {
      fail(error);
    }
  });
  const stop = () => {
    stopStatements();
    stopAnswers();
  };
  return { record: begun, stop };
}

/**
 * Adds a judge of answers.
 * @param judge takes an exchange as its answer is sent, and gives findings in words, or a promise of them
 */
export function judgeAnswers(judge) {
  judges.push(judge);
}

/** Resolves when every answer so far is judged. */
export async function judged() {
  while (underway.size > 0) await Promise.all(underway);
}

/** A stream for a log: its lines are searched, and go nowhere. */
export function watchedLog() {
  let rest = '';
  const search = (line) => {
    record?.count('lines');
    for (const token of tokensIn(line)) record?.finding({ what: `a token in the log: ${token}`, where: line });
    if (isStray(line)) record?.finding({ what: 'a rejection that nobody handled', where: line });
  };
  return {
    write: (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop();
      lines.forEach(search);
    },
    /** Searches what has no end of line. */
    end: () => {
      if (rest !== '') search(rest);
      rest = '';
    },
  };
}

/** The environment variables by which a Node process that a test starts is watched, too. */
export function watchedEnvironment() {
  if (record === null) return {};
  const options = [process.env.NODE_OPTIONS, `--import ${new URL('process.mjs', import.meta.url).href}`];
  return { ...record.environment, NODE_OPTIONS: options.filter(Boolean).join(' ') };
}
