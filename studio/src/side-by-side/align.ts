/** Two runs, block by block: what has the same path is the same place. Attempts are places of their own. */
import { type BlockState, type Event, type EventOf, goalText, type RunState } from 'thinkon/protocol'

export interface Pair {
  readonly path: string
  readonly left: BlockState | null
  readonly right: BlockState | null
  /** What is not the same in both; empty if nothing. */
  readonly differs: readonly Difference[]
}

export type Difference = 'presence' | 'goal' | 'strategy' | 'status' | 'result' | 'plan' | 'prompt'

/** The model calls whose prompts a person edited, by block. */
export type EditedPrompts = ReadonlyMap<string, readonly EventOf<'model-start'>[]>

export function editedPrompts(events: readonly Event[]): EditedPrompts {
  const edited = events.filter((event) => event.type === 'model-start' && event.edited === true)
  return Map.groupBy(edited as EventOf<'model-start'>[], ({ path }) => path)
}

/** In the order of the tree: a block before its children, whichever run has it. */
export function alignBlocks(
  left: RunState,
  right: RunState,
  prompts: readonly [EditedPrompts, EditedPrompts],
): Pair[] {
  const paths = new Set([...left.blocks.keys(), ...right.blocks.keys()])
  return [...paths].sort(byPlace).map((path) => {
    const [a, b] = [left.blocks.get(path) ?? null, right.blocks.get(path) ?? null]
    const differs = differencesOf(a, b)
    if (promptsAt(prompts[0], path) !== promptsAt(prompts[1], path)) differs.push('prompt')
    return { path, left: a, right: b, differs }
  })
}

function differencesOf(a: BlockState | null, b: BlockState | null): Difference[] {
  if (a === null || b === null) return ['presence']
  const found: Difference[] = []
  if (goalText(a.goal) !== goalText(b.goal)) found.push('goal')
  if (a.strategy !== b.strategy) found.push('strategy')
  if (a.status !== b.status) found.push('status')
  if (String(a.todo) !== String(b.todo)) found.push('plan')
  if ((a.outcome?.result ?? '') !== (b.outcome?.result ?? '')) found.push('result')
  return found
}

function promptsAt(prompts: EditedPrompts, path: string): string {
  return JSON.stringify(
    prompts.get(path)?.map(({ n, request }) => [n, request.messages, request.settings]) ?? [],
  )
}

/** `1-2` before `1-10`, `1-2` before `1-2#2`, `1` before `1-1`. */
function byPlace(a: string, b: string): number {
  const [left, right] = [a.split('-'), b.split('-')]
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [x, y] = [numbersOf(left[i] as string), numbersOf(right[i] as string)]
    const order = x.place - y.place || x.attempt - y.attempt
    if (order !== 0) return order
  }
  return left.length - right.length
}

function numbersOf(part: string): { place: number; attempt: number } {
  const [place, attempt = '1'] = part.split('#')
  return { place: Number(place), attempt: Number(attempt) }
}
