import { describe, expect, it } from 'vitest'
import { checkReply, MAX_STEPS } from './check-thought.ts'
import type { Thought } from './schema.ts'

const YAML = `current_thinking: |
  First: the states.
  Then the equations.
planning:
  - description: states
    status: Done
    result: 3
  - description: equations
    status: Verification Needed
    mark: one is missing
    sub_steps:
      - description: state 0
        status: Pending
next_thought_needed: true
`

const THOUGHT: Thought = {
  thought_number: 4,
  current_thinking: 'First: the states.\nThen the equations.',
  planning: [
    { description: 'states', status: 'Done', result: '3' },
    {
      description: 'equations',
      status: 'Verification Needed',
      mark: 'one is missing',
      sub_steps: [{ description: 'state 0', status: 'Pending' }],
    },
  ],
  next_thought_needed: true,
}

function read(reply: unknown): Thought {
  const checked = checkReply(reply, 4)
  if (!checked.ok) throw new Error(checked.problems.join('\n'))
  return checked.value.thought
}

function repairs(reply: string): readonly string[] {
  const checked = checkReply(reply, 4)
  return checked.ok ? checked.value.repairs : checked.problems
}

function problems(reply: unknown, strategies?: string[]): readonly string[] {
  const checked = checkReply(reply, 4, strategies)
  return checked.ok ? [] : checked.problems
}

