import { describe, expect, it } from 'vitest'
import { STRATEGIES } from '../../strategies/registry.ts'
import { allCommands } from '../args.ts'
import { complete, type TypedOptions } from './complete.ts'

const known = {
  commands: allCommands(STRATEGIES),
  strategies: STRATEGIES,
  runs: async (_: string, { store = '' }: TypedOptions) => [{ text: `261116-abc${store}`, help: 'a goal' }],
  paths: async (run: string) => (run === 'last' ? [{ text: '1-2', help: 'a block' }] : []),
}

async function following(...words: string[]): Promise<string[] | string> {
  const found = await complete(words, known)
  return typeof found === 'string' ? found : found.map(({ text }) => text)
}

describe('what may follow on a command line', () => {
  it('commands, strategies and help come first', async () => {
    const first = await following('')
    for (const name of [...known.commands.keys(), 'help', '--version']) expect(first).toContain(name)
    expect(await following('sh')).toEqual(['show'])
    expect(await following('help', 'fr')).toEqual(['fractal'])
  })

  it('every option of every command is offered, and none twice', async () => {
    for (const [name, { options }] of known.commands) {
      const offered = (await following(name, '-')) as string[]
      expect(offered).toEqual(Object.keys(options).map((option) => `--${option}`))
    }
    expect(await following('run', 'x', '--model', 'openai:x', '--mod')).toEqual([])
    expect(await following('run', 'x', '--mcp', 'a', '--mc')).toEqual(['--mcp'])
    expect(await following('tot', '--be')).toEqual(['--beam'])
  })

  it('values come by the option they are for', async () => {
    expect(await following('run', '--strategy', 'fr')).toEqual(['fractal'])
    expect(await following('run', '--model', 'o')).toEqual(['openai:', 'ollama:'])
    expect(await following('run', '--model=an')).toEqual(['--model=anthropic:'])
    expect(await following('run', '--lang', '')).toEqual(['en', 'zh'])
    expect(await following('list', '--status', 'c')).toEqual(['completed', 'cancelled'])
    expect(await following('show', 'last', '--format', 'm')).toEqual(['mermaid', 'md'])
    expect(await following('run', '--record', '')).toBe('files')
    expect(await following('run', '--output=a')).toBe('files')
    expect(await following('run', '--workspace', '')).toBe('folders')
    expect(await following('cancel', 'last', '-m', '')).toEqual([])
    expect(await following('tot', '--search', 'b')).toEqual(['best-first'])
    expect(await following('tot', '--task-type', 'p')).toEqual(['planning'])
    expect(await following('tot', '--log-dir', '')).toBe('folders')
    expect(await following('dual', '--review', 'a')).toEqual(['auto', 'ai'])
    expect(await following('dual', '--blueprint', 'c')).toEqual(['code-audit'])
  })

  it('arguments come by the usage of the command', async () => {
    expect(await following('show', '')).toEqual(['last', '261116-abc'])
    expect(await following('delete', 'last', '26')).toEqual(['261116-abc'])
    expect(await following('show', '--store', '-other', '26')).toEqual(['261116-abc-other'])
    expect(await following('show', '--store=-other', '26')).toEqual(['261116-abc-other'])
    expect(await following('skip', 'last', '')).toEqual(['1-2'])
    expect(await following('import', '')).toBe('files')
    expect(await following('completion', '')).toEqual(['bash', 'zsh', 'fish'])
    expect(await following('run', '')).toEqual([])
    expect(await following('show', 'last', '')).toEqual([])
  })

  it('an unknown command and words after -- have no options', async () => {
    expect(await following('nonsense', '--')).toEqual([])
    expect(await following('show', '--', '--')).toEqual([])
  })
})
