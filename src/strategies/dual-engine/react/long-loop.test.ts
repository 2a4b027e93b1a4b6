// What a loop still knows after many iterations, and how large its prompts get.

import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { answerAt } from '../../../../tests/answers.ts'
import {
  asks,
  finish,
  nested,
  plan,
  solveDual,
  startDual,
  type TaskInput,
  tool,
  use,
} from '../../../../tests/dual/scripted-tasks.ts'
import { countTokens } from '../../../kernel/brief/count-tokens.ts'
import { messageText, ThinkonError } from '../../../protocol/index.ts'
import { reply } from '../../../testing/index.ts'

const CHINESE = '春江潮水连海平海上明月共潮生滟滟随波千万里何处春江无月明'
const ENGLISH = 'The quick brown fox jumps over the lazy dog, and nobody minds at all. '

function long(text: string, chars: number): string {
  return text.repeat(Math.ceil(chars / text.length)).slice(0, chars)
}

/** Every result is another: nothing spins. */
function pages(text: string, chars: number) {
  let page = 0
  return tool('read', async () => `page ${++page} ${long(text, chars)}`)
}

describe('getting lost', () => {
  it('a model that needs the goal of the whole at iteration 50 finds it in its prompt, also in a plan within a plan', async () => {
    const GOAL = 'find the colour of the seventh door, and say it in Finnish'
    const act = ({ iteration }: TaskInput, { messages }: { messages: readonly never[] }) => {
      if (iteration < 50) return use('read', { iteration })
      const prompt = messages.map(messageText).join('\n')
      return finish(prompt.includes(GOAL) ? `it serves: ${GOAL}` : 'what was it for?')
    }
    const { outcome, of } = await solveDual(
      GOAL,
      {
        [`plan ${GOAL}`]: [plan('look around')],
        'act look around': [nested('open the doors'), ({ history }: TaskInput) => finish(history[0]!.text)],
        'plan open the doors': [plan('open them')],
        'act open them': act as never,
      },
      { tools: [pages(ENGLISH, 5_000)], options: { maxIterations: 60 }, promptTokens: 16_000 },
    )
    expect(outcome).toMatchObject({ status: 'completed', result: `completed: it serves: ${GOAL}` })
    expect(of('act open them')).toHaveLength(50)
    expect(of('compact open them').length).toBeGreaterThan(3)
  }, 30_000)
})

const BUDGET = 24_000

describe('the size of a prompt', () => {
  it.each([
    ['English', ENGLISH],
    ['Chinese', CHINESE],
  ])(
    'stays under its bound over 200 iterations with long results in %s, everything else as long as it may be',
    async (_, text) => {
      // What must be whole stays below half of the budget.
      const bulky = long(text, 1_000)
      const name = (n: number) => `${n} ${long(text, 300)}`
      const parts = Array.from({ length: 30 }, (_unused, n) => name(n))
      let deep = plan(...parts).tasks
      for (let level = 0; level < 5; level++)
        deep = [{ subtask_name: name(100 + level), subtask_goal: bulky, subtasks: deep }]
      const act = ({ iteration }: TaskInput) => {
        if (iteration === 200) return finish('done')
        const input = { iteration, bulky }
        const toolCalls = Array.from({ length: 25 }, (_unused, n) => ({
          id: `${n}`,
          name: 'read',
          input: { iteration, n },
        }))
        if (iteration % 40 === 0) return reply('', { toolCalls })
        return { action: 'require_tool', human_readable_thought: bulky, tool: 'read', params: input }
      }
      const { asked, outcome } = await solveDual(
        bulky,
        {
          plan: () => ({
            action: 'plan',
            main_task: bulky,
            main_task_goal: bulky,
            tasks: [...deep],
          }),
          act: ({ iteration, index }: TaskInput, _request, _io) =>
            index.endsWith('-1') ? act({ iteration } as TaskInput) : finish(bulky),
          reflect: () => ({ advice: bulky, spinning: false }),
          compact: () => ({ summary: bulky }),
        },
        {
          tools: [pages(text, 8_000)],
          promptTokens: BUDGET,
          options: {
            maxIterations: 300,
            prompt: bulky,
            contexts: [1, 2].map((n) => ({ name: `context ${n}`, text: bulky })),
          },
          budget: { tokens: 1e9, calls: 1e6, timeMs: 1e9 },
        },
      )
      expect(outcome.status).toBe('completed')
      const sizes = (key: string) =>
        asked.filter((one) => one.key.startsWith(key)).map(({ prompt }) => countTokens(prompt))
      expect(sizes('act').length).toBeGreaterThan(200)
      const largest = Math.max(...['act', 'reflect', 'compact'].flatMap(sizes))
      expect(largest).toBeLessThanOrEqual(BUDGET)
      // Not because there was little to say.
      expect(largest).toBeGreaterThan(BUDGET / 2)
    },
    60_000,
  )
})

