// What a run of the planner hands over: the deliverable as its result, the four sections as its details.
import { describe, expect, it } from 'vitest'
import { execute, returned, sections, solvePlanner, steps } from '../../../tests/planner/planner-runs.ts'
import { messageText } from '../../protocol/index.ts'
import { deliverableIn, fourSections, withDeliverable, wordsFor } from './sections.ts'

const PAGE = '# Decision\n\nWe stay with Postgres.\n\n### Metrics\n\nnone of them changes.'

function text(goal: string, written: string) {
  const plan = execute(goal, 'text', [])
  return { ...plan, executor_call: { ...plan.executor_call, inputs: { text: written } } }
}

const report = (deliverable: unknown) => returned('completed', 'the page is written', { deliverable })
const REPORT = sections('Completed: the page is written')

describe('a goal that needs only a text', () => {
  it('takes two calls: the Planner writes it, Reflect hands it over as it stands', async () => {
    const run = await solvePlanner('Should we move to another database?', {
      'plan Should we move to another database?': [text('the page', PAGE)],
      'reflect Should we move to another database?': [report({ result: 1 })],
    })
    expect(run.outcome).toMatchObject({ status: 'completed', result: PAGE, details: REPORT })
    expect(run.requests.map(({ kind }) => kind)).toEqual(['planner/plan', 'planner/reflect'])
    expect(run.events.some(({ type }) => type === 'tool-start')).toBe(false)
    expect(run.prompt('reflect Should we move to another database?')).toContain(PAGE)
  })

  it('does not have its text written twice: Reflect is told to refer to it, and a copy counts as that', async () => {
    const goal = 'Should we move to another database?'
    const run = await solvePlanner(goal, {
      [`plan ${goal}`]: [text('the page', PAGE)],
      [`reflect ${goal}`]: [report(`${PAGE}\n`)],
    })
    const rules = messageText(run.requests[1]?.messages[0] as never)
    expect(rules).toContain("It is handed over as it was written; don't write it again.")
    expect(run.prompt(`reflect ${goal}`).split(PAGE)).toHaveLength(2)
    expect(
      run.requests.map(({ kind }) => kind),
      'no further judge',
    ).toEqual(['planner/plan', 'planner/reflect'])
    expect(run.outcome.result.trim()).toBe(PAGE)
  })

  it('may mention what a plan may not, such as the runtime’s own folder', async () => {
    const page = 'Executors are listed in .thinkon/executors/executors.yaml.'
    const run = await solvePlanner('one page', {
      'plan one page': [text('the page', page)],
      'reflect one page': [report({ result: 1 })],
    })
    expect(run.outcome.result).toBe(page)
    expect(run.outcome.violations).toBeUndefined()
  })

  it('ends with the text that Reflect has put right', async () => {
    const run = await solvePlanner('one page', {
      'plan one page': [text('the page', PAGE)],
      'reflect one page': [report('We stay.')],
    })
    expect(run.outcome).toMatchObject({ result: 'We stay.', details: REPORT })
  })

  it('is written again when Reflect says what is missing, with the reason and the first text in view', async () => {
    const run = await solvePlanner('one page', {
      'plan one page': [text('the page', PAGE), text('the page with costs', `${PAGE} It costs nothing.`)],
      'reflect one page': [{ type: 'go-on', reason: 'the costs are missing' }, report({ result: 2 })],
    })
    expect(run.prompt('plan one page', 2)).toContain('Reflect says: the costs are missing')
    expect(run.prompt('plan one page', 2)).toContain(PAGE)
    expect(run.outcome.result).toBe(`${PAGE} It costs nothing.`)
  })

  it('is written in one call where there is no depth to plan', async () => {
    const call = { command: 'text', inputs: { text: PAGE }, expected_observations: ['it decides'] }
    const run = await solvePlanner('one page', { 'act one page': [call] }, { budget: { depth: 0 } })
    expect(run.outcome).toMatchObject({ result: PAGE, usage: { calls: 1 } })
    expect(run.outcome.details).toContain('- to be judged by reading: it decides')
  })
})

