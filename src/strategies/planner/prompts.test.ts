// Section 8: the same context gives the same bytes, in the prompts and in .thinkon/thinking-context.json, and no ids.
import { closeSync, fstatSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { execute, solvePlanner, steps } from '../../../tests/planner/planner-runs.ts'
import type { Brief } from '../../kernel/brief/brief.ts'
import { Conversation } from '../../kernel/brief/conversation.ts'
import { countTokens } from '../../kernel/brief/count-tokens.ts'
import { fitBrief } from '../../kernel/brief/fit-brief.ts'
import {
  type Event,
  type Goal,
  type ModelRequest,
  messageText,
  type TimelineEntry,
  type Todo,
} from '../../protocol/index.ts'
import { thinkingContext } from './context-json.ts'
import { contextSections } from './context-sections.ts'
import { executorEntries } from './executor-call.ts'
import { actBrief, observeBrief, planBrief, reflectBrief } from './prompts.ts'
import type { PlannerContext } from './schema.ts'

interface Content {
  goal: Goal
  todo: Todo
  done: string[]
  ancestors: { goal: Goal; todo: Todo; done: string[] }[]
  maxDepth: number | undefined
  depthLeft: number
  notices: string
  problems: string[]
  signal: string | undefined
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.constantFrom(
    'build a house',
    '写登录页',
    '先看日志\n然后修复',
    '[failed: exit code 1] x',
    'x'.repeat(7_000),
  ),
)
const core4 = fc.record({ intent: text, deliverable: text, metric: text, constraint: text })
const goal: fc.Arbitrary<Goal> = fc.oneof(text, core4)
const todo: fc.Arbitrary<Todo> = fc.oneof(text, fc.array(text, { maxLength: 7 }))
const content: fc.Arbitrary<Content> = fc.record({
  goal,
  todo,
  done: fc.array(text, { maxLength: 60 }),
  ancestors: fc.array(fc.record({ goal, todo, done: fc.array(text, { maxLength: 3 }) }), { maxLength: 9 }),
  maxDepth: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
  depthLeft: fc.nat(8),
  notices: fc.oneof(fc.constant(''), text),
  problems: fc.array(text, { maxLength: 4 }),
  signal: fc.option(text, { nil: undefined }),
})

const tools = [
  {
    name: 'executor__shell',
    description: 'any command',
    access: 'execute' as const,
    schema: { type: 'object' },
    hidden: true as const,
    executor: { id: 'shell', description: 'any command', guarantees: [], limits: [], side_effects: ['any'] },
  },
]

const never = () => {
  throw new Error('a prompt must not depend on it')
}

/** A context of that content at a place of its own; `flip` puts the keys of every object the other way round. */
function contextOf(given: Content, place: string, flip: boolean): PlannerContext {
  const { ancestors, depthLeft, notices, maxDepth } = given
  const own = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(own)
    const entries = Object.entries(value).map(([key, item]) => [key, own(item)] as const)
    return Object.fromEntries(flip ? entries.reverse() : entries)
  }
  const plain = own({
    block: { goal: given.goal, parent: `${place}-parent`, todo: given.todo, done: given.done },
    options: { maxRepeats: 3, tools: false, strategies: ['cot'], probeStrategy: 'planner', maxDepth },
    ancestors: ancestors.map(({ goal, todo }, i) => ({ goal, todo, path: `${place}${i}` })),
    tools: [],
    hiddenTools: tools,
    withheld: [],
  }) as object
  return {
    ...plain,
    path: place,
    level: ancestors.length,
    budget: () => ({ depth: depthLeft }),
    known: () => [
      ...ancestors.flatMap(({ done }, i) => childEntries(done, `${place}${i}`)),
      ...childEntries(given.done, place),
      ...(notices === '' ? [] : [{ path: place, kind: 'notice', text: notices }]),
    ],
    now: never,
    random: never,
  } as unknown as PlannerContext
}

function childEntries(done: readonly string[], path: string): TimelineEntry[] {
  return done.map((result, i) => ({
    path: `${path}-${i + 1}`,
    kind: 'child',
    text: result,
    about: `part ${i + 1}`,
    ref: `${path}-${i + 1}`,
    status: 'completed',
  }))
}

function briefsOf(context: PlannerContext, { problems, signal }: Content): Brief[] {
  const executors = executorEntries(context)
  const conversation = () => {
    const talk = new Conversation(contextSections(context))
    for (const problem of problems) {
      talk.reply({ text: '{}' })
      talk.say(problem)
    }
    return talk
  }
  const hypotheses = [{ text: signal ?? '', state: 'refuted' as const, evidence: signal ?? '' }]
  const parts = signal === undefined ? {} : { success_signal: signal, hypotheses }
  const call = { command: 'shell: true', inputs: {}, expected_observations: [] }
  const closing = { ...parts, closing: 'the limit of calls is reached' }
  return [
    planBrief(context, conversation(), {
      executors,
      problems,
      learned: { attempts: [], reason: signal ?? '', ...(signal !== undefined && { hypotheses }) },
    }),
    actBrief(context, conversation(), { executors, problems }),
    reflectBrief(context, { conversation: conversation() }, parts, problems),
    reflectBrief(context, { sections: contextSections(context) }, closing, []),
    observeBrief(context, call, [{ text: signal ?? '', data: 'executor', ref: '1-1/1' }], problems),
  ]
}

