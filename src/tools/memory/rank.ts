/** The order in which memories are returned, and which are forgotten first. Pure. */
import type { Entity, Score } from './entity.ts'

const DAY_MS = 86_400_000
/** After so long without use, a memory counts as half as recent. */
const HALF_LIFE_DAYS = 30
/** Similarity below this is chance. */
const MIN_COSINE = 0.3
/** A match that is this much weaker than the best is noise. */
const MIN_SHARE_OF_BEST = 0.1

export interface Hit {
  readonly entity: Entity
  /** By words: above 0, in any unit; undefined if it contains no word of the query. */
  readonly words?: number | undefined
  /** By meaning: the cosine, if there are vectors. */
  readonly cosine?: number | undefined
}

export interface Ranked {
  readonly entity: Entity
  readonly rank: number
}

/** Best first: the match by words and meaning, times worth, times recency. */
export function rankHits(hits: readonly Hit[], nowMs: number): Ranked[] {
  const best = Math.max(...hits.map(({ words = 0 }) => words), Number.MIN_VALUE)
  const byMeaning = hits.some(({ cosine }) => cosine !== undefined)
  const ranked = hits.flatMap(({ entity, words = 0, cosine = 0 }) => {
    const meaning = cosine < MIN_COSINE ? 0 : cosine
    const match = byMeaning ? (words / best + meaning) / 2 : words / best
    const rank = match * half(worthOf(entity.score)) * half(recencyOf(entity, nowMs))
    return match === 0 ? [] : [{ entity, rank }]
  })
  ranked.sort(
    (a, b) => b.rank - a.rank || b.entity.usedMs - a.entity.usedMs || (a.entity.id < b.entity.id ? -1 : 1),
  )
  const least = (ranked[0]?.rank ?? 0) * MIN_SHARE_OF_BEST
  return ranked.filter(({ rank }) => rank >= least)
}

export function worthOf({ relevance, importance }: Score): number {
  return (relevance + importance) / 2
}

/** The higher, the later it is forgotten. */
export function keepingValue(entity: Pick<Entity, 'score' | 'usedMs' | 'uses'>, nowMs: number): number {
  return half(worthOf(entity.score)) * half(recencyOf(entity, nowMs)) * (1 + Math.log2(1 + entity.uses) / 4)
}

export function cosineOf(a: Float32Array, b: Float32Array): number {
  let dot = 0
  let lengthA = 0
  let lengthB = 0
  for (let at = 0; at < a.length; at++) {
    const [x, y] = [a[at] as number, b[at] as number]
    dot += x * y
    lengthA += x * x
    lengthB += y * y
  }
  return lengthA === 0 || lengthB === 0 ? 0 : dot / Math.sqrt(lengthA * lengthB)
}

/** 1 now, halved with every half-life. */
function recencyOf({ usedMs }: Pick<Entity, 'usedMs'>, nowMs: number): number {
  return 2 ** (-Math.max(0, nowMs - usedMs) / DAY_MS / HALF_LIFE_DAYS)
}

/** A factor of at least one half. */
const half = (share: number) => 0.5 + 0.5 * share
