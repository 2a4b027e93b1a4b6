/** Which replies of which strategy are the answer, while they are written. */

import { describe, expect, it } from 'vitest'
import { answerAt } from '../../../tests/answers.ts'
import { turns } from '../../../tests/conformance/async.ts'
import { byHand } from '../../../tests/streaming/by-hand.ts'
import { followText } from '../../../tests/streaming/follow-text.ts'
import { prover } from '../../../tests/tot/solve.ts'
import { createEngine, type StartOptions } from '../../engine.ts'
import type { ModelRequest } from '../../protocol/index.ts'

/** Requests of this kind are written by hand, all others answered by the script. */
async function begin(
  goal: string,
  kinds: readonly string[],
  script: (request: ModelRequest) => unknown,
  given: StartOptions,
) {
  const { model, write } = byHand((request) => (kinds.includes(request.kind) ? undefined : script(request)))
  const engine = createEngine({ model })
  const run = await engine.start(goal, given)
  return { engine, run, write, text: followText(run) }
}

const never = { check: 'never' } as const

describe('tot', () => {
  const small = { task_type: 'math_reasoning', depth: 1, branching: 1 } as const
  const prove = (options: object, kinds = ['tot/synthesize']) =>
    begin('prove it', kinds, prover(), { strategy: 'tot', options: { ...small, ...options } })
  const holds = '","reasoning_trace":[],"confidence":1,"verification":{"is_valid":true}}'

  it('gives out its Synthesizer’s answer as it is written, where nobody checks it', async () => {
    const { engine, run, write, text } = await prove(never)
    await write('{"answer":"It follows from')
    await text.see('It follows from')
    await write(` the axioms.${holds}`)
    await write(null)
    expect(await text.done).toBe('It follows from the axioms.')
    expect((await run.outcome).result).toBe('It follows from the axioms.')
    await engine.close()
  })

  it('holds it back where it may be checked, and gives out the one that was sent back', async () => {
    const { engine, run, write, text } = await prove({ check: 'always' }, ['tot/synthesize', 'check/result'])
    await write(`{"answer":"It is so${holds}`)
    await write(null)
    await turns(10)
    expect(text.now()).toBe('')
    await write('{"problems":["it proves nothing"],"fits":false}')
    await write(null)
    await write('{"answer":"It follows from')
    await text.see('It follows from')
    await write(` the axioms.${holds}`)
    await write(null)
    expect(await text.done).toBe((await run.outcome).result)
    expect(text.now()).toBe('It follows from the axioms.')
    await engine.close()
  })

  it('that finds itself that its answer does not hold says that it was replaced', async () => {
    const { engine, run, write, text } = await prove(never)
    await write('{"answer":"It is so","reasoning_trace":[],"confidence":1,')
    await text.see('It is so')
    await write('"verification":{"is_valid":false,"validation_errors":["it is not"]}}')
    await write(null)
    await write(`{"answer":"It follows from the axioms.${holds}`)
    await write(null)
    const { result } = await run.outcome
    expect(result).toBe('It follows from the axioms.')
    await expect(text.done).rejects.toMatchObject({ code: 'TEXT_REPLACED', data: { result } })
    await engine.close()
  })
})

