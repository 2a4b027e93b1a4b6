/** Breaks around a value: what it is wrapped in, what stands before and after it, and values that do not fit. */
import { isObject } from '../src/protocol/index.ts'
import type { Break, Start } from './repair-breaks.ts'
import { join, tokensOf } from './repair-tokens.ts'

/** A second break that leaves the truth as it is, or none. */
export function surrounded(text: string, inside: 'json' | 'yaml', { pick }: Start): string {
  const fence = pick(['```', '~~~'])
  const ways = {
    json: [
      `${fence}json\n${text}\n${fence}`,
      `Here it is:\n\n${text}\n\nThat is all.`,
      `<think>Let me see.</think>\n${text}`,
      `<answer>${text}</answer>`,
    ],
    yaml: [`\`\`\`yaml\n${text}\n\`\`\``, `---\n${text}\n`, `Here it is:\n\n${text}`],
  }
  return pick([true, false]) ? pick(ways[inside]) : text
}

export const wrapper: Break = ({ value, layout, vary, pick }) => {
  const good = pick(['answer', 'result', 'response', 'output', 'data'])
  const bad = pick(['error', 'rejected', 'example', 'previous_answer', 'invalid', 'do_not_use'])
  const isBad = vary([true, false])
  const name = isBad ? bad : good
  return { text: join(tokensOf({ [name]: value }, layout)), expect: isBad ? 'unreadable' : value }
}

export const listOfOne: Break = ({ value, layout }) =>
  isObject(value) ? { text: join(tokensOf([value], layout)), expect: value } : undefined

export const toolCall: Break = ({ value, layout, vary }) => {
  if (!isObject(value)) return undefined
  const call = join(tokensOf({ name: 'reply', arguments: value }, layout))
  return {
    text: vary([`<tool_call>\n${call}\n</tool_call>`, `[TOOL_CALLS][${call}]`, `<|tool_call|>${call}`]),
    expect: value,
  }
}

export const thinking: Break = ({ tokens, value, decoy, pick, vary }) => {
  const [text, other] = [join(tokens), JSON.stringify(decoy)]
  const tag = pick(['think', 'thinking', 'reasoning'])
  return vary([
    { text: `<${tag}>\nPerhaps ${other}? Or:\n${text}\n</${tag}>\n\n${text}`, expect: value },
    { text: `<${tag}>${other} would be too simple {</${tag}>${text}`, expect: value },
    { text: `Perhaps ${other}, perhaps not.\n</${tag}>\n${text}`, expect: value },
    { text: `<${tag}>\nPerhaps ${other}? No, better\n${text}\nbut let me check that`, expect: 'unreadable' },
  ])
}

export const prose: Break = ({ tokens, value, vary }) => {
  if (!isObject(value)) return undefined
  const text = join(tokens)
  return {
    text: vary([
      `The set {x | x > 0} is not empty [see above].\n\n${text}\n\nThe {rest} follows.`,
      `${text}\n\nIf {this} helps, tell me (:-}).`,
      `> **Answer** [1]\n\n${text}\n\n[1]: https://example.com/{id}`,
      `I'd say "it's clear":\n${text}\nDon't you think?`,
    ]),
    expect: value,
  }
}

/** After the answer something is said that takes nothing back. */
export const remark: Break = ({ tokens, value, vary }) => ({
  text: `${join(tokens)}\n\n${vary([
    'I checked it twice against the instructions.',
    'This is the simplest answer that fits.',
    'Let me know if you need anything else!',
    'The format is the one that you asked for.',
  ])}`,
  expect: value,
})

export const correction: Break = ({ tokens, vary }) => ({
  text: `${join(tokens)}\n\n${vary([
    'Wait, that is wrong.',
    'Scratch that, I mixed up two of the values.',
    'Actually, no: the first value should be a different one.',
    'Correction: one of the values above is not right.',
    'Sorry, I made a mistake above. Please ignore it.',
  ])}`,
  expect: 'ambiguous',
})

export const exampleFirst: Break = (start) => {
  const answer = misfit(start)
  if (answer === undefined) return undefined
  const example = JSON.stringify(start.decoy)
  const before = start.vary([
    `For example: ${example}\nMy answer: `,
    `The form is\n\n${example}\n\nso I say\n\n`,
    `\`\`\`json\n${example}\n\`\`\`\nis an example. Mine:\n`,
  ])
  return { text: before + answer.text, expect: 'ambiguous' }
}

export const twoAnswers: Break = ({ tokens, value, decoy, vary }) => {
  const text = join(tokens)
  return vary([
    { text: `${text}\n${JSON.stringify(decoy)}`, expect: 'ambiguous' },
    { text: `Either ${text}\nor ${JSON.stringify(decoy)}`, expect: 'ambiguous' },
    { text: `${text}\n\nOn one line: ${JSON.stringify(value)}`, expect: value },
  ])
}

/** A field with another type, case or name, or without its value: what is meant can be guessed, and is not said. */
export const misfit: Break = ({ value, layout, place, vary }) => {
  if (!isObject(value)) return undefined
  const entry = place(Object.entries(value))
  if (entry === undefined || ['note', 'adopt', 'scores'].includes(entry[0])) return undefined
  const [name, said] = entry
  const named = (other: string) =>
    Object.entries(value).map(([key, one]) => [key === name ? other : key, one])
  const broken = vary([
    Object.fromEntries(named(name[0]?.toUpperCase() + name.slice(1))),
    Object.fromEntries(named(`my_${name}`)),
    Object.fromEntries(Object.entries(value).filter(([key]) => key !== name)),
    ...(said === null ? [] : [{ ...value, [name]: retyped(said) }]),
  ]) as Record<string, unknown>
  return { text: join(tokensOf(broken, layout)), expect: 'unreadable' }
}

function retyped(said: unknown): unknown {
  if (typeof said === 'number') return `about ${said}`
  if (typeof said === 'boolean') return said ? 'yes' : 'no'
  return [said]
}
