// A process of its own on an embedded database, for tests that kill it:
//   node --import tsx test/support/embedded-child.ts <directory> hold|write
// `hold` opens the directory and keeps it. `write` opens and migrates it, then creates sites without end, some of them in
// transactions, and prints the ids of each write, once it was acknowledged. Each line that it prints is JSON.
import { openEmbedded } from '../../src/database/embedded.ts';
import { migrate } from '../../src/database/migrate.ts';
import type { Database } from '../../src/database/database.ts';

const [, , dataDir = '', task] = process.argv;

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

async function writeForEver({ prisma }: Database): Promise<never> {
  for (let round = 0; ; round += 1) {
    const ids = [0, 1, 2].map((each) => `p${process.pid}-${round}-${each}`);
    const creations = ids.map((id) =>
      prisma.site.create({ data: { id, name: 'x'.repeat(200), createdAt: new Date() } }),
    );
    // One after the other, or as one transaction: then all are acknowledged together.
    if (round % 2 === 0) for (const creation of creations) print([(await creation).id]);
    else print((await prisma.$transaction(creations)).map(({ id }) => id));
  }
}

try {
  const database = await openEmbedded({ dataDir });
  if (task === 'write') await migrate(database);
  // An open database does not keep a process alive by itself in every case.
  setInterval(() => undefined, 60_000);
  print('open');
  if (task === 'write') await writeForEver(database);
} catch (error) {
  const { name, message } = error as Error;
  print({ name, message });
  process.exitCode = 1;
}
