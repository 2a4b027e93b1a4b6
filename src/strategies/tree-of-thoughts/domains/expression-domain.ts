/** Plain expressions: a thought is one operation on numbers, a state is what is left to compute. */
import {
  countOperations,
  type Expression,
  evaluate,
  formatExpression,
  type Operation,
  substitute,
} from '../../../arithmetic/expression.ts'
import { ArithmeticError, formatRational, type Rational } from '../../../arithmetic/rational.ts'
import { parseExpression } from '../../../arithmetic/read-expression.ts'
import type { Language } from '../../../protocol/index.ts'
import type { Domain } from './domain.ts'
import {
  type Apply,
  applyThought,
  follow,
  isWrittenFor,
  type OperationLine,
  stepLine,
  stepOf,
  WRONG_STEP,
} from './operation-line.ts'

export function expressionDomain(expressions: readonly Expression[], language: Language): Domain {
  const operations = expressions.reduce((sum, expression) => sum + countOperations(expression), 0)
  const given = stateText(expressions)
  const wrong = WRONG_STEP[language]
  return {
    state: given,
    depth: Math.max(1, operations),
    beam: 1,
    branching: 2,
    decomposition: WORDS[language].decomposition(given, operations),
    format: WORDS[language].format,
    read(candidate, parentState) {
      const applied = applyThought(apply, expressionsOf(parentState), candidate.content, wrong)
      if (typeof applied === 'string') return applied
      return { ...candidate, metadata: { ...candidate.metadata, state: stateText(applied.left) } }
    },
    isComplete: (state) => expressionsOf(state).every(({ type }) => type === 'number'),
    /** Operations that are done exactly lead to the value in any order. */
    settle: () => ({ leads: true, reasoning: WORDS[language].exact }),
    answerOf(thoughts) {
      const left = follow(apply, expressions, thoughts, wrong)?.left ?? []
      if (left.length === 0 || left.some(({ type }) => type !== 'number')) return null
      return expressions
        .map(
          (expression, i) => `${formatExpression(expression)} = ${formatExpression(left[i] as Expression)}`,
        )
        .join(SEPARATOR)
    },
    verify(answer) {
      const errors = answer.split(SEPARATOR).length === expressions.length ? [] : [WORDS[language].count]
      for (const [i, part] of answer.split(SEPARATOR).entries()) {
        const expression = expressions[i]
        const why = expression === undefined ? null : wrongValue(expression, part)
        if (why !== null) errors.push(WORDS[language].wrong(part, why))
      }
      return { is_valid: errors.length === 0, errors }
    },
    trace(thoughts) {
      const steps = follow(apply, expressions, thoughts, wrong)?.steps ?? []
      return steps.map((step, i) => stepLine(language, i + 1, step))
    },
  }
}

const SEPARATOR = '; '

function stateText(expressions: readonly Expression[]): string {
  return expressions.map(formatExpression).join(SEPARATOR)
}

function expressionsOf(state: string): Expression[] {
  return state.split(SEPARATOR).flatMap((text) => parseExpression(text) ?? [])
}

/** The operation is done wherever it stands. */
const apply: Apply<readonly Expression[]> = (expressions, line, wrong) => {
  const found = expressions.map((expression) => findOperation(expression, line)).find((part) => part !== null)
  if (found?.left.type !== 'number' || found.right.type !== 'number') return wrong.noSuchOperation
  const step = stepOf(line, found.left.value, found.right.value, wrong)
  if (typeof step === 'string') return step
  const name = formatExpression(found)
  const known = (part: Expression): Rational | undefined =>
    part.type === 'operation' && formatExpression(part) === name ? step.value : undefined
  return { left: expressions.map((expression) => substitute(expression, known)), step }
}

function findOperation(part: Expression, line: OperationLine): Operation | null {
  if (part.type === 'number') return null
  if (part.type === 'negation') return findOperation(part.of, line)
  const { left, right, operator } = part
  if (left.type === 'number' && right.type === 'number') {
    const fits = isWrittenFor(line.left, left.value) && isWrittenFor(line.right, right.value)
    return operator === line.operator && fits ? part : null
  }
  return findOperation(left, line) ?? findOperation(right, line)
}

/** The value, where the text has another; null where the text is right. */
function wrongValue(expression: Expression, text: string): string | null {
  try {
    const value = formatRational(evaluate(expression))
    const said = text.split('=').at(-1)?.trim()
    return said === value ? null : value
  } catch (thrown) {
    if (thrown instanceof ArithmeticError) return thrown.message
    throw thrown
  }
}

const en = {
  format: 'each thought is one operation on two numbers, like "3 + 4 = 7"',
  exact: 'every operation so far is exact',
  count: 'it answers more or fewer expressions than were asked',
  wrong: (text: string, value: string) => `${text}: it comes to ${value}`,
  decomposition: (given: string, operations: number) => ({
    thought_granularity: 'equation',
    intermediate_steps: ['compute one operation whose operands are numbers', 'go on until a number is left'],
    depth_estimate: operations,
    constraints: ['one operation at a time, exactly'],
    success_criteria: `the exact value of ${given}`,
  }),
}

const zh: typeof en = {
  format: '每个思维写成两个数字的一个运算，例如“3 + 4 = 7”',
  exact: '到此为止每个运算都精确',
  count: '回答的算式数目与所问不符',
  wrong: (text, value) => `${text}：应为${value}`,
  decomposition: (given, operations) => ({
    thought_granularity: 'equation',
    intermediate_steps: ['计算一个两边都是数字的运算', '重复，直到只剩一个数字'],
    depth_estimate: operations,
    constraints: ['每次只做一个运算，结果精确'],
    success_criteria: `${given} 的精确值`,
  }),
}

const WORDS: Readonly<Record<Language, typeof en>> = { en, zh }