describe('a reply is read as a thought', () => {
  const fenced = `\`\`\`yaml\n${YAML}\`\`\``
  const draft = YAML.replace('Then the equations', 'This is a draft')
  const indented = YAML.replace(/^(?=.)/gm, '    ')
  for (const [what, reply] of [
    ['as YAML', YAML],
    ['in a fence', fenced],
    ['in a fence without a language', fenced.replace('yaml', '')],
    ['in a fence that is not closed', `\`\`\`yaml\n${YAML}`],
    ['in a fence that is indented', `    \`\`\`yaml\n${indented}    \`\`\``],
    ['with text around the fence', `Let me think: 1 + 1.\n\n${fenced}\n\nI hope this: helps!`],
    ['with text around and no fence', `Here it is.\n\n${YAML}\nThat was it: done.`],
    ['after a draft in another fence', `\`\`\`\nx: 1\n\`\`\`\nNo, this:\n${fenced}`],
    ['after thinking aloud', `<think>\nplanning: {a: b: c\n${fenced}\n</think>\n\n${YAML}`],
    ['after a draft in tags', `Let me see.\n<reasoning>\n${draft}</reasoning>\n\n${YAML}`],
    ['before a draft in tags', `${YAML}\n<Thinking>\n\`\`\`yaml\n${draft}\`\`\`\n</Thinking>`],
    ['after a draft whose tag was opened in the prompt', `${draft}</think>\n${YAML}`],
    [
      'in a fence, after a draft in tags with a name',
      `<analysis type="draft">\n${draft}\n</analysis>\n${fenced}`,
    ],
    ['as a YAML document with marks', `---\n${YAML}...\n`],
    ['as a list that is not indented', YAML.replace(/^ {2}(?=- d| {2}(?:st|re|ma|su| ))/gm, '')],
    ['as JSON', JSON.stringify(THOUGHT)],
    ['as JSON over lines, with text around', `So:\n${JSON.stringify(THOUGHT, null, '\t')}\nDone.`],
    ['as a value', { ...THOUGHT, planning: structuredClone(THOUGHT.planning) }],
    ['with Windows line ends', `So:\n${fenced}`.replaceAll('\n', '\r\n')],
  ] as const) {
    it(what, () => expect(read(reply)).toEqual(THOUGHT))
  }

  it('with a thinking tag in its text', () => {
    expect(read(YAML.replace('the states', '<think> of the states')).current_thinking).toBe(
      'First: <think> of the states.\nThen the equations.',
    )
  })

  it('with tabs for indentation, which is on record', () => {
    const tabbed = YAML.replace(/^(?: {2})+/gm, (indent) => '\t'.repeat(indent.length / 2))
    expect(tabbed).toContain('\t\t\t\tstatus: Pending')
    expect(read(tabbed)).toEqual(THOUGHT)
    expect(repairs(tabbed)).toEqual(['tabs'])
  })

  it('with colons, quotes and stars in texts that should have been quoted, which is on record', () => {
    const careless = `current_thinking: Note: the "first" step is easy: do it
planning:
  - description: Step 1: "roll" the die
    status: Done
    result: *odd*: 216/431
  - description: 'quoted: as it should be'
    status: Pending
  - description: a step that is told: over
      two lines
    status: Pending
next_thought_needed: true`
    expect(read(careless)).toMatchObject({
      current_thinking: 'Note: the "first" step is easy: do it',
      planning: [
        { description: 'Step 1: "roll" the die', result: '*odd*: 216/431' },
        { description: 'quoted: as it should be' },
        { description: 'a step that is told: over two lines' },
      ],
    })
    expect(repairs(careless)).toEqual(['quotes'])
  })

  it('with a # in a text that should have been quoted, which is on record; what may be a comment is asked for again', () => {
    const hashed = (end: string) =>
      YAML.replace(/^current_thinking:[^\n]*\n(?: +[^\n]*\n)*/m, `current_thinking: it is ${end}\n`)
    expect(read(hashed('#1 of them'))).toMatchObject({ current_thinking: 'it is #1 of them' })
    expect(repairs(hashed('#1 of them'))).toEqual(['quotes'])
    expect(repairs(hashed('one # of them'))).toEqual([
      'it is not clear whether # begins a comment; quote the text',
    ])
    expect(read(YAML.replace('status: Done', 'status: Done # at last'))).toEqual(THOUGHT)
  })

  it.each([
    String.raw`\frac{1}{2} \times \beta`,
    String.raw`\(x \cdot \frac{1}{2}\) \times \theta`,
    String.raw`\sqrt{2}, "\pi"`,
  ])('with LaTeX between double quotes: %s', (text) => {
    const reply = YAML.replace('mark: one is missing', `mark: "${text.replaceAll('"', '\\"')}"`)
    expect(read(reply).planning[1]?.mark).toBe(text)
    expect(repairs(reply)).toEqual(['quotes'])
  })

  it('with line ends, quotes and backslashes between double quotes as YAML has them', () => {
    const reply = YAML.replace('mark: one is missing', String.raw`mark: "a\nb \"c\" \\frac \u00e9\tx"`)
    expect(read(reply).planning[1]?.mark).toBe('a\nb "c" \\frac é\tx')
    expect(repairs(reply)).toEqual([])
  })

  it('leaves block texts alone when it mends others', () => {
    const mixed = `current_thinking: |
  result: a: b
  \`\`\`
  description: "x
  \`\`\`
planning:
  - description: one: two
    status: Pending
next_thought_needed: true`
    expect(read(mixed).current_thinking).toBe('result: a: b\n```\ndescription: "x\n```')
  })

  it('with Chinese, colons and several lines', () => {
    const chinese = `\`\`\`yaml
evaluation: >
  上一步正确：方程没有遗漏。
current_thinking: |
  设 a 为奇数的概率：
    11a + b = 6
  所以：a = 216/431。
planning:
  - description: "列方程：三个状态"
    status: "Done"
    result: "三个方程"
  - description: 求解
    status: "Pending"
next_thought_needed: true
\`\`\``
    expect(read(chinese)).toEqual({
      thought_number: 4,
      evaluation: '上一步正确：方程没有遗漏。',
      current_thinking: '设 a 为奇数的概率：\n  11a + b = 6\n所以：a = 216/431。',
      planning: [
        { description: '列方程：三个状态', status: 'Done', result: '三个方程' },
        { description: '求解', status: 'Pending' },
      ],
      next_thought_needed: true,
    })
  })

  it('with numbers as they are written, and null for what is not there', () => {
    const step = { description: 7, status: 'Done', result: 1.5, mark: null, sub_steps: null }
    const thought = { current_thinking: 'x', planning: [step], next_thought_needed: false, evaluation: null }
    expect(read(thought).planning).toEqual([{ description: '7', status: 'Done', result: '1.5' }])
    const yaml = YAML.replace('result: 3', 'result: 1.50')
    expect(read(yaml).planning[0]?.result).toBe('1.50')
  })

  it('with result and mark optional, as in the document', () => {
    const steps = [
      { description: 'a', status: 'Done' },
      { description: 'b', status: 'Done', result: null },
      { description: 'c', status: 'Verification Needed' },
      { description: 'd', status: 'Verification Needed', mark: null },
    ]
    expect(read({ current_thinking: 'x', planning: steps, next_thought_needed: true }).planning).toEqual(
      steps.map(({ description, status }) => ({ description, status })),
    )
  })

  it.each([
    ['pending', 'Pending'],
    ['PENDING', 'Pending'],
    [' done ', 'Done'],
    ['verification needed', 'Verification Needed'],
    ['verification_needed', 'Verification Needed'],
    ['Verification-Needed', 'Verification Needed'],
  ])('with the status %j read as %s', (status, meant) => {
    const planning = [{ description: 'a', status }]
    const thought = { current_thinking: 'x', planning, next_thought_needed: true }
    expect(read(thought).planning).toEqual([{ description: 'a', status: meant }])
  })

  it('with a parent whose sub-steps are all Done as Done, all the way up', () => {
    const done = (description: string) => ({ description, status: 'Done', result: '1' })
    const pending = (description: string, sub_steps: object[], more = {}) => ({
      description,
      status: 'Pending',
      sub_steps,
      ...more,
    })
    const planning = [
      pending('a', [done('b'), pending('c', [done('d')], { result: 'of c' })]),
      pending('e', [done('f'), { description: 'g', status: 'Pending' }]),
      pending('h', []),
      { ...pending('i', [done('j')]), status: 'Verification Needed', mark: 'is it all?' },
    ]
    const { planning: plan } = read({ current_thinking: 'x', planning, next_thought_needed: true })
    expect(plan.map(({ status }) => status)).toEqual(['Done', 'Pending', 'Pending', 'Verification Needed'])
    expect(plan[0]?.sub_steps?.[1]).toEqual({
      description: 'c',
      status: 'Done',
      result: 'of c',
      sub_steps: [done('d')],
    })
  })

  it('without what its status has no place for', () => {
    const steps = [
      { description: 'a', status: 'Pending', result: 'old', mark: 'old' },
      { description: 'b', status: 'Done', result: 'new', mark: 'old' },
      { description: 'c', status: 'Verification Needed', result: 'in doubt', mark: 'why' },
    ]
    expect(read({ current_thinking: '', planning: steps, next_thought_needed: true }).planning).toEqual([
      { description: 'a', status: 'Pending' },
      { description: 'b', status: 'Done', result: 'new' },
      { description: 'c', status: 'Verification Needed', result: 'in doubt', mark: 'why' },
    ])
  })
})

