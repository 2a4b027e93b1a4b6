import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkSchema } from '../../../schema/check-schema.ts'
import { CORE4_FIELDS, MAX_ITEMS, MIN_ITEMS, PLAN_TYPES, type PlanNext } from '../schema.ts'
import { STRUCTURE } from './check-fields.ts'
import { attemptOf, isRepetition } from './repetition.ts'
import { VIOLATIONS, type ViolationName } from './violation-table.ts'
import { type Situation, violationsOf, warningsOf } from './violations.ts'
import { GUESS_WORDS, guessWordsIn, SEQUENCE_WORDS, sequenceWordsIn } from './words.ts'

interface Case {
  name: string
  value: unknown
  situation?: Partial<Situation>
  /** Sorted. */
  violations: ViolationName[]
}

const read = (file: string) => JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8'))
const planNextJson = read('../plan-next.schema.json')
const cases: Case[] = read('plan-next-cases.json')
const valid = cases.filter(({ violations }) => violations.length === 0)
const NAMES = Object.keys(VIOLATIONS) as ViolationName[]
const NO_ATTEMPTS: Situation = { attempts: [], executors: ['shell', 'pytest', 'npm-build'] }

const found = ({ value, situation }: Case) => violationsOf(value, { ...NO_ATTEMPTS, ...situation })
const namesOf = (value: unknown, situation = NO_ATTEMPTS) =>
  violationsOf(value, situation).map(({ name }) => name)

