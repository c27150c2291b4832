// `npm run drill -- <name>`: what an operator should have tried before it is needed, in scratch directories (docs/operations.md).
import { container } from './drills/container.mjs';
import { failover } from './drills/failover.mjs';
import { incidents } from './drills/incidents.mjs';
import { pitr } from './drills/pitr.mjs';
import { restore } from './drills/restore.mjs';
import { upgrade } from './drills/upgrade.mjs';

const silentFailover = (options) => failover({ ...options, isSilent: true });
const drills = { container, failover, incidents, pitr, restore, 'silent-failover': silentFailover, upgrade };

process.exitCode = await main(process.argv.slice(2));

/** @returns the exit code: 0 where all is as promised, 1 where it is not, 2 where it was asked for wrongly */
async function main(names) {
  if (names.length === 0 || names.some((name) => !(name in drills))) {
    console.error(`Usage: npm run drill -- <name…>, of ${Object.keys(drills).join(', ')}`);
    return 2;
  }
  let code = 0;
  for (const name of names) {
    try {
      const seen = await drills[name]({ say: (line) => console.log(`${name}: ${line}`) });
      const isSound = isEmpty(seen.wrong ?? {});
      console.log(`${name}: ${isSound ? 'as promised' : 'NOT AS PROMISED'}. ${JSON.stringify(seen, null, 2)}`);
      if (!isSound) code = 1;
    } catch (error) {
      console.error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      code = 1;
    }
  }
  return code;
}

/** Whether there is nothing in any list of what went wrong. */
function isEmpty(wrong) {
  return Array.isArray(wrong) ? wrong.length === 0 : Object.values(wrong).every(isEmpty);
}
