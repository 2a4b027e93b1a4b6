// `--model person`: at the terminal, from another one, and after the process was killed.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { makePlace } from './cli-process.ts'
import { hasScript, inTerminal } from './terminal.ts'

const [place, pipes] = [makePlace(), makePlace()]
for (const { env } of [place, pipes]) env.THINKON_MODEL = 'person'
afterAll(() => {
  place.remove()
  pipes.remove()
})

const SIX = '{"do":"return","result":"six"}'
const isAsked = ({ openQuestions }: { openQuestions: number }) => openQuestions > 0

describe.skipIf(!hasScript)('at the terminal (skipped where `script` of util-linux is missing)', () => {
  it('shows the whole request, takes the reply by form or in words, and records it like any model', async () => {
    const { child, ended, seen } = inTerminal(place, 'run "what is 2 * 3?" --record made.jsonl')
    const type = (line: string, then: string) => {
      const shown = seen(then)
      child.stdin?.write(`${line}\r`)
      return shown
    }
    const asked = stripVTControlCharacters(await seen('Answer as the model ›'))
    expect(asked).toContain('═══ block 1 · You are the model: answer minimal/next ═══')
    expect(asked).toContain('── system ──')
    expect(asked).toContain('You work on one goal and say what to do next')
    expect(asked).toContain('what is 2 * 3?')
    expect(asked).toContain('── form of the reply, as JSON Schema ──')
    await type('7', 'Type one of the numbers.')
    await type('1', 'do: ›')
    expect(await type('return', 'Enter sends it')).toContain('"do": "return"')
    await type('<', 'Answer as the model ›')
    await type('2', 'Which tool? ›')
    await type('calculate', 'expression (text) ›')
    await type('2 * 3', 'Another call? [y/N]')
    await type('n', 'Answer as the model ›')
    await type('3', 'a line with only . ends it')
    // Pasted, in several lines.
    await type('Here it is:\r\r```json\r{"do":"return",\r"result":"six"}\r```\r.', 'Enter sends it')
    child.stdin?.write('\r')
    const { code, stdout } = await ended
    expect(stripVTControlCharacters(stdout).trimEnd().split('\r\n').at(-1)).toBe('six')
    expect(code).toBe(0)
    // On a terminal again: where nobody can be asked, fewer tools are offered.
    const again = await inTerminal(place, 'run "what is 2 * 3?" --model replay:made.jsonl').ended
    expect(stripVTControlCharacters(again.stdout).trimEnd().split('\r\n').at(-1)).toBe('six')
  })

  it('goes on after Ctrl-C, opens $EDITOR, and sees what is answered elsewhere', async () => {
    const editor = join(place.folder, 'editor.sh')
    writeFileSync(editor, `printf '%s' '${SIX}' > "$1"`)
    const first = inTerminal(place, 'run "and 3 * 2?"')
    await first.seen('Answer as the model ›')
    first.child.stdin?.write('\u0003')
    const left = await first.ended
    expect(left.stdout).toMatch(/stopped; resume with: thinkon resume \S+/)
    expect(left.code).toBe(130)
    expect((await place.cli(['show', 'last'])).stdout).toContain('You are the model: answer minimal/next')
    const edited = inTerminal(place, 'resume last', { EDITOR: `sh ${editor}` })
    await edited.seen('Answer as the model ›')
    const written = edited.seen('Enter sends it')
    edited.child.stdin?.write('4\r')
    await written
    edited.child.stdin?.write('\r')
    expect((await edited.ended).code).toBe(0)
    const elsewhere = inTerminal(place, 'run "and 1 * 6?"')
    await elsewhere.seen('Answer as the model ›')
    expect((await place.cli(['answer', 'last', SIX])).code).toBe(0)
    const { code, stdout } = await elsewhere.ended
    expect(stdout).toContain('It was answered elsewhere.')
    expect(code).toBe(0)
  })

  it('asks in Chinese', async () => {
    const { child, ended, seen } = inTerminal(place, 'run "二乘三等于多少？"')
    const asked = stripVTControlCharacters(await seen('以模型的身份回答 ›'))
    expect(asked).toContain('═══ 块 1 · 请你充当模型，回答 minimal/next ═══')
    expect(asked).toContain('── 系统 ──')
    expect(asked).toContain('── 回答的格式（JSON Schema） ──')
    child.stdin?.write('\u0003')
    expect((await ended).code).toBe(130)
  })
})

it('waits in a pipe, also killed, and takes the answer from another terminal', async () => {
  const { child, ended } = pipes.start(['run', 'what is 2 * 3 in a pipe?', '--yes'])
  await pipes.state('last', isAsked)
  child.kill('SIGKILL')
  await ended
  expect((await pipes.cli(['list', '--limit', '1'])).stdout).toContain('what is 2 * 3 in a pipe?')
  const shown = await pipes.cli(['show', 'last'])
  expect(shown.stdout).toContain('You are the model: answer minimal/next')
  expect(shown.stdout).toContain('── user ──')
  expect((await pipes.cli(['answer', 'last', 'I would say six'])).code).toBe(0)
  const resumed = pipes.start(['resume', 'last'])
  const again = await pipes.state('last', ({ blocks }) =>
    blocks.some(({ questions }) => questions.some(({ name }) => name === 'reply-2')),
  )
  expect(again.blocks[0]?.questions[0]?.text).toBe("That reply can't be used: answer minimal/next again")
  expect((await pipes.cli(['answer', 'last', SIX])).code).toBe(0)
  expect(await resumed.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('six') })
})

it('says what it can not be', async () => {
  const both = await pipes.cli(['run', 'do it', '--model', 'openai:gpt-5,person'])
  expect(both.code).toBe(2)
  expect(both.stderr).toContain('stands alone')
})
