/** The memory as tools that strategies call by name, so that what was loaded, or that it came too late, is on record. */
import { join } from 'node:path'
import type { Deed } from '../../kernel/deed.ts'
import { isObject } from '../../protocol/index.ts'
import { defineTool } from '../define-tool.ts'
import { field, flag, integer, objectSchema, optional, text, texts } from '../object-schema.ts'
import type { Candidate, Entity } from './entity.ts'
import type { Found, Memory, MemoryOptions } from './memory.ts'
import type { Ranked } from './rank.ts'

/** Relative to the workspace. */
export const MEMORY_PATH = '.thinkon/memory.db'
export const MEMORY_TOOLS = ['memory__load', 'memory__search', 'memory__save'] as const
/** A loop does not wait longer for something it can do without. */
export const LOAD_TIMEOUT_MS = 200
export const MAX_SAVED_ITEMS = 50
const MAX_QUERY_CHARS = 20_000
const MAX_LIMIT = 50
const MAX_KNOWN = 1_000

/** An entity as it is recorded and shown. */
export interface MemoryItem
  extends Pick<Entity, 'id' | 'text' | 'kind' | 'tags' | 'source' | 'score' | 'uses'> {
  readonly created: string
  readonly lastUsed: string
  /** How well it matches the query, relative to the others found. */
  readonly rank: number
}

export type Loaded =
  | { readonly items: readonly MemoryItem[]; readonly reason?: string; readonly wordsOnly?: string }
  | { readonly late: true }

export type MemoryTools = ReturnType<typeof memoryTools>

/** Each workspace has a memory of its own. Nothing is opened or loaded before one of the tools is used. */
export function memoryTools(options: MemoryOptions = {}) {
  const { nowMs = Date.now, embed } = options
  /** Nobody is paid for a look into SQLite; an embedding is a call like any other. */
  const isFree = (input: unknown) => embed === undefined || (isObject(input) && input.byMeaning === false)
  const memories = new Map<string, Memory>()
  const memoryOf = async (workspace: string): Promise<Memory> => {
    const { openMemory } = await import('./memory.ts')
    const memory = memories.get(workspace) ?? openMemory(join(workspace, MEMORY_PATH), options)
    memories.set(workspace, memory)
    return memory
  }

  const load = defineTool({
    name: 'memory__load',
    description: 'What earlier runs of this workspace remember about a query, or that it came too late.',
    access: 'read',
    hidden: true,
    isFree,
    deeds: () => READING,
    input: objectSchema({
      query,
      limit: optional(integer('The most items', 1, MAX_LIMIT)),
      timeoutMs: optional(integer(`${LOAD_TIMEOUT_MS} unless given`, 0, 60_000)),
      ...choosing,
      related: optional(flag('Leaves out what has nothing to do with the query but a word or two')),
      known: optional(texts('The ids of items to leave out', MAX_KNOWN)),
    }),
    async run(
      { timeoutMs = LOAD_TIMEOUT_MS, earlier, ...asked },
      { run, workspace, signal, spend },
    ): Promise<Loaded> {
      const untilMs = nowMs() + timeoutMs
      const options = { ...asked, timeoutMs, signal, spend, notFrom: earlier ? run : undefined }
      const found = await (await memoryOf(workspace)).search(asked.query, options)
      // The time limit is enforced here, not by the caller: on record are the items, or that they were late.
      return nowMs() > untilMs ? { late: true } : shown(found)
    },
  })
  const search = defineTool({
    name: 'memory__search',
    description: 'Looks up what earlier runs of this workspace remember.',
    access: 'read',
    hidden: true,
    isFree,
    deeds: () => READING,
    input: objectSchema({ query, limit: optional(integer('The most items', 1, MAX_LIMIT)), ...choosing }),
    async run({ earlier, ...asked }, { run, workspace, signal, spend }) {
      const options = { ...asked, marksUse: true, signal, spend, notFrom: earlier ? run : undefined }
      return shown(await (await memoryOf(workspace)).search(asked.query, options))
    },
  })
  const save = defineTool({
    name: 'memory__save',
    description: 'Remembers facts, lessons, results and preferences for later runs of this workspace.',
    // It may be repeated after a crash, because a save by the same operation is done once.
    access: 'write',
    idempotent: true,
    hidden: true,
    isFree,
    deeds: () => WRITING,
    input: objectSchema({ items: candidates }),
    run: async ({ items }, { run, path, n, workspace, signal, spend }) =>
      (await memoryOf(workspace)).save(items, { run, path, n }, signal, spend),
  })
  return {
    tools: [load, search, save],
    close() {
      for (const memory of memories.values()) memory.close()
    },
  }
}

const READING: readonly Deed[] = [{ does: 'read', path: MEMORY_PATH }]
const WRITING: readonly Deed[] = [{ does: 'write', path: MEMORY_PATH }]

const choosing = {
  earlier: optional(flag('Leaves out what this run has saved itself')),
  byMeaning: optional(flag('False: by words alone, unless the vector of the query is there already')),
}

const query = text('What it should be about: words, or a whole goal', { maxLength: MAX_QUERY_CHARS })

function shown({ items, ...why }: Found): Omit<Found, 'items'> & { items: MemoryItem[] } {
  return { items: items.map(itemOf), ...why }
}

function itemOf({ entity, rank }: Ranked): MemoryItem {
  const { createdMs, usedMs, ...rest } = entity
  const times = { created: new Date(createdMs).toISOString(), lastUsed: new Date(usedMs).toISOString() }
  return { ...rest, ...times, rank: Math.round(rank * 1_000) / 1_000 }
}

const share = { type: 'number', minimum: 0, maximum: 1 }

const candidates = field<readonly Candidate[]>({
  type: 'array',
  maxItems: MAX_SAVED_ITEMS,
  items: {
    type: 'object',
    properties: {
      text: { type: 'string' },
      kind: { type: 'string', description: 'fact, lesson, result, preference or another word' },
      tags: { type: 'array', items: { type: 'string' } },
      score: {
        type: 'object',
        properties: { relevance: share, importance: share },
        additionalProperties: false,
      },
    },
    required: ['text'],
    additionalProperties: false,
  },
})
