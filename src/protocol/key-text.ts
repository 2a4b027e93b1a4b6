export type KeyPath = readonly (string | number)[]

/** `models.judge.seed`, `approval.allow[2]`, `prices["openai:gpt-5"].input`. */
export function keyText(path: KeyPath): string {
  return path
    .map((step, at) => {
      if (typeof step === 'number') return `[${step}]`
      if (!/^[\w$-]+$/.test(step)) return `["${step}"]`
      return at === 0 ? step : `.${step}`
    })
    .join('')
}
