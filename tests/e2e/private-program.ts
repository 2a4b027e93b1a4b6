/** Makes the files of a workspace that a run makes only now and then, and prints their modes while they are open. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../src/files/private-files.ts'
import { openMemory } from '../../src/tools/memory/memory.ts'

const memory = openMemory(join(process.cwd(), '.thinkon/memory.db'))
await memory.save([{ text: 'The door code is 4711' }], { run: 'r', path: '1', n: 1 })
replaceFile('.thinkon/thinking-context.json', '{}')
const names = readdirSync('.', { recursive: true, encoding: 'utf8' })
const modes = names.map((name) => [name, (statSync(name).mode & 0o7777).toString(8)])
console.log(JSON.stringify(Object.fromEntries(modes)))
memory.close()
