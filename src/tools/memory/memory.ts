/**
 * A workspace's memory across runs.
 *
 * 1. Nothing is opened before it is used, and no file is created before something is saved.
 * 2. A file that is missing, damaged or held by another process is not a failure: the result is empty, with a reason.
 * 3. A save is all or nothing, and is done once for each key.
 * 4. Without an embedding, or while it fails, words alone decide.
 */

import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { estimateTokens } from '../../kernel/budget.ts'
import type { ToolIo } from '../../kernel/tool.ts'
import { unlessAborted } from '../../kernel/unless-aborted.ts'
import { shorten } from '../../protocol/index.ts'
import { type MemoryDatabase, openDatabase, type StoredEntity } from './database.ts'
import { type Candidate, type Entity, MAX_ENTITIES } from './entity.ts'
import { type Embed, queryVectors } from './query-vectors.ts'
import { cosineOf, type Hit, keepingValue, type Ranked, rankHits } from './rank.ts'
import { relatedTo } from './related.ts'
import { triage } from './triage.ts'
import { searchExpression } from './words.ts'

export interface MemoryOptions {
  /** Finds, by meaning, entities that contain none of the query's words. */
  readonly embed?: Embed | undefined
  /** The name of the embedding: only vectors of the same name are compared. */
  readonly embedName?: string | undefined
  readonly maxEntities?: number | undefined
  readonly nowMs?: (() => number) | undefined
}

export interface SearchOptions {
  /** Maximum number of entities. */
  readonly limit?: number | undefined
  /** Maximum length of all their texts together; one that does not fit is cut, the rest left out. */
  readonly maxChars?: number | undefined
  /** How long it may take. Three quarters of that are for the embedding, the rest for the search by words. */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Whether the search counts as a use of the entities found. */
  readonly marksUse?: boolean | undefined
  /** Leaves out what this run has learned. */
  readonly notFrom?: string | undefined
  /** Leaves out these entities. */
  readonly known?: readonly string[] | undefined
  /** Leaves out what has nothing to do with the query but a word or two. */
  readonly related?: boolean | undefined
  /** False: an embedding is used only if the vector of the query is there already. */
  readonly byMeaning?: boolean | undefined
  /** Told of the tokens that are embedded. */
  readonly spend?: ((inputTokens: number) => void) | undefined
}

export interface Found {
  readonly items: readonly Ranked[]
  /** Why the result is empty, if not because nothing matches. */
  readonly reason?: string
  /** Why the embedding was not used, if there is one. */
  readonly wordsOnly?: string
}

export interface Saved {
  readonly saved: number
  readonly merged: number
  readonly dropped: number
  /** Why nothing was saved at all. */
  readonly reason?: string
}

export type Memory = ReturnType<typeof openMemory>

type SaveKey = Pick<ToolIo, 'run' | 'path' | 'n'>

const DEFAULT_FOUND = 8
const MAX_FOUND = 50
const MAX_FOUND_CHARS = 6_000
/** How many entities with words of the query are ranked; and how many similar ones a candidate is compared with. */
const MAX_HITS = 200
const MAX_LIKE = 20
/** Waiting for another process blocks this one. Readers of a WAL hardly ever wait. */
const READ_WAIT_MS = 100
const WRITE_WAIT_MS = 2_000
/** How many texts are embedded with one save: its own, and some that were saved while there was no embedding. */
const MAX_EMBEDDED = 64
/** The longest wait for an embedding, whatever its own limits. */
const EMBED_WAIT_MS = 15_000
const EMBED_SHARE = 0.75

