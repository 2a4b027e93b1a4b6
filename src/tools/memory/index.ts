export type { Embed } from './embed.ts'
export type { Candidate, Entity, Kind, Score, Source } from './entity.ts'
export type { Found, Memory, MemoryOptions, Saved, SaveKey, SearchOptions } from './memory.ts'
export {
  LOAD_TIMEOUT_MS,
  type Loaded,
  MAX_SAVED_ITEMS,
  MEMORY_PATH,
  MEMORY_TOOLS,
  type MemoryItem,
  type MemoryTools,
  memoryTools,
} from './memory-tools.ts'
