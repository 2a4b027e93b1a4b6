/** A model that answers with the goal's last word, twice as loud to a setting that samples, and judges what it is shown. */
import { appendFileSync } from 'node:fs'
import type { Model } from '../../src/index.ts'

const model: Model = {
  id: 'judge-model',
  async call({ kind, input, settings }) {
    const { goal } = input as { goal: string }
    const value = goal.includes('Judge each')
      ? judged(goal)
      : answered(goal, settings?.temperature !== undefined)
    if (kind === 'best-of/answer' || kind === 'best-of/choose')
      return reply({ answer: typeof value === 'string' ? value : JSON.stringify(value), best: 1 })
    return reply(value)
  },
}

export default model

function reply(value: unknown) {
  return { text: JSON.stringify(value), value, usage: { inputTokens: 5, outputTokens: 5, costUsd: 0.01 } }
}

function answered(goal: string, isSampled: boolean): string {
  return `${goal.split(' ').at(-1)} ${isSampled ? 'sampled' : 'single'}`
}

function judged(goal: string): unknown {
  const answers = [...goal.matchAll(/<data-\w+ from="answer \d+">\n([\s\S]*?)\n<\/data/g)].map(
    ([, text = '']) => text,
  )
  if (process.env.JUDGE_LOG)
    appendFileSync(process.env.JUDGE_LOG, `${JSON.stringify({ goal, first: answers[0] })}\n`)
  return { verdicts: answers.map((text, i) => ({ answer: i + 1, right: text.includes('o') })) }
}
