/** docs/library.md names what each entry of the package exports; those of thinkon/strategies have pages of their own. */
import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { readPage, root } from './pages.ts'

const reports = globSync('api/*.md', { cwd: root }).map((file) => basename(file, '.md'))
const table = readPage('docs/library.md').split('\n## What is where\n')[1] ?? ''

/** "The built-in strategies". */
const STRATEGIES = ['auto', 'bestOf', 'cot', 'dual', 'fractal', 'minimal', 'planner', 'tot']

it.each(reports.filter((name) => name !== 'not-exported'))('%s', (name) => {
  const entry = name === 'thinkon' ? name : `thinkon/${name}`
  const row = table.split('\n').find((line) => line.startsWith(`| \`${entry}\` |`)) ?? ''
  expect(row).not.toBe('')
  const pages =
    name === 'strategies'
      ? [readPage('docs/own-strategy.md'), table, readPage('docs/chain-of-thought.md')]
      : []
  const said = [row, ...pages].join('\n')
  const exported = [...readPage(`api/${name}.md`).matchAll(/^(?:function|const|class) (\w+)/gm)].map(
    ([, it = '']) => it,
  )
  const missing = exported.filter((it) => !STRATEGIES.includes(it) && !new RegExp(`\\b${it}\\b`).test(said))
  expect(missing).toEqual([])
})
