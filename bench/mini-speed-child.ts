/** The process that mini-speed measures: says what it has found on stdout, as JSON. */
import type { TextModel } from '../src/models/embedded/mini/text-model.ts'

const ROUNDS = 5
const AT_ONCE = 64
const ALONE = 6
const MOST_TOKENS = 32

const [file = ''] = process.argv.slice(2)
const bare = process.memoryUsage.rss()
const start = performance.now()
const { openTextModel } = await import('../src/models/embedded/mini/text-model.ts')
const model = await openTextModel(file)
const loadMs = performance.now() - start
let most = 0
const watch = setInterval(() => {
  most = Math.max(most, process.memoryUsage.rss())
}, 20)

let number = 0
const aloneTokensPerSecond = await fastest(async () => {
  let tokens = 0
  for (let i = 0; i < ALONE; i++) tokens += await ask(model, number++)
  return tokens
})
const tokensPerSecond = await fastest(async () => {
  const first = number
  number += AT_ONCE
  const asked = Array.from({ length: AT_ONCE }, (_, i) => ask(model, first + i))
  return (await Promise.all(asked)).reduce((sum, tokens) => sum + tokens, 0)
})
most = Math.max(most, process.memoryUsage.rss())
clearInterval(watch)
await model.close()
const rssMb = (most - bare) / 2 ** 20
process.stdout.write(JSON.stringify({ tokensPerSecond, aloneTokensPerSecond, rssMb, loadMs }))

/** Of some rounds: others use the machine, too. */
async function fastest(round: () => Promise<number>): Promise<number> {
  await round()
  const speeds: number[] = []
  for (let i = 0; i < ROUNDS; i++) {
    const began = performance.now()
    const tokens = await round()
    speeds.push((tokens / (performance.now() - began)) * 1000)
  }
  return Math.max(...speeds)
}

/** A prompt of usual length that nothing before has begun like. Returns how many tokens were computed for it. */
async function ask(of: TextModel, n: number): Promise<number> {
  const [a, b, c] = [n % 100, (n * 37) % 89, (n * 61) % 97]
  const prompt = `T|(((${a}${n}+${b})×(${c}-${a}))-((${b}+${c})×(${a}+${n}))+${c})>`
  const { inputTokens, cachedTokens, outputTokens } = await of.complete({
    prompt,
    maxTokens: MOST_TOKENS,
    temperature: 1,
    seed: n,
  })
  // The last token of a text is read only if another follows.
  return inputTokens - cachedTokens + Math.max(0, outputTokens - 1)
}
