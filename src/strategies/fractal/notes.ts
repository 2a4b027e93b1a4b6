/** The notes that `fractal` leaves in the journal. */

import type { ErrorCode } from '../../protocol/index.ts'
import type { ToolCallNotes } from '../closing/notes.ts'

export interface FractalNotes extends ToolCallNotes {
  /** A limit ended the block; at the limit of depth, with the plan that is its result. */
  'fractal/limit': Stopped | { readonly limit: 'depth'; readonly plan: string }
  'fractal/loop': Stopped
  'fractal/format-error': Stopped
  'fractal/failed': Stopped
}

interface Stopped {
  readonly code: ErrorCode
  readonly message: string
}