describe('a deliverable', () => {
  it('within a plan stands in the second section of the result, whole', async () => {
    const run = await solvePlanner('a book', {
      'plan a book': [steps('a chapter', ['find out', 'write it', 'check it'])],
      'plan a chapter': [text('the text', PAGE)],
      'reflect a chapter': [returned('completed', 'written', { deliverable: { result: 1 } })],
      'reflect a book': [report({ result: 1 })],
    })
    const chapter = run.block('1-1').outcome
    expect(chapter?.result).toBe(withDeliverable(sections('Completed: written'), PAGE, wordsFor('a chapter')))
    expect(chapter?.details).toBeUndefined()
    expect(run.prompt('reflect a book')).toContain(PAGE)
    expect(run.outcome).toMatchObject({ result: PAGE, details: REPORT })
  })

  it('that is a command’s output is handed over without its fence', async () => {
    const run = await solvePlanner('list it', {
      'plan list it': [execute('list', 'shell: printf "a\\nb\\n"')],
      'reflect list it': [report({ result: 1 })],
    })
    expect(run.outcome.result).toBe('a\nb')
  })

  it('may be the answer of another strategy, as it stands', async () => {
    const thought = {
      current_thinking: 'Blue, because it fits the house.',
      planning: [{ description: 'choose', status: 'Done', result: 'blue' }],
      next_thought_needed: false,
    }
    const run = await solvePlanner('a colour', {
      'plan a colour': [execute('choose', 'cot: which colour?', [])],
      'cot/think': [thought],
      'reflect a colour': [report({ result: 1 })],
    })
    expect(run.outcome.result).toBe(run.block('1-1').outcome?.result)
    expect(run.outcome.result).toContain('Blue')
  })

  it('that is no text and no result is refused by name', async () => {
    const run = await solvePlanner('one page', {
      'plan one page': [text('the page', PAGE)],
      'reflect one page': [report({ result: 2 }), report(1), report({ result: 1 })],
    })
    expect(run.prompt('reflect one page', 2)).toContain(
      'RETURN_DELIVERABLE_UNCLEAR: "deliverable" must be the text itself, or {"result":n} with the number of a result from 1 to 1',
    )
    expect(run.outcome).toMatchObject({ result: PAGE, violations: { RETURN_DELIVERABLE_UNCLEAR: 2 } })
  })

  it('that is too long for the goal comes back once, with Reflect’s answer in view', async () => {
    const goal = 'Answer in at most 30 words: which door is open?'
    const long = 'It is the left one. '.repeat(20)
    const run = await solvePlanner(goal, {
      [`plan ${goal}`]: [text('say it', long)],
      [`reflect ${goal}`]: [report({ result: 1 }), report('The left one.')],
    })
    const [first, again] = run.requests.filter(({ kind }) => kind === 'planner/reflect')
    expect(again?.messages.slice(0, 2)).toEqual(first?.messages.slice(0, 2))
    expect(again?.messages[2]).toMatchObject({ role: 'assistant' })
    expect(run.prompt(`reflect ${goal}`, 2)).toContain('held against the goal')
    expect(run.outcome).toMatchObject({ result: 'The left one.', details: REPORT })
  })

  it('that is a file comes back with the file put right: Reflect goes on for that', async () => {
    const goal = 'Write exactly two words to out.txt.'
    const run = await solvePlanner(goal, {
      [`plan ${goal}`]: [
        execute('write it', "shell: echo 'one two three' > out.txt"),
        execute('put it right', "shell: echo 'one two' > out.txt"),
      ],
      [`reflect ${goal}`]: [
        report('out.txt has three words.'),
        { type: 'go-on', reason: 'out.txt has a word too many' },
        returned('completed', 'it is put right', { deliverable: 'out.txt has two words.' }),
      ],
    })
    expect(run.prompt(`reflect ${goal}`, 2)).toContain('What is wrong in a file is put right in the file.')
    expect(run.prompt(`plan ${goal}`, 2)).toContain('out.txt has a word too many')
    expect(run.file('out.txt')).toBe('one two\n')
    expect(run.outcome).toMatchObject({
      status: 'completed',
      result: 'out.txt has two words.',
      details: sections('Completed: it is put right'),
    })
  })

  it('stands as it was, with what is wrong, where that can not be put right', async () => {
    const goal = 'Write exactly two words to out.txt.'
    const run = await solvePlanner(goal, {
      [`plan ${goal}`]: [
        execute('write it', "shell: echo 'one two three' > out.txt"),
        execute('put it right', 'shell: false'),
      ],
      [`reflect ${goal}`]: [
        report('out.txt has three words.'),
        { type: 'go-on', reason: 'out.txt has a word too many' },
        returned('failed', 'it could not be put right'),
      ],
    })
    expect(run.outcome).toMatchObject({ status: 'completed', result: 'out.txt has three words.' })
    expect(run.outcome.details).toContain('exactly two words')
  })
})