/** With all the room that they need, unless said otherwise. */
function promptsOf(context: PlannerContext, given: Content, budget = 10_000_000): ModelRequest[] {
  return briefsOf(context, given).map((brief) => fitBrief(brief, { budget, most: budget }, READER).request)
}

const READER = { name: 'read_result', description: 'reads', schema: { type: 'object' } }

describe('a prompt', () => {
  it('is the same, byte for byte, for the same context: wherever its block is, however its objects were built', () => {
    fc.assert(
      fc.property(content, (given) => {
        const [one, other] = [contextOf(given, 'PLACE-A', false), contextOf(given, 'PLACE-B', true)]
        const [requests, others] = [promptsOf(one, given), promptsOf(other, given)]
        expect(JSON.stringify(others)).toBe(JSON.stringify(requests))
        expect(requests.flatMap(({ messages }) => messages.map(messageText)).join('')).not.toMatch(
          /PLACE-[AB]/,
        )
      }),
      { numRuns: 300, seed: 20_261 },
    )
  })

  it('has as its context only what the document says: think, path from near to far, max_depth', () => {
    fc.assert(
      fc.property(content, (given) => {
        const context = thinkingContext(contextOf(given, 'PLACE', true))
        expect(Object.keys(context)).toEqual(['think', 'path', 'max_depth'])
        expect(Object.keys(context.think)).toEqual(['goal', 'plan', 'done'])
        expect(context.path).toHaveLength(given.ancestors.length)
        for (const one of context.path) expect(Object.keys(one)).toEqual(['goal', 'plan', 'done'])
        expect(context.think.done).toEqual(given.done)
        for (const one of [context.think, ...context.path])
          if (typeof one.goal === 'object')
            expect(Object.keys(one.goal)).toEqual(['intent', 'deliverable', 'metric', 'constraint'])
        expect(JSON.stringify(context)).not.toContain('PLACE')
      }),
      { numRuns: 300, seed: 20_262 },
    )
  })

  it('is within its budget, however deep its block, however long its history', () => {
    const long = '很长的文字'.repeat(400)
    const four = { intent: long, deliverable: long, metric: long, constraint: long }
    const plan = Array.from({ length: 7 }, () => long)
    const given: Content = {
      goal: four,
      todo: plan,
      done: Array.from({ length: 200 }, () => `[failed: ${long}] ${long}`),
      ancestors: Array.from({ length: 30 }, () => ({ goal: four, todo: plan, done: plan })),
      maxDepth: 80,
      depthLeft: 8,
      notices: long.slice(0, 1_200),
      problems: Array.from({ length: 2 }, () => long.slice(0, 300)),
      signal: long,
    }
    for (const { messages, kind } of promptsOf(contextOf(given, 'PLACE', false), given, 48_000)) {
      const tokens = messages.reduce((sum, message) => sum + countTokens(messageText(message)), 0)
      expect(tokens, kind).toBeLessThan(48_000)
      expect(messages.map(messageText).join(''), 'the own goal is whole').toContain(long)
    }
    expect(thinkingContext(contextOf(given, 'PLACE', false)).path).toHaveLength(30)
  })

  it('changes with what the context says', () => {
    const plain = { todo: [], done: [], ancestors: [], maxDepth: 3, depthLeft: 3, notices: '', problems: [] }
    const prompt = (goalOf: string) => {
      const given = { ...plain, goal: goalOf, signal: undefined }
      return JSON.stringify(promptsOf(contextOf(given, 'PLACE', false), given))
    }
    expect(prompt('one')).not.toBe(prompt('two'))
  })

  it('is told why a block ended, without the path that the kernel names it by', () => {
    const done = [
      '[partial: 1-2#2: the limit of calls (--max-calls) is reached] ### Completion',
      'at 1-2: fine',
    ]
    const given: Content = {
      goal: 'x',
      todo: [],
      done,
      ancestors: [],
      maxDepth: 3,
      depthLeft: 3,
      notices: '',
      problems: [],
      signal: undefined,
    }
    expect(thinkingContext(contextOf(given, 'PLACE', false)).think.done).toEqual([
      '[partial: the limit of calls (--max-calls) is reached] ### Completion',
      'at 1-2: fine',
    ])
  })
})