/** `search` and `save` never reject. */
export function openMemory(file: string, options: MemoryOptions = {}) {
  const { embed, embedName = 'default', maxEntities = MAX_ENTITIES, nowMs = Date.now } = options
  const queries = embed && queryVectors(embed)
  const closing = new AbortController()
  let opened: { database: MemoryDatabase; inode: number } | null = null

  /** To be used immediately. Undefined if there is no file, unless it is to be created. */
  function databaseOf(waitMs: number, create = false): MemoryDatabase | undefined {
    const inode = inodeOf(file)
    // The file was deleted or replaced.
    if (opened !== null && opened.inode !== inode) close()
    if (opened === null && (inode !== undefined || create)) {
      const database = openDatabase(file, create, waitMs)
      opened = { database, inode: inodeOf(file) ?? 0 }
    }
    opened?.database.waitAtMost(waitMs)
    return opened?.database
  }

  function close(): void {
    opened?.database.close()
    opened = null
  }

  /** A damaged file is not kept open, so that its repair or deletion is noticed. */
  function reasonOf(thrown: unknown): string {
    try {
      close()
    } catch {
      // What closing has to say, the first error has said.
    }
    return whyNot(thrown, file)
  }

  /** The vector of a query, or why there is none; undefined where none is wanted. */
  async function vectorOf(query: string, leftMs: number, asked: SearchOptions) {
    const { signal, byMeaning = true, spend } = asked
    if (queries === undefined || (!byMeaning && !queries.has(query))) return undefined
    if (!queries.has(query)) spend?.(estimateTokens(query))
    return queries.of(query, leftMs * EMBED_SHARE, signal)
  }

  /** What can't be computed now is computed with a later save or search. */
  async function embedMissing(signal: AbortSignal | undefined, spend: SearchOptions['spend']): Promise<void> {
    if (embed === undefined) return
    try {
      const missing = databaseOf(READ_WAIT_MS)?.withoutVector(embedName, MAX_EMBEDDED) ?? []
      if (missing.length === 0) return
      const texts = missing.map(({ entity }) => entity.text)
      spend?.(estimateTokens(texts.join('\n')))
      const signals = [closing.signal, AbortSignal.timeout(EMBED_WAIT_MS), ...(signal ? [signal] : [])]
      const stop = AbortSignal.any(signals)
      const vectors = await unlessAborted(embed(texts, stop), stop)
      const database = databaseOf(WRITE_WAIT_MS)
      database?.transaction(() => {
        for (const [at, { no, entity }] of missing.entries()) {
          const vector = vectors[at]
          // Another process may have changed or forgotten it in the meantime.
          if (vector === undefined || database.byNo(no)?.entity.text !== entity.text) continue
          database.putVector(no, embedName, Float32Array.from(vector))
        }
      })
    } catch {
      // See above; until then, words alone decide.
    }
  }

  return {
    async search(query: string, asked: SearchOptions = {}): Promise<Found> {
      const { limit = DEFAULT_FOUND, maxChars = MAX_FOUND_CHARS, timeoutMs, marksUse } = asked
      const beganMs = nowMs()
      const waitMs = Math.min(READ_WAIT_MS, timeoutMs ?? READ_WAIT_MS)
      try {
        if (databaseOf(waitMs) === undefined) return EMPTY
        const leftMs = timeoutMs === undefined ? EMBED_WAIT_MS : timeoutMs - (nowMs() - beganMs)
        const vector = await vectorOf(query, leftMs, asked)
        const database = databaseOf(waitMs)
        if (database === undefined) return EMPTY
        const [wordsOnly, byMeaning] = typeof vector === 'string' ? [vector, undefined] : [undefined, vector]
        const hits = hitsOf(database, query, byMeaning, embedName).filter(wanted(query, asked))
        const ranked = rankHits(hits, nowMs())
        const items = within(ranked.slice(0, Math.min(limit, MAX_FOUND)), maxChars)
        if (marksUse) {
          markUse(database, items, nowMs())
          // Who searches has time for what could not be computed before; who only loads has not.
          await embedMissing(asked.signal, asked.spend)
        }
        return { items, ...(wordsOnly !== undefined && { wordsOnly }) }
      } catch (thrown) {
        return { items: [], reason: reasonOf(thrown) }
      }
    },

    /** The key says where something was learned, and which of the block's operations saves it. */
    async save(
      items: readonly Candidate[],
      key: SaveKey,
      signal?: AbortSignal,
      spend?: SearchOptions['spend'],
    ): Promise<Saved> {
      try {
        const database = databaseOf(WRITE_WAIT_MS, true) as MemoryDatabase
        const counts = database.transaction(() => saveAll(database, items, key, nowMs(), maxEntities))
        await embedMissing(signal, spend)
        return counts
      } catch (thrown) {
        return { saved: 0, merged: 0, dropped: 0, reason: reasonOf(thrown) }
      }
    },

    close(): void {
      queries?.close()
      closing.abort()
      close()
    },
  }
}

const EMPTY: Found = { items: [], reason: 'nothing has been saved yet' }