describe('planner', () => {
  const plan = {
    type: 'plan-next',
    plan_type: 'EXECUTE',
    new_block: { goal: 'the page', plan: [], done: [] },
    executor_call: { command: 'text', inputs: { text: 'A draft' }, expected_observations: [] },
  }
  const report =
    '","result":"### Completion\\nCompleted: all\\n\\n### Deliverables\\npage\\n\\n### Metrics\\nmet\\n\\n### Constraints\\nkept"}'
  const returned = '{"type":"plan-return","status":"completed","deliverable":'
  const page = (options: object, given: StartOptions = {}, kinds = ['planner/reflect']) =>
    begin('one page', kinds, () => plan, { strategy: 'planner', options, ...given })

  it('gives out the deliverable that Reflect writes, where nobody checks it', async () => {
    const { engine, run, write, text } = await page(never)
    await write(`${returned}"We stay`)
    await text.see('We stay')
    await write(` with it.${report}`)
    await write(null)
    expect(await text.done).toBe('We stay with it.')
    expect((await run.outcome).result).toBe('We stay with it.')
    await engine.close()
  })

  it('has nothing to give out while Reflect goes on, or refers to a result', async () => {
    const { engine, run, write, text } = await page(never)
    await write('{"type":"go-on","deliverable":"not yet","reason":"more"}')
    await write(null)
    await write(`${returned}{"result":1},"result":"${report.slice('","result":"'.length)}`)
    await turns(10)
    expect(text.now()).toBe('')
    await write(null)
    expect(await text.done).toBe('A draft')
    expect((await run.outcome).result).toBe('A draft')
    await engine.close()
  })

  it('holds it back where a check may send it back', async () => {
    const { engine, run, write, text } = await page({ check: 'always' }, {}, [
      'planner/reflect',
      'check/result',
    ])
    await write(`${returned}"We stay.${report}`)
    await write(null)
    await turns(10)
    expect(text.now()).toBe('')
    await write('{"problems":[],"fits":true}')
    await write(null)
    expect(await text.done).toBe((await run.outcome).result)
    await engine.close()
  })

  it('gives out what it returns at a limit', async () => {
    const kinds = ['planner/reflect', 'planner/close']
    const { engine, run, write, text } = await page({}, { budget: { calls: 3 } }, kinds)
    await write('{"type":"go-on","reason":"more"}')
    await write(null)
    await write(`${returned.replace('completed', 'partial')}"Half of`)
    await text.see('Half of')
    await write(` it${report.replace('Completed', 'Partly completed')}`)
    await write(null)
    expect(await text.done).toBe('Half of it')
    expect(await run.outcome).toMatchObject({ status: 'partial', result: 'Half of it' })
    await engine.close()
  })
})

describe('dual', () => {
  const planOf = (...tasks: object[]) => ({ main_task: 'hello', main_task_goal: 'say hello', tasks })
  const plan = planOf({ subtask_name: 'hello', subtask_goal: 'say hello' })
  const both = planOf(
    { subtask_name: 'names', subtask_goal: 'find names' },
    { subtask_name: 'hello', subtask_goal: 'greet them', depends_on: ['names'] },
  )
  const hello = (options: object, kinds = ['dual/decide']) =>
    begin('say hello', kinds, () => ({}), { strategy: 'dual', options: { plan, memory: false, ...options } })

  it.each([
    ['{"action":"finish","human_readable_thought":"It is easy.","result":"', 'without a check', {}],
    ['{"action":"directly_answer","human_readable_thought":"It is easy.","answer":"', 'never checked', never],
  ])('gives out what its only task ends with: %s, %s', async (head, _, options) => {
    const { engine, run, write, text } = await hello(options)
    await write(head)
    await write('Hello')
    await text.see('Hello')
    await write(' you"}')
    await write(null)
    expect(await text.done).toBe('Hello you')
    expect((await run.outcome).result).toBe('Hello you')
    await engine.close()
  })

  it('gives out what its last task ends with where nobody checks it, and nothing of those before', async () => {
    const { engine, run, write, text } = await hello({ ...never, plan: both })
    await write('{"action":"finish","result":"Ann, Bob')
    await turns(10)
    expect(text.now()).toBe('')
    await write('"}')
    await write(null)
    await write('{"action":"finish","result":"Hello Ann')
    await text.see('Hello Ann')
    await write(' and Bob"}')
    await write(null)
    expect(await text.done).toBe('Hello Ann and Bob')
    expect((await run.outcome).result).toBe('Hello Ann and Bob')
    await engine.close()
  })

  it('holds it back where it may be checked, and gives out what the task ends with after it was sent back', async () => {
    const { engine, run, write, text } = await hello({ check: 'always' }, ['dual/decide', 'check/result'])
    await write('{"action":"finish","result":"Hi"}')
    await write(null)
    await turns(10)
    expect(text.now()).toBe('')
    await write('{"problems":["it is curt"],"fits":false}')
    await write(null)
    await write('{"action":"finish","result":"Hello')
    await text.see('Hello')
    await write(' you"}')
    await write(null)
    expect(await text.done).toBe('Hello you')
    expect((await run.outcome).result).toBe('Hello you')
    await engine.close()
  })

  it('holds it back where a person reviews it', async () => {
    const { engine, run, write, text } = await hello({ ...never, review: 'manual' })
    const goOn = async (path: string, name: string) => {
      while (!(await engine.state(run.id)).blocks.get(path)?.questions.some((one) => one.name === name))
        await turns(1)
      await answerAt(run, path, 'continue')
    }
    await goOn('1', 'review-plan')
    await write('{"action":"finish","result":"Hello"}')
    await write(null)
    await turns(10)
    expect(text.now()).toBe('')
    await goOn('1', 'review-task')
    expect(await text.done).toBe((await run.outcome).result)
    await engine.close()
  })
})
