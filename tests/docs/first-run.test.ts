/** The first run of the README needs the packages that it installs, and no others. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { freshProject } from '../package/packed.ts'
import { placeOf, snippetsOf } from './pages.ts'
import { runIn } from './project.ts'
import { playProviders, providersEnv, TEXT } from './providers.ts'
import { commandsOf, linesOf } from './shell.ts'

const firstRuns = snippetsOf('README.md').filter(({ text }) => text.includes('npm install thinkon'))

it.each(firstRuns.map((snippet) => [placeOf(snippet), snippet.text] as const))('%s', async (_, text) => {
  const commands = linesOf(text).flatMap(commandsOf)
  const packages = commands.find(([name]) => name === 'npm')?.slice(3) ?? []
  const args = commands.find(([name]) => name === 'npx')?.slice(2) ?? []
  const project = freshProject({ packages })
  const provider = await playProviders()
  try {
    const command = [join(project.installed, 'bin/thinkon.js'), ...args]
    const env = providersEnv(provider, text)
    const { code, output } = await runIn(project.folder, process.execPath, command, { env })
    expect(code, output).toBe(0)
    expect(output).toContain(TEXT)
  } finally {
    project.remove()
    await provider.close()
  }
})

it('there is one with a hosted model and one with a local one, of three lines each', () => {
  expect(firstRuns.map(({ text }) => linesOf(text).length)).toEqual([3, 3])
})
