/**
 * A language model as it would be if it had learned everything: it reads a prompt of the compact form and answers what training/traces.ts
 * would have as the answer. It can be made to err, in each way that a real one does.
 */
import { countOperations, type Expression, type Operation } from '../../src/arithmetic/expression.ts'
import { nextSteps, type Puzzle, type Step, valueState } from '../../src/arithmetic/puzzle.ts'
import { equals, formatFraction, parseRational, type Rational } from '../../src/arithmetic/rational.ts'
import { seededRandom } from '../../src/kernel/random.ts'
import { compute, operationsOf } from '../../src/models/embedded/abacus/decompose.ts'
import { compactExpression, compactStep, turnNumbers } from '../../src/models/embedded/mini/compact.ts'
import { readCompact } from '../../src/models/embedded/mini/read-compact.ts'
import type { Asked, Completion, TextModel } from '../../src/models/embedded/mini/text-model.ts'
import { encode } from '../../src/models/embedded/mini/tokens.ts'
import { WORDS } from '../../src/models/embedded/words.ts'

/** Instead of the right answer: other results, signs without sense, nothing, a text without end, moves with numbers that are not there. */
export type Mistake = 'wrong' | 'garbage' | 'nothing' | 'endless' | 'illegal'

export interface Taught {
  /** What it says instead; undefined for the right answer. */
  readonly errs?: (prompt: string, random: () => number) => Mistake | undefined
  /** The expressions that word problems ask for. */
  readonly words?: ReadonlyMap<string, Expression>
}

export interface TaughtModel extends TextModel {
  /** As a person writes them. */
  readonly prompts: string[]
}

export function taughtModel({ errs = () => undefined, words = new Map() }: Taught = {}): TaughtModel {
  const prompts: string[] = []
  return {
    prompts,
    async complete({ prompt, maxTokens = 100, stop, temperature = 0, seed = 0, signal }: Asked) {
      await new Promise(setImmediate)
      signal?.throwIfAborted()
      const asked = turnNumbers(prompt)
      prompts.push(asked)
      const random = seededRandom(temperature > 0 ? `${prompt}/${seed}` : prompt)
      const right = answerTo(asked, words, temperature > 0 ? random : null)
      const error = errs(asked, random)
      const said = error === undefined ? right : WRONGLY[error](right, random)
      return completion(prompt, turnNumbers(said), maxTokens, stop)
    },
    async weigh(prompt, choices, signal) {
      await new Promise(setImmediate)
      signal?.throwIfAborted()
      const asked = turnNumbers(prompt)
      prompts.push(asked)
      const random = seededRandom(prompt)
      const error = errs(asked, random)
      const right = answerTo(asked, words, null)
      const shares = choices.map((choice) => (choice === right ? 0.9 : 0.1))
      return error === undefined ? shares : shares.reverse()
    },
    async close() {},
  }
}

function completion(prompt: string, said: string, maxTokens: number, stop: string | undefined): Completion {
  const [before = ''] = stop === undefined ? [said] : said.split(stop)
  const tokens = [...before].slice(0, maxTokens)
  const isWhole = tokens.length === [...before].length
  return {
    text: tokens.join(''),
    inputTokens: encode(prompt).length,
    cachedTokens: 0,
    outputTokens: tokens.length + 1,
    ended: !isWhole ? 'length' : before === said ? 'end' : 'stop',
  }
}

/** The last number, of moves each result. */
const RESULTS = /\d+(?=;|[^\d;]*$)/g

const WRONGLY: Readonly<Record<Mistake, (right: string, random: () => number) => string>> = {
  wrong: (right, random) =>
    right.replace(RESULTS, (digits) => `${Number(digits) + 1 + Math.floor(random() * 9)}`),
  garbage: () => '=)7;x(',
  nothing: () => '',
  endless: () => '7'.repeat(1_000),
  illegal: () => '97+98=195;1+1=2;195÷0=24',
}

/** `random` chooses a move that the model does not think best. */
function answerTo(
  prompt: string,
  words: NonNullable<Taught['words']>,
  random: (() => number) | null,
): string {
  const [, kind = '', about = ''] = /^(.)\|(.*)>$/s.exec(prompt) ?? []
  if (kind === 'D') return valueText(about)
  if (kind === 'T') return thought(about)
  if (kind === 'P') return moves(puzzleIn(about), random)
  if (kind === 'V') {
    const { numbers, target } = puzzleIn(about)
    return valueState(numbers, target) === 'sure' ? 's' : 'i'
  }
  if (kind === 'W') {
    const expression = words.get(about)
    return expression === undefined ? '' : compactExpression(expression)
  }
  if (kind === 'U') return tool(about)
  throw new Error(`not a prompt: ${prompt}`)
}

function read(text: string): Expression {
  const expression = readCompact(text)
  if (expression === null) throw new Error(`not an expression: ${text}`)
  return expression
}

/** What has no value was never taught: anything may come. */
function valueText(text: string): string {
  const computed = compute(read(text))
  return computed.ok ? formatFraction(computed.value) : '0'
}

function thought(text: string): string {
  const expression = read(text)
  if (countOperations(expression) === 1 || !compute(expression).ok) return `R${valueText(text)}`
  const [first] = operationsOf(expression, WORDS.en)
  return `C${compactExpression(first?.operation as Operation)}`
}

function puzzleIn(about: string): Puzzle {
  const [target = '', list = ''] = about.split('|')
  const numbers = list.split(' ').map((text) => parseRational(text) as Rational)
  return { target: parseRational(target) as Rational, numbers }
}

function moves({ target, numbers }: Puzzle, random: (() => number) | null): string {
  const said: string[] = []
  for (let left = numbers; left.length > 1; ) {
    const steps = nextSteps(left)
    const good = steps.filter((step) => leads(step, target))
    const from = good.length > 0 && (random === null || random() < 0.7) ? good : steps
    const step = from[Math.floor((random?.() ?? 0) * from.length)] as Step
    said.push(compactStep(step.operation as Operation, step.value))
    left = step.left
  }
  return said.join(';')
}

function leads({ left, value }: Step, target: Rational): boolean {
  return left.length === 1 ? equals(value, target) : valueState(left, target) === 'sure'
}

function tool(about: string): string {
  const [tools = '', wantsFile = '', used = ''] = about.split('|')
  const wanted = wantsFile === 'f' ? 'w' : 'c'
  return tools.includes(wanted) && !used.includes(wanted) ? wanted : 'e'
}
