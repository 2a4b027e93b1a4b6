/**
 * The commands of the docs: every call of `thinkon` is one that the command line takes, and is run unless it holds a placeholder. The
 * snippets of a page share a folder, so that `last` is the run of the snippet before. Hosted models answer from this machine.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseCommandLine } from '../../src/cli/args.ts'
import { STRATEGIES } from '../../src/strategies/registry.ts'
import type { FakeProvider } from '../models/fake-provider.ts'
import { markOf, PAGES, placeOf, type Snippet, snippetsOf } from './pages.ts'
import { makeProject, type Project } from './project.ts'
import { playProviders, providersEnv } from './providers.ts'
import { commandsOf, hasPlaceholder, linesOf } from './shell.ts'
import { filesWith } from './units.ts'

/** What else the docs show; none of it is run. */
const OTHERS = ['npm', 'node', 'ollama', 'export', 'ssh', 'cat', 'git', 'curl', 'cd', 'mkdir', 'source']
const MOST_PARSED_ONLY = 12

const shell = PAGES.map((page) => snippetsOf(page).filter(({ language }) => language === 'sh'))
const pages = shell.filter((snippets) => snippets.length > 0)
const all = pages.flat()

let project: Project
let provider: FakeProvider

beforeAll(async () => {
  project = makeProject()
  provider = await playProviders()
}, 300_000)
afterAll(async () => {
  project.remove()
  await provider.close()
})

describe('commands', () => {
  it.each(all.map((snippet) => [placeOf(snippet), snippet] as const))('%s exist', (_, snippet) => {
    if (markOf(snippet, 'not run') !== undefined) return
    for (const words of linesOf(snippet.text).flatMap(commandsOf)) {
      const args = thinkonArgs(words)
      if (args === null) expect([...OTHERS, 'npx', 'thinkon']).toContain(words[0])
      else if (!['help', '--version'].includes(args[0] ?? '')) parseCommandLine(args, STRATEGIES)
    }
  })

  it.each(pages.map((snippets) => [snippets[0]?.page, snippets] as const))(
    '%s: they do what they are shown to do',
    async (page, snippets) => {
      const cwd = `shell/${page?.replaceAll(/\W/g, '_')}`
      for (const snippet of snippets) {
        project.write(cwd, filesWith(snippet))
        for (const line of linesToRun(snippet)) {
          const { code, output } = await project.run('sh', ['-c', line], {
            cwd,
            env: providersEnv(provider, snippet.text),
          })
          expect(code, `${placeOf(snippet)}: ${line}\n${output}`).toBe(0)
        }
      }
    },
  )

  it('are parsed only for a reason, and few of them', () => {
    const found = all.filter((snippet) => markOf(snippet, 'flags only') !== undefined)
    console.log(found.map((one) => `  ${placeOf(one)} ${markOf(one, 'flags only')}`).join('\n'))
    for (const one of found) expect(markOf(one, 'flags only')?.length, placeOf(one)).toBeGreaterThan(5)
    expect(found.length).toBeLessThanOrEqual(MOST_PARSED_ONLY)
  })
})

function linesToRun(snippet: Snippet): string[] {
  if (markOf(snippet, 'not run') !== undefined || markOf(snippet, 'flags only') !== undefined) return []
  return linesOf(snippet.text).filter(
    (line) => !hasPlaceholder(line) && commandsOf(line).every((words) => thinkonArgs(words) !== null),
  )
}

/** The arguments of a call of `thinkon`; null if it is another command. */
function thinkonArgs(words: readonly string[]): string[] | null {
  const [first, ...rest] = words[0] === 'npx' ? words.slice(1) : words
  return first === 'thinkon' ? rest : null
}
