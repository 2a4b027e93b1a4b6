/** docs/library.md has every option of the engine and of a run, and so has the editor. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { commandsFor } from '../../src/cli/commands/index.ts'
import { readPage, root } from './pages.ts'

const source = readFileSync(join(root, 'src/engine/api.ts'), 'utf8')
const page = readPage('docs/library.md')

it.each([
  ['EngineOptions', 'Of `createEngine`:'],
  ['StartOptions', 'Of `engine.start`:'],
])('%s are the options in the table', (name, title) => {
  const [, body = ''] =
    new RegExp(`export interface ${name}\\b[\\s\\S]*?\\{\\n([\\s\\S]*?)^\\}`, 'm').exec(source) ?? []
  const options = [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map(([, option = '']) => option)
  const table = page.slice(page.indexOf(title)).split('\n\n')[1] ?? ''
  const rows = table.split('\n').map((row) => row.split('|')[1] ?? '')
  const listed = rows.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, option = '']) => option))
  expect(listed.toSorted()).toEqual(options.toSorted())
  const commented = [...body.matchAll(/\*\/\n {2}(\w+)\??[:(]/g)].map(([, option = '']) => option)
  expect(commented).toEqual(options)
})

it('ThinkonConfig has the keys in docs/configuration.md, each with a comment', () => {
  const config = readFileSync(join(root, 'src/config/config.ts'), 'utf8')
  const body = /export interface ThinkonConfig\b[^{]*\{\n([\s\S]*?)^\}/m.exec(config)?.[1] ?? ''
  const keys = [...body.matchAll(/\*\/\n {2}(\$?\w+)\?:/g)].map(([, key = '']) => key)
  expect(keys).toEqual([...body.matchAll(/^ {2}(\$?\w+)\?:/gm)].map(([, key = '']) => key))
  const table = readPage('docs/configuration.md').split('\n## Every key\n')[1]?.split('\n\n')[0] ?? ''
  const listed = [...table.matchAll(/^\| `(\$?\w+)/gm)].map(([, key = '']) => key)
  expect([...new Set(listed), 'trouble'].toSorted()).toEqual(keys.toSorted())
})

it('docs/cli.md has every command, in the order of the help', () => {
  const table = readPage('docs/cli.md').split('| command | does |\n')[1]?.split('\n\n')[0] ?? ''
  const listed = [...table.matchAll(/^\| `(\w+)/gm)].map(([, name]) => name)
  const commands = [...commandsFor(new Map()).values()].map(({ name }) => name)
  expect(listed).toEqual(commands)
})