describe('what a block knows', () => {
  const long = (name: string) => `${name} `.repeat(2_000).trim()
  const print = (name: string) =>
    `shell: i=0; while [ $i -lt 2000 ]; do printf '%s ' ${name}; i=$((i+1)); done`
  const script = {
    'plan a house': [steps('the house', ['ground', 'walls', 'roof'])],
    'plan the house': [
      execute('ground', print('ground'), []),
      steps('the walls', ['bricks', 'mortar', 'paint']),
      execute('roof', 'shell: true', [], { update_plan: [] }),
    ],
    'plan the walls': [
      execute('bricks', print('bricks'), []),
      steps('the mortar', ['sand', 'lime', 'water']),
    ],
    'reflect the walls': [{ type: 'go-on', reason: 'only bricks' }],
    'act the mortar': [{ command: 'shell: true', inputs: {}, expected_observations: [] }],
  }

  it('are results as the brief shows them: whole while they fit, whatever their length', async () => {
    const run = await solvePlanner('print it', {
      'plan print it': [execute('print', print('word'), []), execute('once more', 'shell: true', [])],
      'reflect print it': [{ type: 'go-on', reason: 'more' }],
    })
    for (const asked of ['reflect print it', 'plan print it'])
      expect(run.prompt(asked, asked.startsWith('plan') ? 2 : 1)).toContain(long('word'))
  })

  it('are the results of the steps before it: `path` carries the `done` of each ancestor', async () => {
    const run = await solvePlanner(
      'a house',
      {
        ...script,
        'plan the walls': [
          ...script['plan the walls'],
          execute('paint', 'shell: true', [], { update_plan: [] }),
        ],
      },
      { options: { maxDepth: 3 } },
    )
    expect(run.outcome.status).toBe('completed')
    const act = run.requests.find(({ kind }) => kind === 'planner/act') as ModelRequest
    const { path } = act.input as { path: { goal: Goal; done: string[] }[] }
    expect(path.map(({ goal }) => goal)).toEqual(['the walls', 'the house', 'a house'])
    expect(path[0]?.done[0]).toContain(long('bricks'))
    expect(path[1]?.done[0]).toContain(long('ground'))
    for (const asked of ['plan the walls', 'reflect the walls', 'act the mortar'])
      expect(run.prompt(asked), asked).toContain(long('ground'))
    expect(run.prompt('act the mortar')).toContain(long('bricks'))
    expect(run.notes('planner/context-given')).toContainEqual({
      think: { goal: 'the walls', plan: ['bricks', 'mortar', 'paint'], done: [] },
      path: [
        { goal: 'the house', plan: ['walls', 'roof'], done: [run.block('1-1').done[0]] },
        { goal: 'a house', plan: [], done: [] },
      ],
      max_depth: 3,
    })
  })
})

describe('.thinkon/thinking-context.json', () => {
  const place = { workspace: '' }
  const onWorkspace = (workspace: string) => {
    place.workspace = workspace
  }
  const script = {
    'plan two files': [steps('both files', ['write a', 'write b', 'check both'])],
    'plan both files': [
      execute('write a', 'shell: echo 1 > a'),
      execute('write b', 'shell: echo 2 > b'),
      execute('check both', 'shell: cat a b'),
    ],
  }
  const contextsOf = (events: readonly Event[]) =>
    events.flatMap((event) =>
      event.type === 'note' && event.name === 'planner/context-given'
        ? [`${JSON.stringify(event.data, null, 2)}\n`]
        : [],
    )

  it('is the Context JSON of the last planning call, byte for byte, while the call goes on', async () => {
    const seen: string[] = []
    const run = await solvePlanner('two files', script, {
      onEvent: (event) => {
        if (!('seq' in event) || event.type === 'run-start') return
        const { workspace } = place
        if (workspace !== '' && contextsOf([event]).length > 0)
          seen.push(readFileSync(join(workspace, '.thinkon/thinking-context.json'), 'utf8'))
      },
      onWorkspace,
    })
    const contexts = contextsOf(run.events)
    expect(contexts).toHaveLength(4)
    expect(seen).toEqual(contexts)
    expect(run.file('.thinkon/thinking-context.json')).toBe(contexts.at(-1))
    expect(JSON.parse(contexts.at(-1) as string)).toEqual({
      think: {
        goal: 'both files',
        plan: ['check both'],
        done: [run.block('1-1').done[0], run.block('1-1').done[1]],
      },
      path: [{ goal: 'two files', plan: [], done: [] }],
      max_depth: 8,
    })
  })

  it('is replaced as a whole: whoever has the old one open reads it to its end', async () => {
    let opened: { fd: number; text: string } | null = null
    const run = await solvePlanner('two files', script, {
      onWorkspace,
      onEvent: (event) => {
        if (opened !== null || !('seq' in event)) return
        const [first] = contextsOf([event])
        if (first === undefined) return
        const fd = openSync(join(place.workspace, '.thinkon/thinking-context.json'), 'r')
        opened = { fd, text: first }
      },
    })
    const { fd, text: first } = opened as unknown as { fd: number; text: string }
    const bytes = Buffer.alloc(fstatSync(fd).size)
    readSync(fd, bytes, 0, bytes.length, 0)
    closeSync(fd)
    expect(bytes.toString('utf8')).toBe(first)
    expect(run.file('.thinkon/thinking-context.json')).not.toBe(first)
    expect(readdirSync(join(run.workspace, '.thinkon'))).toEqual(['thinking-context.json'])
  })

  it('is the same file for two runs of the same context', async () => {
    const [one, other] = [await solvePlanner('two files', script), await solvePlanner('two files', script)]
    expect(one.file('.thinkon/thinking-context.json')).toBe(other.file('.thinkon/thinking-context.json'))
    expect(one.id).not.toBe(other.id)
  })
})
