/** One value from several: samples of one Evaluator, or votes on all candidates. */
import type { NodeEvaluation } from '../protocol.ts'
import type { Ballot, Value } from '../schema.ts'

/** None when there are no samples. */
export function meanValue(nodeId: string, samples: readonly Value[]): NodeEvaluation[] {
  const [first] = samples
  if (first === undefined) return []
  const names = Object.keys(first.dimension_scores ?? {})
  const dimension = (name: string) =>
    mean(samples.map(({ dimension_scores = {} }) => (dimension_scores as Record<string, number>)[name] ?? 0))
  return [
    {
      node_id: nodeId,
      score: mean(samples.map(({ score }) => score)),
      confidence: mean(samples.map(({ confidence }) => confidence)),
      reasoning: [...new Set(samples.map(({ reasoning }) => reasoning))].join(' | '),
      ...(names.length === 0
        ? {}
        : { dimension_scores: Object.fromEntries(names.map((name) => [name, dimension(name)])) }),
    },
  ]
}

/**
 * The mean of what the votes say of each candidate, those with more first places before others of the same score. A candidate
 * that no vote names has no value.
 */
export function tally(candidates: readonly string[], ballots: readonly Ballot[]): NodeEvaluation[] {
  const firsts = ballots.map(({ best, evaluations }) => best ?? ranked(evaluations)[0])
  const values = candidates.flatMap((id) => {
    const own = ballots.flatMap(({ evaluations }) => evaluations.filter(({ node_id }) => node_id === id))
    return meanValue(id, own).map((value) => {
      const wins = firsts.filter((first) => first === id).length
      const won = ballots.length > 1 ? ` (best in ${wins} of ${ballots.length} votes)` : ''
      return { wins, value: { ...value, reasoning: `${value.reasoning}${won}` } }
    })
  })
  return values.sort((a, b) => b.value.score - a.value.score || b.wins - a.wins).map(({ value }) => value)
}

/** The ids, the best first; equals stay in the order given. */
export function ranked(evaluations: readonly NodeEvaluation[]): string[] {
  return [...evaluations]
    .sort((a, b) => b.score - a.score || b.confidence - a.confidence)
    .map(({ node_id }) => node_id)
}

function mean(numbers: readonly number[]): number {
  const sum = numbers.reduce((total, one) => total + one, 0) / numbers.length
  return Math.round(sum * 1_000) / 1_000
}