describe('the rules of plan-next', () => {
  it.each(cases.map((one) => [one.name, one] as const))('%s', (_, one) => {
    expect(
      found(one)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(one.violations)
  })

  it('are tested by enough answers: each rule by one that breaks it, and many that break none', () => {
    const broken = new Set(cases.flatMap(({ violations }) => violations))
    expect(NAMES.filter((name) => !broken.has(name))).toEqual([])
    expect(cases.length).toBeGreaterThanOrEqual(160)
    expect(valid.length).toBeGreaterThanOrEqual(50)
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length)
  })

  it('have each its section of the document, and tell the model a sentence with the place', () => {
    const table = readFileSync(join(import.meta.dirname, 'violation-table.ts'), 'utf8')
    for (const name of NAMES) expect(table).toMatch(new RegExp(`\\n  // [145678].*\\n  ${name}:`))
    for (const { name, where, message } of cases.flatMap(found)) {
      expect(message, name).toMatch(/^[A-Z"].{20,}[.?]$/s)
      expect(message).not.toMatch(/undefined|\[object/)
      if (name !== 'NOT_AN_OBJECT') expect(where).not.toBe('')
    }
  })

  it('tell what is wrong where, and what to do instead', () => {
    const first = (name: string) => found(cases.find((one) => one.name === name) as Case)[0]
    expect(first('probes with 先')).toEqual({
      name: 'PROBE_HAS_SEQUENCE_WORD',
      where: 'new_block.plan[1]',
      message: expect.stringContaining('"new_block.plan[1]" has the sequence word "先"; a hypothesis claims'),
    })
    expect(first('a hypothesis among steps')?.message).toContain(
      '("先" beside "可能"); answer as PLAN_PROBES with hypotheses only',
    )
    expect(first('a misspelt executor')?.message).toContain('There is no "pytset": did you mean "pytest"?')
    expect(first('a command without an executor')?.message).toContain('"shell: <command>"')
    expect(first('a misspelt field')?.message).toContain('did you mean "success_signal"')
    expect(first('goal and plan outside new_block')?.message).toContain('it belongs into "new_block"')
    expect(first('plan-return')?.message).toContain('plans a closing check')
  })

  it('come in the order of the table, whatever the order of the fields', () => {
    const { value } = cases.find(({ name }) => name === 'everything at once') as Case
    const reversed = Object.fromEntries(Object.entries(value as object).reverse())
    const names = namesOf(value)
    expect(namesOf(reversed)).toEqual(names)
    expect(names.toSorted((a, b) => NAMES.indexOf(a) - NAMES.indexOf(b))).toEqual(names)
  })

  it('never throw, and tell the same of the same, whatever JSON comes', () => {
    const nearly = fc.record(
      {
        type: fc.constantFrom('plan-next', 'plan-return', 1),
        plan_type: fc.constantFrom('PLAN_PROBES', 'PLAN_STEPS', 'EXECUTE', null),
        new_block: fc.oneof(
          fc.jsonValue(),
          fc.record(
            {
              goal: fc.oneof(fc.string(), fc.jsonValue(), core4()),
              plan: fc.oneof(fc.jsonValue(), fc.array(fc.string({ unit: 'binary' }), { maxLength: 9 })),
              done: fc.oneof(fc.constant([]), fc.jsonValue()),
            },
            { requiredKeys: [] },
          ),
        ),
        success_signal: fc.jsonValue(),
        executor_call: fc.oneof(
          fc.jsonValue(),
          fc.record({ command: fc.string(), inputs: fc.jsonValue(), expected_observations: fc.jsonValue() }),
        ),
        update_plan: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    const attempts = valid.map(({ value }) => attemptOf(value as PlanNext))
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), nearly), (value) => {
        const names = namesOf(value, { ...NO_ATTEMPTS, attempts })
        expect(namesOf(structuredClone(value), { ...NO_ATTEMPTS, attempts })).toEqual(names)
        warningsOf(value)
        // What breaks no rule fits the published schema, too.
        if (names.length === 0) expect(checkSchema(value, planNextJson)).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  it('bear answers made to break them: nested deep, very wide, very long', () => {
    const deep = JSON.parse(`${'{"a":['.repeat(5000)}1${']}'.repeat(5000)}`)
    expect(namesOf({ ...deep, type: 'plan-next' })).toContain('UNKNOWN_FIELD')
    const wide = Array.from({ length: 200_000 }, () => '先')
    const block = { goal: 'x', plan: wide, done: [] }
    expect(namesOf({ type: 'plan-next', plan_type: 'PLAN_PROBES', new_block: block })).toHaveLength(20)
    for (const text of ['先then first '.repeat(50_000), 'a.'.repeat(100_000), `${'if '.repeat(50_000)}then`])
      namesOf({
        type: 'plan-next',
        plan_type: 'PLAN_STEPS',
        new_block: { ...block, plan: [text, text, 'x'] },
      })
  })
})

describe('the anti-dead-loop rule', () => {
  it('refuses every valid answer once it has failed, in its own words or with other spaces', () => {
    for (const { name, value, situation } of valid) {
      const plan = value as PlanNext
      const attempts = [attemptOf(plan)]
      const names = namesOf(plan, { ...NO_ATTEMPTS, ...situation, attempts })
      expect(names, name).toEqual(['REPEATS_FAILED_BLOCK'])
      const relabelled = plan.new_block.plan.map((item, i) => `${i + 1}.  ${item} `)
      const again = {
        ...plan,
        new_block: { ...plan.new_block, goal: 'Another goal', plan: relabelled },
      }
      const [repeated] = namesOf(again, { ...NO_ATTEMPTS, ...situation, attempts })
      expect(repeated, name).toBe(
        plan.plan_type === 'EXECUTE' ? 'REPEATS_FAILED_COMMAND' : 'REPEATS_FAILED_PLAN',
      )
    }
  })

  it('is known by its names', () => {
    expect(NAMES.filter(isRepetition)).toEqual([
      'REPEATS_FAILED_BLOCK',
      'REPEATS_FAILED_PLAN',
      'REPEATS_FAILED_COMMAND',
      'REPEATS_FAILED_GOAL',
    ])
    expect(isRepetition('toString')).toBe(false)
  })
})

describe('warnings', () => {
  it('are for what the document only recommends', () => {
    const value = (name: string) => cases.find((one) => one.name === name)?.value
    expect(warningsOf(value("the document's example A"))).toEqual([])
    expect(warningsOf(value("the document's example C"))).toEqual([])
    expect(warningsOf(value('three probes without a success signal'))).toEqual(['NO_SUCCESS_SIGNAL'])
    expect(warningsOf(value('a command without expected observations'))).toEqual(['NO_EXPECTED_OBSERVATIONS'])
    expect(warningsOf({ ...(value("the document's example C") as object), success_signal: 'x' })).toEqual([
      'SUCCESS_SIGNAL_WITH_EXECUTE',
    ])
  })
})

describe('the published schema', () => {
  it('has the plan types, the parts of a goal and the numbers of items that the code has', () => {
    const { plan_type, new_block } = planNextJson.properties
    expect(plan_type.enum).toEqual(PLAN_TYPES)
    expect(new_block.properties.goal.oneOf[1].required).toEqual(CORE4_FIELDS)
    expect(planNextJson.else.properties.new_block.properties.plan).toEqual({
      minItems: MIN_ITEMS,
      maxItems: MAX_ITEMS,
    })
  })

  it('is closed where the document has it closed, and takes no field of structure elsewhere', () => {
    const { new_block, executor_call } = planNextJson.properties
    const [, core4] = new_block.properties.goal.oneOf
    expect([planNextJson, new_block].map((one) => one.additionalProperties)).toEqual([false, false])
    for (const open of [core4, executor_call]) {
      expect(open.additionalProperties).toBeUndefined()
      expect(open.propertyNames.not.pattern).toBe(STRUCTURE.source)
    }
  })

  it('takes every answer that breaks no rule', () => {
    for (const { name, value } of valid) expect(checkSchema(value, planNextJson), name).toEqual([])
  })

  it('refuses what a schema can refuse, and nothing else', () => {
    const beyond: readonly ViolationName[] = [
      'DUPLICATE_ITEM',
      'PLAN_MIXED',
      'PROBE_HAS_SEQUENCE_WORD',
      'STEP_HAS_GUESS_WORD',
      'CALL_UNKNOWN_EXECUTOR',
      'THINKON_PATH',
      'TIMESTAMP',
      'RANDOM_TEXT',
      'REPEATS_FAILED_BLOCK',
      'REPEATS_FAILED_PLAN',
      'REPEATS_FAILED_COMMAND',
      'REPEATS_FAILED_GOAL',
    ]
    for (const { name, value, violations } of cases) {
      const fits = checkSchema(value, planNextJson).length === 0
      const shouldFit = violations.every((one) => beyond.includes(one))
      // That a shell without a command lacks one stands in a text.
      if (name !== 'a shell without a command') expect([name, fits]).toEqual([name, shouldFit])
    }
  })
})

describe('the word lists', () => {
  it('have the words that the document names, in both languages, each with a reason', () => {
    for (const word of ['先', '再', '然后', '第一步', '接下来', 'First, ', 'then', 'Next, ', 'Step 1:'])
      expect(sequenceWordsIn(`${word}`), word).toHaveLength(1)
    for (const word of [
      '可能',
      '也许',
      '原因',
      '假设',
      'may',
      'might',
      'maybe',
      'perhaps',
      'the cause',
      'assume',
    ])
      expect(guessWordsIn(word), word).toHaveLength(1)
    for (const { word, why } of [...SEQUENCE_WORDS, ...GUESS_WORDS])
      expect(why.length, word).toBeGreaterThan(15)
  })

  it('find each of their entries’ words where nothing excepts it', () => {
    const missing = (words: typeof SEQUENCE_WORDS, finds: (text: string) => string[]) =>
      words.filter(({ word }) => finds(`${word}, x`).length === 0 && finds(`the ${word} of`).length === 0)
    expect(missing(SEQUENCE_WORDS, sequenceWordsIn)).toEqual([])
    expect(missing(GUESS_WORDS, guessWordsIn).map(({ word }) => word)).toEqual(['seems', 'could be', 'guess'])
  })

  it('are read with their case and their quotes as people write them', () => {
    expect(guessWordsIn("don't assume it's fine")).toEqual(['assume'])
    expect(guessWordsIn("set 'maybe' and 'perhaps' aside")).toEqual([])
    expect(guessWordsIn('MAYBE later, Perhaps now')).toEqual(['MAYBE', 'Perhaps'])
    expect(guessWordsIn('```\nmaybe\n``` and `perhaps`')).toEqual([])
    expect(guessWordsIn('see https://x.org/maybe?perhaps=1 and src/perhaps')).toEqual([])
    expect(sequenceWordsIn('然后“然后”')).toEqual(['然后'])
  })
})

function core4() {
  const text = fc.oneof(fc.string(), fc.constant('x'))
  return fc.record({ intent: text, deliverable: text, metric: text, constraint: text })
}
