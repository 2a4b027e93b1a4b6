/** One value from several: samples of one Evaluator, or votes on all candidates. */
import type { NodeEvaluation } from '../protocol.ts'
import type { Ballot, Value } from '../schema.ts'

/** None when there are no samples. */
export function meanValue(nodeId: string, samples: readonly Value[]): NodeEvaluation[] {
  const [first] = samples
  if (first === undefined) return []
  const names = [...new Set(samples.flatMap(({ dimension_scores = {} }) => Object.keys(dimension_scores)))]
  const dimension = (name: string) =>
    mean(samples.flatMap(({ dimension_scores }) => dimension_scores?.[name] ?? []))
  return [
    {
      node_id: nodeId,
      score: mean(samples.map(({ score }) => score)),
      confidence:
        mean(samples.map(({ confidence }) => confidence)) * agreement(samples.map(({ score }) => score)),
      reasoning: [...new Set(samples.map(({ reasoning }) => reasoning))].join(' | '),
      ...(names.length === 0
        ? {}
        : { dimension_scores: Object.fromEntries(names.map((name) => [name, dimension(name)])) }),
    },
  ]
}

/**
 * The candidate that most ballots name comes first, then those with the higher mean score. A candidate that no ballot scores has no
 * value.
 */
export function tally(candidates: readonly string[], ballots: readonly Ballot[]): NodeEvaluation[] {
  const named = ballots.map((ballot) => nameOf(ballot, candidates))
  const values = candidates.flatMap((id) => {
    const own = ballots.flatMap(({ evaluations }) => evaluations.filter(({ node_id }) => node_id === id))
    return meanValue(id, own).map((value) => {
      const wins = named.filter((name) => name === id).length
      const won = ballots.length > 1 ? ` (best in ${wins} of ${ballots.length} votes)` : ''
      return { wins, value: { ...value, reasoning: `${value.reasoning}${won}` } }
    })
  })
  return values.sort((a, b) => b.wins - a.wins || byScore(a.value, b.value)).map(({ value }) => value)
}

/** Whom a ballot names: its `best`, or the one that it scores highest; null where it can't decide. */
function nameOf({ best, evaluations }: Ballot, candidates: readonly string[]): string | null {
  if (best !== undefined && candidates.includes(best)) return best
  const known = evaluations.filter(({ node_id }) => candidates.includes(node_id))
  const top = Math.max(...known.map(({ score }) => score))
  const [first, ...others] = known.filter(({ score }) => score === top)
  return first === undefined || others.length > 0 ? null : first.node_id
}

/** The ids, the best first; equals stay in the order given. */
export function ranked(evaluations: readonly NodeEvaluation[]): string[] {
  return [...evaluations].sort(byScore).map(({ node_id }) => node_id)
}

function byScore(a: NodeEvaluation, b: NodeEvaluation): number {
  return b.score - a.score || b.confidence - a.confidence
}

/** 1 where all say the same, 0 where they are as far apart as scores can be: who disagree are not sure, whatever each says. */
export function agreement(scores: readonly number[]): number {
  return 1 - (Math.max(...scores) - Math.min(...scores)) / 10
}

function mean(numbers: readonly number[]): number {
  const sum = numbers.reduce((total, one) => total + one, 0) / numbers.length
  return Math.round(sum * 1_000) / 1_000
}