function hitsOf(
  database: MemoryDatabase,
  query: string,
  vector: Float32Array | undefined,
  model: string,
): Hit[] {
  const hits = new Map<number, Hit>()
  for (const { found, score } of database.match(searchExpression(query), MAX_HITS))
    hits.set(found.no, { entity: found.entity, words: score })
  if (vector === undefined) return [...hits.values()]
  const likeness: { no: number; cosine: number }[] = []
  for (const { no, vector: other } of database.vectors(model))
    if (other.length === vector.length) likeness.push({ no, cosine: cosineOf(vector, other) })
  likeness.sort((a, b) => b.cosine - a.cosine)
  for (const [at, { no, cosine }] of likeness.entries()) {
    const hit = hits.get(no)
    if (hit === undefined && at >= MAX_HITS) continue
    const entity = hit?.entity ?? database.byNo(no)?.entity
    if (entity !== undefined) hits.set(no, { ...hit, entity, cosine })
  }
  return [...hits.values()]
}

/** Whether a hit is one that was asked for. */
function wanted(
  query: string,
  { notFrom, known = [], related = false }: SearchOptions,
): (hit: Hit) => boolean {
  const isRelated = related ? relatedTo(query) : () => true
  return ({ entity, cosine = 0 }) => {
    if (entity.source.run === notFrom || known.includes(entity.id)) return false
    return cosine >= RELATED_COSINE || isRelated([entity.text, ...entity.tags].join('\n'))
  }
}

/** From here on a text means something like the query. */
const RELATED_COSINE = 0.45

function within(ranked: readonly Ranked[], maxChars: number): Ranked[] {
  const items: Ranked[] = []
  let left = maxChars
  for (const { entity, rank } of ranked) {
    if (left < MIN_SHOWN_CHARS && items.length > 0) break
    const text = shorten(entity.text, Math.max(left, 1))
    items.push({ entity: { ...entity, text }, rank })
    left -= text.length
  }
  return items
}

/** A shorter piece of a text is not worth showing. */
const MIN_SHOWN_CHARS = 80

/** Failing to record the use, on a read-only disk or while another process writes, does not matter. */
function markUse(database: MemoryDatabase, items: readonly Ranked[], nowMs: number): void {
  if (items.length === 0) return
  try {
    database.transaction(() => {
      for (const { entity } of items) database.use(entity.id, nowMs)
    })
  } catch {
    // See above.
  }
}

function saveAll(
  database: MemoryDatabase,
  items: readonly Candidate[],
  { run, path, n }: SaveKey,
  nowMs: number,
  maxEntities: number,
): Saved {
  const key = `${run}/${path}/${n}`
  const before = database.savedBefore(key)
  if (before !== undefined) return JSON.parse(before)
  const counts = { saved: 0, merged: 0, dropped: 0 }
  for (const [at, item] of items.entries()) {
    const like = database.match(searchExpression(item.text), MAX_LIKE).map(({ found }) => found.entity)
    const decision = triage(item, like)
    if (decision.verdict === 'drop') counts.dropped++
    else if (decision.verdict === 'merge') {
      counts.merged++
      database.change((database.byId(decision.into) as StoredEntity).no, decision.entity, nowMs)
    } else {
      counts.saved++
      const id = createHash('sha256').update(`${key}/${at}`).digest('hex').slice(0, 16)
      const times = { createdMs: nowMs, usedMs: nowMs, uses: 0 }
      database.insert({ id, ...decision.entity, source: { run, path }, ...times } satisfies Entity)
    }
  }
  prune(database, maxEntities, nowMs)
  database.rememberSave(key, JSON.stringify(counts))
  return counts
}

/** Forgets a twentieth more than necessary, so that not every save has to. */
function prune(database: MemoryDatabase, maxEntities: number, nowMs: number): void {
  const count = database.count()
  if (count <= maxEntities) return
  const value = new Map(database.all().map(({ no, entity }) => [no, keepingValue(entity, nowMs)]))
  const worst = [...value.keys()].sort((a, b) => (value.get(a) as number) - (value.get(b) as number) || a - b)
  for (const no of worst.slice(0, count - Math.floor(maxEntities * 0.95))) database.forget(no)
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino
}

const SQLITE: Readonly<Record<number, string>> = {
  5: 'is held by another process',
  8: "can't be written to",
  10: "can't be read or written: check the disk",
  11: 'is damaged: delete it to start over',
  13: 'is on a disk that is full',
  14: "can't be opened: check that its folder is writable",
  26: 'is damaged, or not a memory: delete it to start over',
}

function whyNot(thrown: unknown, file: string): string {
  const { errcode, message } = thrown as { errcode?: number; message?: string }
  if (errcode === undefined) return message ?? String(thrown)
  return `${file} ${SQLITE[errcode & 0xff] ?? `failed: ${message}`}`
}