describe('a reply is refused, and all that is wrong is told', () => {
  const step = { description: 'a', status: 'Pending' }
  const thought = { current_thinking: 'x', planning: [step], next_thought_needed: true }

  for (const [what, reply, told] of [
    ['that is no YAML', 'I would rather talk', 'no YAML with the keys'],
    ['that loses a tag', YAML.replace('one is missing', '!!str one is missing'), 'is no text in YAML'],
    ['that uses an anchor', YAML.replace('one is missing', '&a one *a'), 'is no text in YAML'],
    [
      'with a text that goes on without indentation',
      `next_thought_needed: true\nplanning:\n  - {description: a, status: Pending}\ncurrent_thinking: first line\nsecond line`,
      'says something else',
    ],
    ['that is taken back', `${YAML}\nWait, that is wrong.`, 'says something else'],
    [
      'that is taken back after its fence',
      `\`\`\`yaml\n${YAML}\`\`\`\nCorrection: two steps.`,
      'says something else',
    ],
    [
      'with a name that may be text',
      YAML.replace('mark: one is missing', 'mark: one is missing\n    Note: or two'),
      'more text',
    ],
    [
      'with a comment in a text',
      YAML.replace('one is missing', 'one is missing # or two'),
      '# begins a comment',
    ],
    ['with a path of two readings', YAML.replace('one is missing', '"a\\report"'), 'two ways'],
    [
      'with a path of two readings and more',
      YAML.replace('one is missing', '"C:\\Users\\new"'),
      "can't be read",
    ],
    ['that is broken YAML', 'current_thinking: "x\nplanning: [', "can't be read"],
    ['with a key twice', `${YAML}planning: []`, 'unique'],
    [
      'with an alias for a plan',
      'current_thinking: x\nplanning: *p\nnext_thought_needed: true',
      'planning must be a list of steps',
    ],
    ['that is a list', [thought], 'current_thinking must be'],
    ['with "false"', { ...thought, next_thought_needed: 'false' }, 'without quotes, not "false"'],
    ['with "false" in YAML', YAML.replace('needed: true', 'needed: "false"'), 'not "false"'],
    ['with no', YAML.replace('needed: true', 'needed: no'), 'not "no"'],
    ['with 0', { ...thought, next_thought_needed: 0 }, 'not 0'],
    ['without next_thought_needed', { ...thought, next_thought_needed: undefined }, 'not missing'],
    ['without thinking', { ...thought, current_thinking: null }, 'current_thinking must be'],
    ['without a plan', { ...thought, planning: 'soon' }, 'planning must be a list'],
    ['with an empty plan', { ...thought, planning: [] }, 'make a plan'],
    ['with a status of its own', { ...thought, planning: [{ ...step, status: 'ready' }] }, 'not "ready"'],
    [
      'that concludes with nothing',
      { ...thought, current_thinking: ' ', next_thought_needed: false },
      'is the answer',
    ],
    ['with a step that is a text', { ...thought, planning: ['a'] }, 'step 1 has no description'],
    [
      'with a description that is a list',
      { ...thought, planning: [{ ...step, description: ['a'] }] },
      'must be a text',
    ],
    [
      'with sub-steps that are a text',
      { ...thought, planning: [{ ...step, sub_steps: 'b' }] },
      'sub_steps must be',
    ],
    ['with too many steps', { ...thought, planning: Array(MAX_STEPS + 1).fill(step) }, 'may have 60'],
    ['nested without end', { ...thought, planning: [nested(9)] }, 'nested more than 6'],
  ] as const) {
    it(what, () => expect(problems(reply).join('\n')).toContain(told))
  }

  it('every problem at once, but not without end', () => {
    const wrong = { planning: Array.from({ length: 50 }, () => ({ status: 'x'.repeat(5_000) })) }
    const told = problems(wrong)
    expect(told.length).toBeGreaterThan(3)
    expect(told.join('').length).toBeLessThan(5_000)
  })

  it('with a strategy that there is not, where it is known which there are', () => {
    const named = { ...thought, planning: [{ ...step, strategy: 'magic' }] }
    expect(problems(named)).toEqual([])
    expect(problems(named, ['cot', 'fractal'])).toEqual([
      'step 1: there is no strategy "magic"; there are: cot, fractal',
    ])
  })
})

function nested(depth: number): object {
  const sub_steps = depth > 1 ? [nested(depth - 1)] : undefined
  return { description: 'a', status: 'Pending', sub_steps }
}
