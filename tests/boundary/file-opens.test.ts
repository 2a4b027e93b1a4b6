import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const SOURCE = join(import.meta.dirname, '../../src')

/** Functions of Node that open files, or close them with what they open. */
const OPENING =
  /\b(?:open|openSync|openAsBlob|readFile|readFileSync|createReadStream|createWriteStream|copyFile|copyFileSync|cp|cpSync|appendFile|appendFileSync|writeFile|writeFileSync|truncate|truncateSync)\b/
const IMPORT = /import (?:type )?\{([^}]*)\} from 'node:fs(?:\/promises)?'/g

/** Files that open no file of the user to read, and why that is so. All others use src/files/open-file.ts. */
const ALLOWED: Readonly<Record<string, string>> = {
  'cli/commands/export.ts': 'a new file, made with wx',
  'cli/commands/init.ts': 'the configuration that it makes',
  'cli/doctor/installed-version.ts': 'package.json of installed packages',
  'cli/person/terminal-asker.ts': 'a temporary file for an editor',
  'cluster/dev-folder.ts': 'a pid and ports in the folder of the cluster',
  'cluster/guarded.ts': 'a pid in the folder of the cluster',
  'cluster/postgres-server.ts': 'a password in the folder of the cluster',
  'cluster/server-folder.ts': 'a name in the folder of the cluster',
  'files/open-file.ts': 'the function that all use',
  'files/private-files.ts': 'new files, made with wx or renamed into place',
  'files/state-folder.ts': 'keys, tokens and addresses in the state folder',
  'lab/results-file.ts': 'lines are added to a file that was read as results',
  'models/embedded/mini/inference/kernel.ts': 'a file of Thinkon',
  'models/embedded/mini/inference/text-worker.ts': 'a file of Thinkon',
  'models/recording/traffic-file.ts': 'lines are added to the recording',
  'server/crash-record.ts': 'counts in the state folder',
  'server/studio/shared-page.ts': 'a file of Thinkon',
  'server/studio/studio-page.ts': 'a file of Thinkon',
  'store/owner-lock.ts': '/proc',
  'tools/command-limits.ts': '/proc',
  'tools/placeholders.ts': 'a new file, made with wx',
  'tools/run-process.ts': '/proc',
  'tools/workspace.ts': 'new files, made with wx, and folders',
}

it('only src/files/open-file.ts opens files that may belong to a database', () => {
  const opening = globSync('**/*.ts', { cwd: SOURCE })
    .filter((file) => !file.endsWith('.test.ts') && opensFiles(join(SOURCE, file)))
    .map((file) => file.replaceAll('\\', '/'))
  expect(opening.sort()).toEqual(Object.keys(ALLOWED).sort())
})

it('only src/files/sqlite.ts loads node:sqlite, so that every database is known', () => {
  const loads = /^import \{[^}]*\} from 'node:sqlite'|getBuiltinModule\('node:sqlite'\)/m
  const loading = globSync('**/*.ts', { cwd: SOURCE }).filter(
    (file) => !file.endsWith('.test.ts') && loads.test(readFileSync(join(SOURCE, file), 'utf8')),
  )
  expect(loading).toEqual(['files/sqlite.ts'])
})

function opensFiles(path: string): boolean {
  const text = readFileSync(path, 'utf8')
  return [...text.matchAll(IMPORT)].some(([, names = '']) => OPENING.test(names))
}