describe('compaction', () => {
  /** Says which pages it was told of. */
  const summary = ({ text }: TaskInput) => {
    const [first, last] = [/page (\d+)/.exec(text)?.[1], [...text.matchAll(/page (\d+)/g)].at(-1)?.[1]]
    return { summary: `pages ${first} to ${last} were read` }
  }

  it('is cumulative: after three compactions what the first summary said is still in the prompt', async () => {
    const { of, notes } = await solveDual(
      'all',
      {
        'plan all': [plan('do it')],
        'act do it': ({ iteration }: TaskInput) =>
          iteration < 40 ? use('read', { iteration }) : finish('done'),
        'compact do it': summary,
      },
      { tools: [pages(ENGLISH, 6_000)], promptTokens: 16_000 },
    )
    const compactions = (await notes('dual/history-compacted')).length
    expect(compactions).toBeGreaterThanOrEqual(3)
    const last = of('act do it').at(-1)?.prompt ?? ''
    const told = [...last.matchAll(/^- pages (\d+) to (\d+) were read$/gm)].map(([, from, to]) => [
      Number(from),
      Number(to),
    ])
    expect(told).toHaveLength(compactions)
    expect(told[0]?.[0]).toBe(1)
    for (const [i, [from]] of told.entries()) if (i > 0) expect(from).toBe((told[i - 1]?.[1] as number) + 1)
    expect(last).toContain('page 39')
    // Of a page that is folded, a line with its reference.
    expect(last).toMatch(
      /^- read \{"iteration":\d+\} \[… [\d,]+ of [\d,]+ characters left out; read_result "1-1\/\d+"\]$/m,
    )
  })

  it('leaves everything before it as it was, byte by byte, and so does the request after it', async () => {
    const { model } = await solveDual(
      'all',
      {
        'plan all': [plan('do it')],
        'act do it': ({ iteration }: TaskInput) =>
          iteration < 30 ? use('read', { iteration }) : finish('done'),
        'compact do it': summary,
      },
      { tools: [pages(ENGLISH, 6_000)], promptTokens: 16_000 },
    )
    let kept = 0
    let compacted = 0
    const requests = model.calls.filter(({ kind }) => kind === 'dual/decide' || kind === 'dual/reflect')
    for (const [i, { messages }] of requests.entries()) {
      // All but the question, which is the last message.
      const earlier = requests[i - 1]?.messages.slice(0, -1) ?? []
      if (isDeepStrictEqual(messages.slice(0, earlier.length), earlier)) kept++
      else compacted++
    }
    expect(compacted).toBe(model.calls.filter(({ kind }) => kind === 'dual/compact').length)
    expect(kept).toBe(requests.length - compacted)
    expect(compacted).toBeGreaterThan(0)
  })

  it('sums the oldest summaries up together when there are many, and loses none, with a model or without', async () => {
    for (const works of [true, false]) {
      const { of } = await solveDual(
        'all',
        {
          'plan all': [plan('do it')],
          'act do it': ({ iteration }: TaskInput) =>
            iteration < 150 ? use('read', { iteration }) : finish('done'),
          'compact do it': (input) => {
            if (!input.text.includes('were read')) return summary(input)
            if (!works) throw new Error('the model is gone')
            return { summary: `together: ${input.text.replaceAll('\n', ', ')}` }
          },
        },
        { tools: [pages(ENGLISH, 6_000)], options: { maxIterations: 200 }, promptTokens: 16_000 },
      )
      const last = of('act do it').at(-1)?.prompt ?? ''
      const froms = [...last.matchAll(/pages (\d+) to (\d+) were read/g)]
      expect(froms[0]?.[1]).toBe('1')
      for (const [i, [, from]] of froms.entries())
        if (i > 0) expect(Number(from)).toBe(Number(froms[i - 1]?.[2]) + 1)
      expect(last.match(/^- .*were read/gm)?.length).toBeLessThanOrEqual(8)
      expect(froms.length).toBeGreaterThan(8)
    }
  }, 30_000)

  it("is the kernel's own where the model can not sum up: a line of each turn", async () => {
    const { of, notes } = await solveDual(
      'all',
      {
        'plan all': [plan('do it')],
        'act do it': ({ iteration }: TaskInput) =>
          iteration < 20 ? use('read', { iteration }) : finish('done'),
        'compact do it': () => new Error('the model is gone'),
      },
      { tools: [pages(ENGLISH, 6_000)], promptTokens: 16_000 },
    )
    expect(await notes('dual/history-compacted')).not.toEqual([])
    expect(of('act do it').at(-1)?.prompt).toMatch(
      /^- read \{"iteration":1\} \[… .*read_result "1-1\/\d+"\]$/m,
    )
  })

  it('lets user messages, what a person said, decisions and errors survive', async () => {
    const broken = tool('broken', async () => {
      throw new ThinkonError('TOOL_ERROR', 'the valve is stuck')
    })
    const started = await startDual(
      'all',
      {
        'plan all': [plan('do it')],
        'act do it': ({ iteration }: TaskInput) => {
          if (iteration === 1) return { action: 'ask_for_clarification', question: 'which colour?' }
          if (iteration === 2) return use('broken', { which: 'pump' })
          if (iteration === 3) return nested('decide on a door')
          return iteration < 60 ? use('read', { iteration }) : finish('done')
        },
        'plan decide on a door': [plan('decide')],
        'act decide': [finish('the third door')],
        'compact do it': () => ({ summary: 'nothing of note' }),
      },
      {
        tools: [broken, pages(ENGLISH, 6_000)],
        options: { maxIterations: 100 },
        promptTokens: 16_000,
      },
    )
    await started.see('it asks', asks('answer'))
    await started.run.signal('1-1', 'message', 'be quick about it')
    await answerAt(started.run, '1-1', 'sea green')
    expect((await started.outcome()).status).toBe('completed')
    const last = started.of('act do it').at(-1)?.prompt ?? ''
    expect(last.match(/^- nothing of note$/gm)?.length).toBeGreaterThan(2)
    expect(last).toMatch(/The person says: be quick about it$/m)
    expect(last).toMatch(/The person says: which colour\? → sea green$/m)
    // The words of an error, which may be from outside, survive in their fence.
    expect(last).toMatch(
      /^- broken \{"which":"pump"\} failed: <data-\w+ from="error">\nthe valve is stuck\n/m,
    )
    expect(last).toMatch(/^- request_plan_and_execution .* → <data-\w+ from="result">\nthe third door\n/m)
  })

  it('leaves an error what it said: of a tool, of an action, and of a plan below', async () => {
    const valve = `the valve is stuck: ${long(ENGLISH, 900)} turn it left`
    const broken = tool('broken', async () => {
      throw new ThinkonError('TOOL_ERROR', valve)
    })
    const door = `no door opens: ${long(ENGLISH, 900)} the key is bent`
    const { of } = await solveDual(
      'all',
      {
        'plan all': [plan('do it')],
        'act do it': ({ iteration }: TaskInput) => {
          if (iteration === 1) return use('broken')
          if (iteration === 2) return nested('open a door')
          if (iteration === 3) return { action: 'knowledge_enhance', query: 'unheard-of thing' }
          return iteration < 60 ? use('read', { iteration }) : finish('done')
        },
        'plan open a door': [plan('try it')],
        'act try it': [finish(door, { status: 'failed', reason: 'bent' })],
        'compact do it': () => ({ summary: 'nothing of note' }),
      },
      {
        tools: [
          broken,
          pages(ENGLISH, 6_000),
          tool('search_files', async () => Promise.reject(new Error('no'))),
        ],
        options: { maxIterations: 100 },
        promptTokens: 16_000,
      },
    )
    const last = of('act do it').at(-1)?.prompt ?? ''
    expect(last.match(/^- nothing of note$/gm)?.length).toBeGreaterThan(1)
    expect(last).toContain(valve)
    expect(last).toContain(door)
    expect(last).toContain('- FAILED: nothing was found')
  })

  it('drops failures before what a person said, when too much would have to survive', async () => {
    const broken = tool('broken', async (input) => {
      throw new ThinkonError('TOOL_ERROR', `${JSON.stringify(input)} ${long(ENGLISH, 3_000)}`)
    })
    const started = await startDual(
      'all',
      {
        'plan all': [plan('do it')],
        'act do it': ({ iteration }: TaskInput) => {
          if (iteration === 1) return { action: 'ask_for_clarification', question: 'which colour?' }
          return iteration < 90 ? use('broken', { iteration }) : finish('done')
        },
        'compact do it': () => ({ summary: 'nothing of note' }),
      },
      { tools: [broken], options: { maxIterations: 100, reflection: false }, promptTokens: 8_000 },
    )
    await started.see('it asks', asks('answer'))
    await answerAt(started.run, '1-1', 'sea green')
    await started.outcome()
    const last = started.of('act do it').at(-1)?.prompt ?? ''
    expect(last).toMatch(/The person says: which colour\? → sea green$/m)
    expect(last).toMatch(/\d+ earlier lines left out; read_result "1-1 results" lists what was found/)
    expect(last).not.toContain('broken {"iteration":2} failed')
  })
})
