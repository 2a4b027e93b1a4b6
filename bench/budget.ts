/**
 * Whether budgets bind, and how little they cost: the least limit of tokens at which all children of a fan-out complete, and the
 * most that was ever spent beyond a limit.
 */
import { createEngine, type Model, type Strategy } from '../src/index.ts'
import type { Figures } from './index.ts'
import { rounded } from './measure.ts'

export const about =
  'fan-outs of 60 and 400 children: the least limit of tokens at which all complete, against what they need; the most overspent'

const FAN_OUTS = [60, 400]
const INPUT = 300
const OUTPUT = 200
const NEED = INPUT + OUTPUT
/** The least limit is found to so much of the need. */
const PRECISION = 0.01
const SHARES = [0.05, 0.1, 0.25, 0.5, 0.75, 1, 1.1, 1.3, 2]

export async function run(): Promise<Figures> {
  const least: Record<string, number> = {}
  for (const children of FAN_OUTS) least[children] = rounded(await leastLimit(children))
  let overspent = 0
  for (const share of SHARES) {
    for (const longReplies of [false, true]) overspent = Math.max(overspent, await beyond(share, longReplies))
  }
  overspent = rounded(overspent, 4)
  return {
    figures: { least, overspent },
    lines: [
      ...FAN_OUTS.map((children) =>
        row(`${children} children`, `all complete with ${least[children]} × what they need (goal 1.3)`),
      ),
      row('most overspent', `${overspent} of the limit (goal 0.01)`),
    ],
  }
}

function row(name: string, text: string): string {
  return `${name.padEnd(24)} ${text}`
}

/** As a multiple of what the children need. */
async function leastLimit(children: number): Promise<number> {
  let low = 1
  let high = 32
  while (high - low > PRECISION) {
    const middle = (low + high) / 2
    const { completed } = await fanOut(children, Math.floor(middle * children * NEED), false)
    if (completed === children) high = middle
    else low = middle
  }
  return high
}

/** What is spent beyond the limit, as a share of it. */
async function beyond(share: number, longReplies: boolean): Promise<number> {
  const children = FAN_OUTS[0] as number
  const limit = Math.floor(share * children * NEED)
  const { tokens } = await fanOut(children, limit, longReplies)
  return Math.max(0, tokens - limit) / limit
}

async function fanOut(
  children: number,
  tokens: number,
  longReplies: boolean,
): Promise<{ completed: number; tokens: number }> {
  const engine = createEngine({ model: modelOf(longReplies), strategies: [fan] })
  const budget = { tokens, calls: 1e6 }
  const started = await engine.start('fan out', { strategy: 'bench-fan', options: { children }, budget })
  const { result, usage } = await started.outcome
  await engine.close()
  return { completed: Number(result), tokens: usage.inputTokens + usage.outputTokens }
}

/** Answers in the next turn, so that all calls are under way at once; as long as it may, if `longReplies`. */
function modelOf(longReplies: boolean): Model {
  return {
    id: 'bench',
    async call({ settings }) {
      await new Promise((resolve) => setImmediate(resolve))
      const outputTokens = longReplies ? (settings?.maxOutputTokens ?? Number.MAX_SAFE_INTEGER) : OUTPUT
      return { text: 'done', usage: { inputTokens: INPUT, outputTokens } }
    },
  }
}

const fan: Strategy<{ children: number }> = {
  name: 'bench-fan',
  version: 1,
  options: (given) => ({ children: Number(given.children) }),
  async solve(context) {
    if (context.level > 0) {
      const messages = [{ role: 'user' as const, content: 'x'.repeat(INPUT * 3) }]
      await context.one(context.model({ kind: 'bench/part', version: 1, role: 'act', messages }))
      return 'done'
    }
    const calls = Array.from({ length: context.options.children }, (_, i) => context.call(`part ${i + 1}`))
    const ends = await context.all(calls)
    return String(ends.filter((end) => end.ok && end.value.status === 'completed').length)
  },
}
