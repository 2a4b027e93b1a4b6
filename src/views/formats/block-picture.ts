/** The blocks of a run as a picture, for strategies that don't draw one. */
import { type BlockState, goalIntent, goalText, isInside, type RunState } from '../../protocol/index.ts'
import type { Look, Picture, PictureNode } from '../picture.ts'
import { resultInWords } from '../reason-words.ts'
import { type Lang, wordsOf } from '../words.ts'

const LOOKS: Record<BlockState['status'], Look> = {
  running: 'active',
  waiting: 'active',
  completed: 'good',
  partial: 'warn',
  skipped: 'pruned',
  failed: 'bad',
  cancelled: 'bad',
}

/** The block at `path` and everything below it. */
export function blockPicture(state: RunState, path: string, lang: Lang): Picture {
  const words = wordsOf(lang)
  const blocks = [...state.blocks.values()].filter((block) => isInside(block.path, path))
  const root = state.blocks.get(path)
  const status = root === undefined ? '' : words.status[root.status]
  return {
    title: root === undefined ? '' : goalText(root.goal),
    caption: [root?.strategy ?? state.strategy, words.blocks(blocks.length), status].join(' · '),
    result: resultInWords(root?.outcome?.result ?? '', lang),
    nodes: blocks.map((block) => pictureNode(block, path, words.status[block.status])),
  }
}

function pictureNode(block: BlockState, root: string, badge: string): PictureNode {
  const { path, goal, parent, status } = block
  const deep = path.split('-').length
  return {
    id: path,
    parent: path === root ? null : parent,
    text: `${path}  ${goalIntent(goal)}`,
    badge,
    look: LOOKS[status],
    verified: false,
    mergedInto: null,
    weight: (status === 'completed' ? 0 : 100) - deep,
  }
}

export interface BlockTree {
  path: string
  goal: BlockState['goal']
  strategy: string
  status: BlockState['status']
  result: string | null
  value?: unknown
  details?: string
  reason: string | null
  children: BlockTree[]
}

export function blockTree(state: RunState, path: string): BlockTree | null {
  const block = state.blocks.get(path)
  if (block === undefined) return null
  return {
    path,
    goal: block.goal,
    strategy: block.strategy,
    status: block.status,
    result: block.outcome?.result ?? null,
    ...(block.outcome?.value !== undefined && { value: block.outcome.value }),
    ...(block.outcome?.details !== undefined && { details: block.outcome.details }),
    reason: block.outcome?.reason ?? null,
    children: block.children.flatMap((child) => blockTree(state, child) ?? []),
  }
}
