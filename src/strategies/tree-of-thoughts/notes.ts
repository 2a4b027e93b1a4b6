/** The notes that `tot` leaves in the journal: every message between its agents, and what the Explorer does with them. */
import type { Status } from '../../protocol/index.ts'
import type {
  Evaluation,
  SearchConfig,
  TaskType,
  ThoughtError,
  ThoughtMessage,
  ThoughtNode,
} from './protocol.ts'

export interface TotNotes {
  'tot/message': ThoughtMessage
  'tot/task-chosen': {
    readonly task_id: string
    readonly task_type: TaskType
    readonly search_config: SearchConfig
    readonly reason?: string
  }
  'tot/layer-start': {
    readonly round: number
    readonly depth: number
    readonly expanding: readonly string[]
  }
  'tot/nodes-added': { readonly parent_id: string | null; readonly nodes: readonly ThoughtNode[] }
  'tot/nodes-evaluated': {
    readonly evaluations: readonly (Evaluation & { readonly node_id: string })[]
    readonly remembered?: readonly string[]
  }
  'tot/layer-selected': {
    readonly round: number
    readonly depth: number
    readonly kept: readonly string[]
    readonly pruned: readonly string[]
    readonly merged?: readonly { readonly id: string; readonly into: string }[]
  }
  'tot/node-backtracked': { readonly node_id: string; readonly to: string | null; readonly why?: string }
  'tot/best-path': { readonly path: readonly string[]; readonly score: number | null }
  'tot/adjusted': { readonly error: ThoughtError; readonly change: string }
  /** Several trees: their answers in order, and which was elected. */
  'tot/trees-voted': {
    readonly answers: readonly { readonly status: Status; readonly answer: string }[]
    readonly elected: number
  }
  'tot/candidate-dropped': { readonly content: string; readonly why: string }
  'tot/solution-verified': {
    readonly node_id?: string | null
    readonly answer?: string
    readonly is_valid: boolean
    readonly errors?: readonly string[]
  }
}
