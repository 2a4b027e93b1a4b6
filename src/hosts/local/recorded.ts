/** Records of a resumed or replayed run, by block. */
import type { OpRecord } from '../shared/records.ts'
import type { Journal, OpenBlock } from './load.ts'

/** Blocks by their paths. */
export interface Recorded {
  get(path: string): RecordedBlock | undefined
}

export type RecordedBlock = Pick<OpenBlock, 'start' | 'usage' | 'used' | 'startedMs' | 'maxDepth'> & {
  readonly records: BlockRecords
}

/** Records by the numbers of their operations. */
export interface BlockRecords {
  get(n: number): OpRecord | undefined
  /** Whether the record of this number can be of a signal, if this is known without reading the record. */
  mayBeSignal?(n: number): boolean
}

/** The part of a journal that a run continues from. */
export type RunOrigin = Pick<Journal, 'state' | 'outline' | 'learned' | 'said'> & {
  readonly blocks: Recorded
}
