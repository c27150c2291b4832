// Which entries would appear and disappear, and for whom.
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { AclPreview, NamedEntries, SightDifference } from '../api/types.ts';
import { entryPath, nameEntry } from '../entries/columns.tsx';
import { showCount } from '../parts/numbers.ts';

export function PreviewOfAccess({
  preview: { exact, anonymous, customer },
}: {
  readonly preview: AclPreview;
}): ReactNode {
  return (
    <>
      {!exact && <p>The channel is large: only its newest entries were looked at, so these counts are too low.</p>}
      <Difference who="Anonymous visitors" difference={anonymous} />
      <Difference who="Signed-in customers" difference={customer} />
    </>
  );
}

function Difference({
  who,
  difference: { appear, disappear },
}: {
  who: string;
  difference: SightDifference;
}): ReactNode {
  const isNone = appear.count + disappear.count === 0;
  return (
    <>
      <h3>{who}</h3>
      {isNone && <p>They see what they see now.</p>}
      {appear.count > 0 && <Named className="gain" verb="gain" named={appear} />}
      {disappear.count > 0 && <Named className="loss" verb="lose" named={disappear} />}
    </>
  );
}

function Named({ className, verb, named }: { className: string; verb: string; named: NamedEntries }): ReactNode {
  const { count, entries } = named;
  return (
    <div className={className}>
      <p>
        They {verb} {count === 1 ? '1 entry' : `${showCount(count)} entries`}:
      </p>
      <ul>
        {entries.map((entry) => (
          <li key={entry.id}>
            <Link href={entryPath(entry)}>{nameEntry(entry)}</Link>
          </li>
        ))}
        {count > entries.length && <li>and {showCount(count - entries.length)} more</li>}
      </ul>
    </div>
  );
}
