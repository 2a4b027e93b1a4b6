import { describe, expect, it } from 'vitest'
import { prover, solve, writer } from '../../../tests/tot/solve.ts'
import type { ModelRequest } from '../../protocol/index.ts'
import type { ThoughtMessage } from './protocol.ts'
import { logFolder } from './views/log-folder.ts'

const STEPS = ['ends with river', 'ends with clock', 'ends with orange', 'ends with silence']

/** Creative writing, for which two or three thoughts are usual, of a story that has four. */
function story(estimate = 4) {
  return (request: ModelRequest) => {
    if (request.kind !== 'tot/decompose') return writer()(request)
    const four = { thought_granularity: 'one sentence', intermediate_steps: STEPS, depth_estimate: estimate }
    return prover(four)(request)
  }
}

const options = { branching: 2, beam: 1, check: 'never' }

function textOf({ messages }: ModelRequest): string {
  return messages.flatMap(({ content }) => content).join('\n')
}

describe('the depth of a search', () => {
  it("is the Decomposer's: a four-step story has four judged steps", async () => {
    const { outcome, messages } = await solve('a story of four sentences', story(), { options })
    const complete = messages.at(-1) as ThoughtMessage<'search_complete'>
    expect(complete.payload.best_path).toHaveLength(5)
    expect(complete.payload.best_path.slice(1).every(({ evaluation }) => evaluation !== null)).toBe(true)
    expect(outcome.result.split(' / ')).toHaveLength(4)
  })

  it('has ranges that are told to the Decomposer, where the document has one, and not forced on it', async () => {
    const asked = async (task_type: string) => {
      const { model } = await solve('x', prover(), { options: { ...options, task_type } })
      return textOf(model.calls.find(({ kind }) => kind === 'tot/decompose') as ModelRequest)
    }
    expect(await asked('math_reasoning')).toContain('3 to 4 thoughts are usual')
    expect(await asked('planning')).toContain('3 to 5 thoughts are usual')
    expect(await asked('debugging')).not.toContain('are usual')
    const given = async (depth: number) => {
      const { model } = await solve('x', prover(), { options: { ...options, task_type: 'planning', depth } })
      return textOf(model.calls[0] as ModelRequest)
    }
    expect(await given(2)).not.toContain('are usual')
    expect(await given(2)).toContain('A solution has 2 thoughts: plan for so many steps.')
    expect(await given(1)).toContain('A solution has one thought: plan for one step.')
  })

  it('is the same in every note, message and log file', async () => {
    const { events, notes, messages } = await solve('a story of four sentences', story(), { options })
    const configs = [
      ...notes('tot/task-chosen'),
      ...messages.flatMap(({ payload }) => ('search_config' in payload ? [payload] : [])),
      ...messages.flatMap(({ payload }) => ('tree' in payload ? [payload.tree] : [])),
    ].map((told) => (told as { search_config: object }).search_config)
    expect(configs).toHaveLength(3)
    for (const config of configs) expect(config).toEqual({ ...configs[0], max_depth: 4 })
    const { files } = logFolder(events.filter(({ path, type }) => path === '1' && type !== 'run-start'))
    const depths = [...files.values()].flatMap((text) =>
      [...text.matchAll(/(?:depth=|"depth":|"max_depth": ?|"depth_estimate":)(\d+)/g)].map(
        ([, depth]) => depth,
      ),
    )
    expect(depths.length).toBeGreaterThan(4)
    expect(new Set(depths)).toEqual(new Set(['4']))
  })

  it('is shown to the Generator: the granularity, and step k of n', async () => {
    const { model } = await solve('a story of four sentences', story(), { options })
    const asked = model.calls.filter(({ kind }) => kind === 'tot/generate')
    for (const request of asked) {
      const { depth } = request.input as { depth: number }
      expect(textOf(request)).toContain(`This is step ${depth} of 4: ${STEPS[depth - 1]}.`)
      expect(textOf(request)).toContain('One thought is: one sentence.')
    }
    expect(new Set(asked.map(({ input }) => (input as { depth: number }).depth)).size).toBe(4)
  })

  it('does not make the Generator pad: it gives so many candidates, or fewer where no others differ', async () => {
    const { model } = await solve('prove it', prover(), {
      options: { task_type: 'math_reasoning', branching: 3 },
    })
    const [asked] = model.calls.filter(({ kind }) => kind === 'tot/generate')
    expect(textOf(asked as ModelRequest)).toMatch(
      /Give 3 candidates, the most promising first; fewer only where/,
    )
  })

  it('leaves no step out: the last thought does what is left where more steps were named', async () => {
    const { model } = await solve('a story', story(), { options: { ...options, depth: 3 } })
    const asked = model.calls.filter(({ kind }) => kind === 'tot/generate').map(textOf)
    expect(asked.at(-1)).toContain('This is step 3 of 3: ends with orange; ends with silence.')
  })

  it('is shown to another strategy that generates', async () => {
    const goals: string[] = []
    const script = (request: ModelRequest) => {
      if (request.kind !== 'fractal/think') return story(2)(request)
      const { goal } = request.input as { goal: string }
      goals.push(goal)
      return { type: 'RETURN', description: `idea ${goals.length}` }
    }
    const generator = { strategy: 'fractal' }
    await solve('a story', script, { options: { ...options, branching: 1, generator } })
    expect(goals[0]).toContain('This is step 1 of 2: ends with river. One thought is: one sentence.')
    expect(goals.at(-1)).toContain('This is step 2 of 2')
  })
})

it('all log files tell the same number of LLM calls, that of the closing check included', async () => {
  const script = (request: ModelRequest) =>
    request.kind === 'check/result' ? { fits: false, problems: ['too plain'] } : story(2)(request)
  const { events, model } = await solve('a story of two sentences', script, {
    options: { ...options, check: 'always' },
  })
  expect(model.calls.map(({ kind }) => kind)).toContain('check/result')
  const { files } = logFolder(events.filter(({ path, type }) => path === '1' && type !== 'run-start'))
  const told = [...files].flatMap(([, text]) =>
    [...text.matchAll(/"llm_calls": ?(\d+)|(\d+) LLM calls|LLM calls: (\d+)/g)].map((found) =>
      Number(found.slice(1).find((count) => count !== undefined)),
    ),
  )
  expect(told.length).toBeGreaterThan(4)
  expect(new Set(told)).toEqual(new Set([model.calls.length]))
})