describe('the rules', () => {
  it.each([
    ['Should we move?', 'no first, then, next.', 'no maybe, possibly, cause, hypothesis.', '接下来'],
    ['我们要搬家吗？', 'no 先、再、然后、第一步、接下来.', 'no 可能、也许、原因、假设.', 'possibly'],
  ])(
    'name the words that plans are without in the run’s language: %s',
    async (goal, probes, steps, other) => {
      const status = goal.startsWith('S') ? 'Completed' : '已完成'
      const run = await solvePlanner(goal, {
        [`plan ${goal}`]: [text('the page', PAGE)],
        [`reflect ${goal}`]: [
          { ...report({ result: 1 }), result: fourSections(wordsFor(goal), [status, '-', '-', '-']) },
        ],
      })
      const rules = messageText(run.requests[0]?.messages[0] as never)
      for (const words of [probes, steps]) expect(rules).toContain(words)
      expect(rules).not.toContain(other)
    },
  )

  it('say how the shell is written in one way', async () => {
    const run = await solvePlanner('one page', {
      'plan one page': [text('the page', PAGE)],
      'reflect one page': [report({ result: 1 })],
    })
    const rules = messageText(run.requests[0]?.messages[0] as never)
    expect(rules).toMatch(/\{"id":"shell",.*"inputs":\{"type":"object","properties":\{\}\}/)
  })
})

describe('asking again', () => {
  it('is a conversation: refused replies stay in view, with what is wrong, and all before them byte for byte', async () => {
    const mixed = { ...text('the page', PAGE), plan_type: 'PLAN_STEPS' }
    const run = await solvePlanner('one page', {
      'plan one page': ['no JSON', mixed, text('the page', PAGE)],
      'reflect one page': ['fine', report({ result: 1 })],
    })
    const [first, second, third] = run.requests.filter(({ kind }) => kind === 'planner/plan')
    const before = first?.messages.slice(0, -1)
    expect(second?.messages.slice(0, 2)).toEqual(before)
    expect(second?.messages[2]).toEqual({ role: 'assistant', content: 'no JSON' })
    expect(messageText(second?.messages[3] as never)).toMatch(/can't be used:\n- NOT_AN_OBJECT: /)
    expect(second?.messages.at(-1)).toEqual(first?.messages.at(-1))
    expect(third?.messages.slice(0, 4)).toEqual(second?.messages.slice(0, 4))
    expect(messageText(third?.messages[4] as never)).toBe(JSON.stringify(mixed))
    expect(messageText(third?.messages[5] as never)).toMatch(/TOO_FEW_ITEMS[\s\S]*CALL_WITHOUT_EXECUTE/)
    const reflected = run.requests.filter(({ kind }) => kind === 'planner/reflect')
    expect(reflected[1]?.messages.slice(0, 2)).toEqual(reflected[0]?.messages.slice(0, 2))
    expect(reflected[1]?.messages[2]).toEqual({ role: 'assistant', content: 'fine' })
  })
})

describe('the section of deliverables', () => {
  it.each<[what: string, section: string, deliverable: string | null]>([
    ['a text', 'The door is open.', 'The door is open.'],
    ['a text with headings of its own', PAGE, PAGE],
    ['files', '- a.txt: the list', '- a.txt: the list'],
    ['nothing', '-', null],
    ['the word for nothing', 'None.', null],
    ['a fenced output', '<data-000000000000 from="executor">\n42\n\n</data-000000000000>', '42'],
  ])('with %s', (_, section, deliverable) => {
    const result = withDeliverable(REPORT, section, wordsFor('x'))
    expect(deliverableIn(result)).toBe(deliverable)
  })
})
