/** What the checks of the docs are made of. */
import { describe, expect, it } from 'vitest'
import { snippetsOf } from './pages.ts'
import { commandsOf, hasPlaceholder, linesOf } from './shell.ts'
import { unitsOf } from './units.ts'

const fence = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\`\n`

describe('snippets', () => {
  it('have their language, their text, their line and the comments before them', () => {
    const page = `# Title\n\nWords.\n\n<!-- given: model -->\n<!-- before:\nconst a = 1\n-->\n${fence('ts', 'a')}`
    expect(snippetsOf('page.md', page)).toEqual([
      {
        page: 'page.md',
        line: 9,
        language: 'ts',
        text: 'a\n',
        marks: [
          { name: 'given', text: 'model' },
          { name: 'before', text: 'const a = 1' },
        ],
      },
    ])
  })

  it('in a list lose its indentation', () => {
    expect(snippetsOf('page.md', '- item\n  ```ts\n  a\n    b\n  ```\n')[0]?.text).toBe('a\n  b\n')
  })

  it('with a mistyped comment are refused', () => {
    expect(() => snippetsOf('page.md', `<!-- not rn: why -->\n${fence('ts', 'a')}`)).toThrow('not rn')
  })

  it('that continue others are one program with them, which knows its lines', () => {
    const page = `${fence('ts', 'const a = 1')}\n<!-- continues -->\n${fence('ts', 'a')}\n${fence('ts', 'b')}`
    const [first, second] = unitsOf(snippetsOf('page.md', page))
    expect(first?.files['main.ts']).toBe('const a = 1\n\na\n\nexport {}\n')
    expect(first?.lines).toEqual([2, 3, 7, 8])
    expect(second?.name).toBe('page.md:10')
  })

  it('that are shown only are no program', () => {
    const page = `<!-- not run: it is not finished -->\n${fence('ts', 'a')}`
    expect(unitsOf(snippetsOf('page.md', page))).toEqual([])
  })
})

describe('commands', () => {
  it('are found between pipes and redirections, without comments and quotes', () => {
    const [line = ''] = linesOf(`thinkon run "a # b" --yes \\\n  --json > out.txt | cat   # why\n`)
    expect(commandsOf(line)).toEqual([['thinkon', 'run', 'a # b', '--yes', '--json'], ['cat']])
    expect(commandsOf('source <(thinkon completion zsh)')).toEqual([
      ['source'],
      ['thinkon', 'completion', 'zsh'],
    ])
  })

  it('with a placeholder are known', () => {
    expect(['thinkon show <run>', 'thinkon run "…"', 'thinkon list'].map(hasPlaceholder)).toEqual([
      true,
      true,
      false,
    ])
    expect(commandsOf('thinkon show <run> --json')).toEqual([['thinkon', 'show', 'placeholder', '--json']])
  })
})
