// What each action of a loop does, and what the loop sees of it.

import { describe, expect, it } from 'vitest'
import { answerAt } from '../../../../tests/answers.ts'
import { gate } from '../../../../tests/conformance/async.ts'
import { violations } from '../../../../tests/conformance/invariants.ts'
import {
  asks,
  doing,
  finish,
  isNote,
  nested,
  plan,
  solveDual,
  startDual,
  type TaskInput,
  tool,
  use,
} from '../../../../tests/dual/scripted-tasks.ts'
import type { Event } from '../../../protocol/index.ts'
import { reply } from '../../../testing/index.ts'

const look = tool('look', async (input) => ({ seen: input }))

describe('an action', () => {
  it('finish ends the task with its result, or with how far it came', async () => {
    const whole = await solveDual('all', doing([finish('it is there')]))
    expect((await whole.block('1-1')).outcome).toMatchObject({ status: 'completed', result: 'it is there' })
    const partly = await solveDual('all', doing([finish('half', { status: 'partial', reason: 'no time' })]))
    expect((await partly.block('1-1')).outcome).toMatchObject({
      status: 'partial',
      result: 'half',
      reason: 'no time',
    })
  })

  it('directly_answer ends the task with the answer', async () => {
    const { block } = await solveDual('all', doing([{ action: 'directly_answer', answer: '42' }]))
    expect((await block('1-1')).outcome).toMatchObject({ status: 'completed', result: '42' })
  })

  it('require_tool calls a tool, and what it gave is observed in a fence', async () => {
    const { of } = await solveDual('all', doing([use('look', { at: 'it' })]), { tools: [look] })
    expect(of('act do it')[1]?.prompt).toMatch(
      /"needs look","tool":"look","params":\{"at":"it"\}\}\nResult of look \{"at":"it"\}:\n<data-(\w+) from="look">\n\{"seen":\{"at":"it"\}\}\n<\/data-\1>/,
    )
  })

  it('native tool calls are actions like any other, several at once', async () => {
    let running = 0
    let most = 0
    const slow = tool('slow', async (input) => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve, 15))
      running--
      return input
    })
    const calls = ['a', 'b', 'c'].map((id) => ({ id, name: 'slow', input: { id } }))
    const { of, notes } = await solveDual('all', doing([reply('', { toolCalls: calls })]), { tools: [slow] })
    expect(most).toBe(3)
    expect(of('act do it')[1]?.input.history.map(({ data }) => data)).toEqual([
      '{"id":"a"}',
      '{"id":"b"}',
      '{"id":"c"}',
    ])
    expect((await notes('dual/action-ended')).slice(0, 3).map(({ iteration }) => iteration)).toEqual([
      1, 1, 1,
    ])
  })

  it('that fails is observed as failed, and the loop goes on', async () => {
    const broken = tool('broken', async () => {
      throw new Error('it broke')
    })
    const { of, outcome } = await solveDual('all', doing([use('broken')]), { tools: [broken] })
    expect(outcome.status).toBe('completed')
    expect(of('act do it')[1]?.prompt).toMatch(
      /Result of broken \{\}:\nIt failed \(TOOL_ERROR\): <data-(\w+) from="broken">\nit broke\n<\/data-\1>/,
    )
  })

  it.each([4, 5, 6, 7, 8])(
    'a limit of %i calls ends the loop as partial: it is no failure of an action',
    async (calls) => {
      const acts = [1, 2, 3, 4].map((n) => use('look', { n }))
      const { block, outcome, notes } = await solveDual('all', doing(acts), {
        tools: [look],
        budget: { calls },
      })
      expect((await block('1-1')).outcome).toMatchObject({ status: 'partial', code: 'LIMIT', limit: 'calls' })
      expect(outcome).toMatchObject({ status: 'partial', limit: 'calls' })
      expect((await notes('dual/action-ended')).filter(({ failed }) => failed)).toEqual([])
    },
  )

  it('native tool calls beyond the limit of calls are refused as one record', async () => {
    const toolCalls = Array.from({ length: 400 }, (_, i) => ({ id: `c${i}`, name: 'look', input: { i } }))
    const settings = { tools: [look], budget: { calls: 20 } }
    const { outcome, events, notes } = await solveDual('all', doing([reply('', { toolCalls })]), settings)
    expect(outcome).toMatchObject({ status: 'partial', limit: 'calls' })
    const ends = events.filter((event) => event.type === 'tool-end')
    const refused = ends.filter(({ result }) => !result.ok)
    expect(ends.length - refused.length).toBeGreaterThan(5)
    expect(refused).toHaveLength(1)
    expect(await notes('tool-calls-refused')).toEqual([{ refused: 400 - ends.length }])
  })

  it('request_plan_and_execution returns into the loop, over two levels, and each goes on with what came back', async () => {
    const { of, outcome, events, engine, run } = await solveDual('all', {
      'plan all': [plan('do it')],
      'act do it': [
        nested('the parts'),
        ({ history }: TaskInput) => finish(`all with ${history.at(-1)?.text}`),
      ],
      'plan the parts': [plan('left', 'right')],
      'act right': [
        nested('the right part'),
        ({ history }: TaskInput) => finish(`right with ${history.at(-1)?.text}`),
      ],
      'plan the right part': [plan('deep')],
      'act deep': [finish('the bottom')],
    })
    expect(outcome).toMatchObject({
      status: 'completed',
      result: 'all with completed: left is done; right with completed: the bottom',
    })
    expect(starts(events)).toEqual(['1', '1-1', '1-1-1', '1-1-1-1', '1-1-1-2', '1-1-1-2-1', '1-1-1-2-1-1'])
    // A plan within a plan is numbered on: an index means one task.
    expect(of('act deep')[0]?.input.index).toBe('1-1-1-2-1-1')
    expect(of('act right')[0]?.input.index).toBe('1-1-1-2')
    // Deep below, what the whole is for is still known in the words it was asked in.
    expect(of('act deep')[0]?.prompt).toMatch(
      /<\|WHOLE_REQUEST_(\w+)\|>\nall\n<\|WHOLE_REQUEST_END_\1\|>[\s\S]*<\|USER_REQUEST_\w+\|>\nthe right part\n/,
    )
    expect(of('plan the right part')[0]?.prompt).toContain('|>\nall\n<|WHOLE_REQUEST_END_')
    expect(violations(events, { waitsForChildren: true })).toEqual([])
    expect((await engine.replay(run.id)).differences).toEqual([])
  })

  it('request_plan_and_execution that fails below is observed, and the task can go another way', async () => {
    const { of, outcome } = await solveDual(
      'all',
      doing([nested('the parts')], {
        'plan the parts': [plan('left')],
        'act left': [finish('nothing', { status: 'failed', reason: 'no such thing' })],
      }),
    )
    expect(outcome.status).toBe('completed')
    expect(of('act do it')[1]?.prompt).toMatch(
      /Result of request_plan_and_execution \{"plan_request_payload":"the parts"\}:\n<data-\w+ .*>\n\[partial: 1-1-1: 1-1-1-1 "left" was aborted/,
    )
  })

  it('planning is offered as deep as there is room for a plan and its tasks', async () => {
    const { of } = await solveDual(
      'all',
      doing([nested('the parts')], { 'plan the parts': [plan('left')] }),
      { budget: { depth: 3 } },
    )
    expect(of('act do it')[0]?.input.actions).toContain('request_plan_and_execution')
    expect(of('act left')[0]?.input.actions).not.toContain('request_plan_and_execution')
  })

  it('solve_with_strategy has a goal solved another way, and refuses ways that it does not have', async () => {
    const { of, outcome } = await solveDual(
      'all',
      doing([
        { action: 'solve_with_strategy', strategy: 'magic', goal: 'think about it' },
        { action: 'solve_with_strategy', strategy: 'minimal', goal: 'think about it' },
      ]),
      { options: { strategies: ['minimal'] } },
    )
    expect(outcome.status).toBe('completed')
    expect(of('act do it')[1]?.prompt).toContain('There is no strategy "magic" here; there are: minimal.')
    expect(of('act do it')[2]?.prompt).toMatch(/Result of solve_with_strategy .*:\n<data-\w+ .*>\n\[failed/)
  })

  it('ask_for_clarification waits for the person, whose answer is observed', async () => {
    const { run, see, of, outcome } = await startDual(
      'all',
      doing([{ action: 'ask_for_clarification', question: 'red or blue?', options: ['red', 'blue'] }]),
    )
    const asked = await see('it asks', asks('answer'))
    expect(asked).toMatchObject({ path: '1-1', question: { text: 'red or blue?', choices: ['red', 'blue'] } })
    await answerAt(run, '1-1', 'blue')
    expect((await outcome()).status).toBe('completed')
    expect(of('act do it')[1]?.prompt.match(/The person says: red or blue\? → blue/g)).toHaveLength(1)
  })

  it('ask_for_clarification is not offered where nobody is there to answer', async () => {
    const ask = { action: 'ask_for_clarification', question: 'red or blue?' }
    const approval = { workspace: '/', asks: 'nobody' as const }
    const { of, outcome, events } = await solveDual('all', doing([ask]), { approval })
    expect(of('act do it')[0]?.prompt).not.toContain('ask_for_clarification')
    expect(events.some(asks('answer'))).toBe(false)
    expect(outcome.status).toBe('completed')
  })

  it('knowledge_enhance searches memory and workspace, and tells what was found as data', async () => {
    const memory = { ...tool('memory__search', async () => ({ items: ['he likes blue'] })), hidden: true }
    const files = tool('search_files', async () => ({ matches: ['a.txt: blue'] }))
    const { of } = await solveDual('all', doing([{ action: 'knowledge_enhance', query: 'blue' }]), {
      tools: [memory, files] as never,
    })
    expect(of('act do it')[1]?.prompt).toMatch(
      /Result of memory__search .*\n<data-\w+ .*>\n\{"items":\["he likes blue"\]\}\n<.*\nResult of search_files .*\n<data-\w+ .*>\n\{"matches":\["a.txt: blue"\]\}\n/,
    )
  })

  it('goes on beside the loop when asked to, one at a time, and is waited for before the task finishes', async () => {
    const below = gate()
    const { of, outcome, see, notes } = await startDual(
      'all',
      doing(
        [
          nested('the parts', { aside: true }),
          nested('other parts'),
          use('look'),
          finish('too early'),
          { action: 'wait' },
          ({ history }: TaskInput) => finish(history.at(-1)?.text ?? ''),
        ],
        {
          'plan the parts': [plan('left')],
          'act left': async () => {
            await below.opened
            return finish('left is there')
          },
        },
      ),
      { tools: [look] },
    )
    await see('it waits', isNote('dual/action-begun', { action: 'wait' }))
    below.open()
    expect(await outcome()).toMatchObject({ status: 'completed', result: 'completed: left is there' })
    const problems = (await notes('dual/action-refused')).map(({ problem }) => problem)
    expect(problems).toEqual([
      'Another plan is still being carried out: wait for it, or answer directly.',
      'The action request_plan_and_execution is still running: wait for it, then finish.',
    ])
    expect(of('act do it')[1]?.prompt).toContain(
      'request_plan_and_execution is still running; "wait" waits for it.',
    )
    expect(of('act do it')[0]?.input.actions).not.toContain('wait')
    expect(of('act do it')[1]?.input.actions).toContain('wait')
  })

  it('that ends beside while the model thinks is observed, and waiting for it is then refused', async () => {
    const thinking = gate()
    const { outcome, notes, see, of } = await startDual(
      'all',
      doing(
        [
          nested('the parts', { aside: true }),
          async () => {
            await thinking.opened
            return { action: 'wait' }
          },
        ],
        { 'plan the parts': [plan('left')] },
      ),
    )
    await see('the part has ended', (event) => event.type === 'block-end' && event.path === '1-1-1')
    await see('it was observed', isNote('dual/action-ended', { about: 'completed: left is done' }))
    thinking.open()
    expect((await outcome()).status).toBe('completed')
    expect(await notes('dual/action-refused')).toEqual([
      { iteration: 2, problem: 'No action is running: there is nothing to wait for.' },
    ])
    expect(of('act do it')[2]?.prompt).toMatch(
      /Result of request_plan_and_execution .*:\n<data-\w+ .*>\nleft is done\n/,
    )
  })
})

function starts(events: readonly Event[]): string[] {
  return events.flatMap((event) => (event.type === 'block-start' ? [event.path] : []))
}
