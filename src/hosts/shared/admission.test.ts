import { describe, expect, it } from 'vitest'
import { CLOSING_TOKENS, type Lack, Ledger, limitError } from '../../kernel/budget.ts'
import type { Reserve } from '../../protocol/index.ts'
import { Admission, type Applicant } from './admission.ts'

describe('steps that wait (K3)', () => {
  it('are served in the order in which they came, also if a later one would fit', () => {
    const { step, ledger, log } = desk({ tokens: 100 })
    const first = step('first', ledger, tokens(90))
    const large = step('large', ledger, tokens(50))
    step('small', ledger, tokens(5))
    expect(log).toEqual(['first'])
    first.end()
    expect(log).toEqual(['first', 'large', 'small'])
    large.end()
  })

  it('are not passed by those of another block below the ancestor whose limit they wait for', () => {
    const { step, ledger, log } = desk({ tokens: 100 })
    const [one, two] = [below(ledger, { tokens: 95 }), below(ledger, { tokens: 95 })]
    const first = step('first', one, tokens(60))
    step('waits for the root', two, tokens(50))
    step('would fit', one, tokens(10))
    expect(log).toEqual(['first'])
    first.end()
    expect(log).toEqual(['first', 'waits for the root', 'would fit'])
  })

  it('of a block that has limits of its own hold up nobody outside it, but all below it', () => {
    const { step, ledger, log } = desk({ tokens: 1_000 })
    const limited = below(ledger, { tokens: 100 })
    const first = step('first', limited, tokens(60))
    step('waits for its block', limited, tokens(50))
    step('its child', below(limited, { tokens: 100 }), tokens(10))
    step('another block', ledger, tokens(500))
    expect(log).toEqual(['first', 'another block'])
    first.end()
    expect(log).toEqual(['first', 'another block', 'waits for its block', 'its child'])
  })

  it('for tokens are passed by a call of a tool, which takes none', () => {
    const { step, ledger, log } = desk({ tokens: 100, calls: 10 })
    step('model', ledger, tokens(90))
    step('waits', ledger, tokens(50))
    step('tool', ledger, { calls: 1, tokens: 0, costUsd: 0 })
    expect(log).toEqual(['model', 'tool'])
  })

  it('for calls are passed by nobody who takes one of them', () => {
    const { step, ledger, log } = desk({ tokens: 100, calls: 3 })
    const model = step('model', ledger, tokens(90))
    step('waits for tokens', ledger, tokens(50))
    step('waits as well', ledger, tokens(5))
    step('tool', ledger, { calls: 1, tokens: 0, costUsd: 0 })
    expect(log).toEqual(['model'])
    model.end({ calls: 0 })
    expect(log).toEqual(['model', 'waits for tokens', 'waits as well', 'tool'])
  })

  it.each([
    ['tokens', { calls: 1, tokens: 60, costUsd: 0 }],
    ['calls', { calls: 60, tokens: 0, costUsd: 0 }],
    ['costUsd', { calls: 1, tokens: 0, costUsd: 60 }],
  ] as const)('wait for %s that are held, and are refused when they are spent', (limit, cost) => {
    const { step, ledger, log } = desk({ [limit]: 100 })
    const first = step('first', ledger, cost)
    step('second', ledger, cost)
    expect(log).toEqual(['first'])
    const { calls, tokens: inputTokens, costUsd } = cost
    first.end({ calls, inputTokens, costUsd })
    expect(log).toEqual(['first'])
    step('third', ledger, cost)
    expect(log).toEqual(['first', `third: ${limit}`])
  })
})

describe('when nothing under way can give anything back', () => {
  it('the first step that fits is admitted, else the first is refused with what is held', () => {
    const { admission, step, ledger, log, errors } = desk({ tokens: 100 })
    ledger.keep(tokens(60))
    step('large', ledger, tokens(70))
    step('small', ledger, tokens(30))
    expect(log).toEqual([])
    admission.unblock()
    expect(log).toEqual(['small'])
    admission.unblock()
    expect(log).toEqual(['small', 'large: tokens'])
    expect(errors).toEqual([
      '1: the limit of tokens (--max-tokens) is reached: 0 of 100 spent, 90 held for closing and by calls under way, 70 needed',
    ])
  })
})

describe('what is kept back for closing', () => {
  it('is what the largest closing call of the run held, as soon as there was one', () => {
    const { admission } = desk({})
    expect(admission.closingTokens).toBe(CLOSING_TOKENS)
    admission.learn(tokens(9_000), false)
    expect(admission.closingTokens).toBe(CLOSING_TOKENS)
    admission.learn(tokens(1_200), true)
    expect(admission.closingTokens).toBe(1_200)
    admission.learn(tokens(1_500), true)
    admission.learn(tokens(1_100), true)
    expect(admission.closingTokens).toBe(1_500)
    expect(admission.roomWith(tokens(1_500))).toMatchObject({ calls: 2, tokens: 10_500 })
  })
})

function desk(limits: ConstructorParameters<typeof Ledger>[1]) {
  const ledger = new Ledger(null, limits, 0, 0)
  const log: string[] = []
  const errors: string[] = []
  const admission = new Admission(
    () => 0,
    () => {},
  )
  function step(name: string, at: Ledger, cost: Reserve) {
    const applicant: Applicant = {
      ledger: at,
      needs: () => cost,
      admit() {
        at.take(cost)
        log.push(name)
      },
      refuse(lack: Lack) {
        log.push(`${name}: ${lack.limit}`)
        errors.push(limitError('1', lack).message)
      },
    }
    admission.step(applicant)
    return {
      end(usage = {}) {
        at.settle(cost, { calls: 1, inputTokens: 0, outputTokens: 0, ...usage })
        admission.next()
      },
    }
  }
  return { admission, step, ledger, log, errors }
}

function below(parent: Ledger, limits: ConstructorParameters<typeof Ledger>[1]): Ledger {
  return new Ledger(parent, limits, 1, 0)
}

function tokens(count: number): Reserve {
  return { calls: 1, tokens: count, costUsd: 0 }
}
