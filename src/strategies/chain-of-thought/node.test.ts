import { describe, expect, it } from 'vitest'
import { runFlow } from './flow.ts'
import { type CallLlm, chainOfThoughtNode, type NodeOptions } from './node.ts'
import { newShared, type PlanStep, type Thought } from './schema.ts'

const PENDING: PlanStep = { description: 'count', status: 'Pending' }
const DONE: PlanStep = { description: 'count', status: 'Done', result: '7' }
const DOUBTED: PlanStep = { description: 'count', status: 'Verification Needed', mark: 'one may be missing' }

describe('the node on its own, with a plain callLlm', () => {
  it('thinks until no thought is needed: the last thinking is the solution', async () => {
    const { shared, prompts } = await chain([
      `current_thinking: I count them.\nplanning:\n  - description: count\n    status: Pending\nnext_thought_needed: true`,
      `current_thinking: One to seven.\nplanning:\n  - description: count\n    status: Done\n    result: 7\nnext_thought_needed: true`,
      `evaluation: It holds.\ncurrent_thinking: There are 7.\nplanning:\n  - description: count\n    status: Done\n    result: 7\nnext_thought_needed: false`,
    ])
    expect(shared).toEqual({
      problem: 'how many?',
      current_thought_number: 3,
      solution: 'There are 7.',
      thoughts: [
        thought(1, 'I count them.', [PENDING]),
        thought(2, 'One to seven.', [DONE]),
        { ...thought(3, 'There are 7.', [DONE], false), evaluation: 'It holds.' },
      ],
    })
    expect(prompts[0]).toContain('It is the first. Say how')
    expect(prompts[0]).not.toContain('First evaluate thought')
    expect(prompts[1]).toContain('First evaluate thought 1. Then do step 1 (Pending): count')
    expect(prompts[2]).toContain('All steps are Done. When all of it holds, conclude.')
    for (const prompt of prompts) expect(prompt).toContain('The problem:\nhow many?\n')
  })

  for (const [from, to] of [
    [PENDING, DONE],
    [PENDING, DOUBTED],
    [DOUBTED, DONE],
    [DOUBTED, PENDING],
    [DONE, DOUBTED],
    [DONE, PENDING],
  ] as const) {
    it(`takes a step from ${from.status} to ${to.status}, and tells the next thought so`, async () => {
      const { shared, prompts } = await chain([
        thought(1, 'x', [from]),
        thought(2, 'y', [to]),
        thought(3, 'z', [DONE], false),
      ])
      expect(shared.thoughts.map(({ planning }) => planning)).toEqual([[from], [to], [DONE]])
      expect(prompts[2]).toContain(`You answered:\n${JSON.stringify(thought(2, 'y', [to]))}\n`)
      expect(prompts[2]).toContain(to === DONE ? 'All steps are Done' : `Then do step 1 (${to.status})`)
    })
  }

  it('finishes a parent when its sub-steps are Done, and not before', async () => {
    const parent = (status: PlanStep['status'], last: PlanStep): PlanStep => ({
      description: 'all',
      status,
      ...(status === 'Done' ? { result: '14' } : {}),
      sub_steps: [DONE, last],
    })
    const second: PlanStep = { description: 'second', status: 'Pending' }
    const secondDone: PlanStep = { description: 'second', status: 'Done', result: '7' }
    const { shared, prompts, refused } = await chain([
      thought(1, 'early', [parent('Done', second)]),
      thought(1, 'right', [parent('Pending', second)]),
      thought(2, 'the sub-step', [parent('Pending', secondDone)]),
      thought(3, 'both', [parent('Done', secondDone)], false),
    ])
    expect(refused).toEqual([
      'step 1 is Done, and its sub-step 1.2 is not: a step is Done when all its sub_steps are',
    ])
    expect(prompts[2]).toContain('Then do step 1.2 (Pending): second')
    expect(shared.thoughts[1]?.planning[0]?.status).toBe('Done')
    expect(prompts[3]).toContain('All steps are Done')
    expect(shared.solution).toBe('both')
  })

  it('tells what is wrong and asks again, without counting it as a thought', async () => {
    const { shared, prompts, refused } = await chain([
      'no: YAML: at all: "',
      thought(1, 'x', [DONE], 'false'),
      thought(1, 'x', [DONE], false),
    ])
    expect(shared).toMatchObject({ current_thought_number: 1, solution: 'x' })
    expect(refused).toHaveLength(2)
    expect(prompts[1]).toContain('You answered:\nno: YAML: at all: "\n')
    expect(prompts[2]).toContain('true or false without quotes, not "false"')
    // A conversation: all that was refused stays in view.
    expect(prompts[2]).toContain('You answered:\nno: YAML')
    for (const prompt of prompts) expect(prompt).toContain('Now thought 1.')
  })

  it('gives up after two more askings, with INVALID_FORMAT', async () => {
    const asked = chain(['one', 'two', 'three', thought(1, 'x', [DONE], false)])
    await expect(asked).rejects.toMatchObject({
      code: 'INVALID_FORMAT',
      message: expect.stringContaining("thought 1 can't be used"),
    })
  })

  it('may be asked twice more in every thought', async () => {
    const { shared, refused } = await chain([
      'one',
      'two',
      thought(1, 'x', [PENDING]),
      'three',
      'four',
      thought(2, 'y', [DONE], false),
    ])
    expect(refused).toHaveLength(4)
    expect(shared.solution).toBe('y')
  })

  it('tells a thought that ends with open steps so, once, and then takes it', async () => {
    const ends = thought(1, 'that is all', [DONE, { ...PENDING, description: 'check' }], false)
    const { shared, prompts, refused } = await chain([ends, ends])
    expect(shared).toMatchObject({ solution: 'that is all', current_thought_number: 1 })
    expect(refused).toEqual([expect.stringContaining('not Done: 2 (Pending) check')])
    expect(prompts[1]).toContain('That was not taken')
  })

  it('stops an endless thinker at its cap, having told it which thought is its last', async () => {
    const endless = (n: number) => thought(n, `thought ${n}`, [{ ...PENDING, description: `step ${n}` }])
    const { shared, prompts } = await chain(
      Array.from({ length: 9 }, (_, i) => endless(i + 1)),
      {
        maxThoughts: 4,
      },
    )
    expect(shared.thoughts).toHaveLength(4)
    expect(shared.solution).toBeNull()
    expect(prompts.map((prompt) => prompt.includes('the last there is room for'))).toEqual([
      false,
      false,
      false,
      true,
    ])
  })

  it('tells a thinker that its plan stands still after three thoughts, and stops it at the fourth', async () => {
    const { shared, prompts } = await chain(
      Array.from({ length: 9 }, (_, i) => thought(i + 1, `${i}`, [PENDING])),
    )
    expect(shared.thoughts).toHaveLength(4)
    expect(prompts.map((prompt) => prompt.includes('the same in 3 thoughts'))).toEqual([
      false,
      false,
      false,
      true,
    ])
  })

  it('stops a thinker that goes to and fro', async () => {
    const { shared } = await chain(
      Array.from({ length: 19 }, (_, i) => thought(i + 1, `${i}`, [i % 2 === 0 ? PENDING : DOUBTED])),
    )
    expect(shared.thoughts).toHaveLength(7)
  })

  it('lets a thinker go on that changed its plan when it was told', async () => {
    const { shared } = await chain([
      thought(1, 'x', [PENDING]),
      thought(2, 'x', [PENDING]),
      thought(3, 'x', [PENDING]),
      thought(4, 'x', [DONE]),
      thought(5, 'seven', [DONE], false),
    ])
    expect(shared.solution).toBe('seven')
  })

  it('tells all thoughts as they were written, and the plan only when somebody else has changed it', async () => {
    const first = `current_thinking: I count.\nplanning:\n  - {description: count, status: Pending}\nnext_thought_needed: true`
    const { prompts } = await chain([first, thought(2, 'y', [DOUBTED]), thought(3, 'z', [DONE], false)])
    expect(prompts[2]).toContain(`You answered:\n${first}\n\nNow thought 2.\n\nYou answered:\n{`)
    expect(prompts.join('')).not.toContain('The plan as it stands now')

    const node = chainOfThoughtNode({
      callLlm: async (prompt) => {
        prompts.push(prompt)
        return thought(0, 'x', [DONE, { ...PENDING, description: 'check' }], prompts.length < 6)
      },
      onThought: (_, { thoughts }) => {
        const last = thoughts.at(-1) as Thought
        thoughts.splice(-1, 1, { ...last, planning: [{ ...DONE, result: '8, a person says' }] })
      },
    })
    prompts.length = 0
    await runFlow(node, newShared('how many?'))
    expect(prompts[1]).toContain('The plan as it stands now:\n1. [Done] count → 8, a person says\n')
  })

  it('goes on with a store that was filled elsewhere: its thoughts stand as they would have been written', async () => {
    const shared = { ...newShared('how many?'), thoughts: [thought(1, 'I count.', [PENDING])] }
    shared.current_thought_number = 1
    const prompts: string[] = []
    const callLlm: CallLlm = async (prompt) => {
      prompts.push(prompt)
      return thought(2, 'seven', [DONE], false)
    }
    await runFlow(chainOfThoughtNode({ callLlm }), shared)
    expect(prompts[0]).toContain(
      'You answered:\ncurrent_thinking: I count.\nplanning:\n  - description: count',
    )
    expect(prompts[0]).toContain('Now thought 2')
    expect(shared.solution).toBe('seven')
  })

  it('hands every thought to whoever wants to print it', async () => {
    const printed: number[] = []
    await chain([thought(1, 'x', [PENDING]), thought(2, 'y', [DONE], false)], {
      onThought: ({ thought_number }) => printed.push(thought_number),
    })
    expect(printed).toEqual([1, 2])
  })

  it('is one node for many problems at once', async () => {
    const node = chainOfThoughtNode({
      callLlm: async (_prompt, { problem, thought_number }) => {
        await new Promise((resolve) => setTimeout(resolve, problem.length % 3))
        const last = thought_number === 3
        const plan = [last ? { ...DONE, result: problem } : { ...PENDING, description: `${thought_number}` }]
        return thought(thought_number, problem, plan, !last)
      },
    })
    const stores = ['a', 'bb', 'ccc'].map(newShared)
    await Promise.all(stores.map((shared) => runFlow(node, shared)))
    expect(stores.map(({ solution }) => solution)).toEqual(['a', 'bb', 'ccc'])
  })
})

function thought(
  n: number,
  thinking: string,
  planning: readonly PlanStep[],
  needed: unknown = true,
): Thought {
  return {
    thought_number: n,
    current_thinking: thinking,
    planning,
    next_thought_needed: needed as boolean,
  }
}

async function chain(replies: readonly (string | object)[], options: Partial<NodeOptions> = {}) {
  const prompts: string[] = []
  const refused: string[] = []
  const callLlm: CallLlm = async (prompt) => {
    const reply = replies[prompts.length]
    prompts.push(prompt)
    if (reply === undefined) throw new Error('it was asked too often')
    return reply
  }
  const shared = newShared('how many?')
  const onRefused: NodeOptions['onRefused'] = (_, problems) => refused.push(...problems)
  await runFlow(chainOfThoughtNode({ callLlm, onRefused, ...options }), shared)
  return { shared, prompts, refused }
}
