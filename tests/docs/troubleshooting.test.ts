/** docs/troubleshooting.md shows messages as the sources have them. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { literally, markOf, root, snippetsOf } from './pages.ts'

/** Fixed characters that a pattern must have, so that it does not match everything. */
const LEAST_FIXED = 15

const shown = snippetsOf('docs/troubleshooting.md')
  .filter((snippet) => snippet.language === '' && markOf(snippet, 'not run') === undefined)
  .flatMap(({ text }) => text.trim().split('\n'))

const patterns = globSync('src/**/*.ts', { cwd: root })
  .filter((file) => !file.endsWith('.test.ts'))
  .flatMap((file) => patternsIn(readFileSync(join(root, file), 'utf8')))

it.each(shown)('"%s" is a message of the sources', (message) => {
  expect(patterns.some((pattern) => pattern.test(message))).toBe(true)
})

it('a message that no source has is noticed', () => {
  const made = 'the store runs.db is locked by a program that does not exist'
  expect(patterns.some((pattern) => pattern.test(made))).toBe(false)
})

/**
 * The texts of a source, those that are added together in one, with anything in place of what is filled in. What it is about, such as a
 * model, may stand before it.
 */
function patternsIn(source: string): RegExp[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/ .*$/gm, '')
  const text = /`(?:\\.|[^`\\])*`|'(?:\\.|[^'\\\n])*'/.source
  const joined = new RegExp(`(?:${text})(?:\\s*\\+\\s*(?:${text}))*`, 'g')
  return [...code.matchAll(joined)].flatMap(([all]) => {
    const whole = [...all.matchAll(new RegExp(text, 'g'))].map(([part]) => part.slice(1, -1)).join('')
    const fixed = whole.replaceAll(/\\(.)/g, '$1').split(/\$\{(?:[^{}]|\{[^{}]*\})*\}/)
    return fixed.join('').trim().length < LEAST_FIXED
      ? []
      : new RegExp(`^(?:\\S+ )?${fixed.map(literally).join('.*')}$`)
  })
}
