// The compiler writes plain files; package.json's bin is one to be run.
import { chmodSync } from 'node:fs';
import { join } from 'node:path';

chmodSync(join(import.meta.dirname, '../dist/main.js'), 0o755);
