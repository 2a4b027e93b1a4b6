/** The tree of a run as a data part of a UI message: bounded, however large the run. */
import {
  type BlockState,
  type Event,
  emptyState,
  foldEvent,
  goalTitle,
  oneLine,
  shorten,
} from '../protocol/index.ts'
import { strategyName } from './block-views.ts'
import type { ThinkonTree, ThinkonTreeBlock } from './ui-message-chunk.ts'

export interface UITree {
  /** Takes the next event; true if the tree has changed. */
  follow(event: Event): boolean
  read(): ThinkonTree
}

const MAX_BLOCKS = 100
const MAX_GOAL = 120
const MAX_DOING = 80

export function createUITree(): UITree {
  const state = emptyState()
  return {
    follow(event) {
      foldEvent(state, event)
      return CHANGES.has(event.type)
    },
    read() {
      const all = [...state.blocks.values()]
      const shown = all.length <= MAX_BLOCKS ? all : mostTelling(all)
      return { blocks: shown.map(blockOf), omitted: all.length - shown.length }
    },
  }
}

const CHANGES: ReadonlySet<string> = new Set([
  'block-start',
  'block-end',
  'model-start',
  'tool-start',
  'tool-end',
  'signal-asked',
  'signal-answered',
  'run-wait',
  'run-resume',
])

/** The root, blocks that are open, and those that ended last. */
function mostTelling(all: readonly BlockState[]): BlockState[] {
  const [root, ...below] = all
  const open = below.filter(({ outcome }) => outcome === null).slice(-(MAX_BLOCKS - 1))
  const ended = below.filter(({ outcome }) => outcome !== null).slice(open.length - (MAX_BLOCKS - 1))
  const chosen = new Set([root, ...open, ...(open.length < MAX_BLOCKS - 1 ? ended : [])])
  return all.filter((block) => chosen.has(block))
}

function blockOf({ path, parent, goal, strategy, status, doing }: BlockState): ThinkonTreeBlock {
  return {
    path,
    parent,
    goal: shorten(oneLine(goalTitle(goal)), MAX_GOAL),
    strategy: strategyName(strategy),
    status,
    ...(doing !== null && { doing: shorten(oneLine(doing), MAX_DOING) }),
  }
}
