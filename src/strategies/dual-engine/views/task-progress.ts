/**
 * The tree of tasks of a plan as text with marks, for prompts and for people, in at most so many characters:
 *
 * [ ] not started   [-] executing   [~] partly done   [x] finished   [/] skipped   [!] aborted
 *
 * A tree that does not fit is folded: finished and untouched parts become counts.
 */
import { shorten } from '../../../protocol/index.ts'
import { cleanLine } from '../../../views/text-width.ts'
import type { Lang } from '../../../views/words.ts'
import {
  addTally,
  choose,
  type Node,
  noTally,
  type ProgressTask,
  rowsOf,
  saidOf,
  stateOf,
  survey,
  type Tally,
} from './task-nodes.ts'
import { TASK_MARKS, TASK_WORDS, type TaskState, type TaskWords } from './task-words.ts'

export interface TaskProgressOptions {
  lang: Lang
  maxChars: number
  /** The index of the task that is being worked on. */
  current?: string
  /** With goals. */
  details?: boolean
  /** Goals are not cut, as long as the whole tree then fits. */
  wholeGoals?: boolean
  /** With the tasks that must have ended before. */
  needs?: boolean
  /** The most characters of what a task came to. */
  maxNote?: number
}

const MAX_NAME = 120
const MAX_NOTE = 200
const MAX_GOAL = 400
const MAX_INDENT = 40
const TRIES = 8

export function progressText(root: ProgressTask, options: TaskProgressOptions): string {
  const nodes = survey(root)
  const places = new Map(nodes.map(({ task }) => [task.id, task.index]))
  const drawingWith = (maxGoal: number): Drawing => {
    return { options, maxGoal, places, words: TASK_WORDS[options.lang], lines: new Map() }
  }
  const drawing = drawingWith(MAX_GOAL)
  const whole =
    (options.wholeGoals ? wholeText(nodes, drawingWith(Number.POSITIVE_INFINITY)) : null) ??
    wholeText(nodes, drawing)
  if (whole !== null) return whole
  const current = nodes.find(({ task }) => task.index === options.current) ?? null
  let room = options.maxChars
  for (let i = 0; i < TRIES; i++) {
    const shown = choose(nodes, current, room, (node) => lineOf(node, drawing).length + 1)
    const text = foldedText(nodes[0] as Node, shown, drawing)
    if (text.length <= options.maxChars) return text
    // Counts of what is folded take room as well, and how much is seen only now.
    room = Math.floor(((room * options.maxChars) / text.length) * 0.9)
  }
  return nearestText(current ?? (nodes[0] as Node), drawing)
}

/** One task whole: with its goal, its state, and what is below it. */
export function currentTaskText(
  task: ProgressTask,
  options: Pick<TaskProgressOptions, 'lang' | 'maxChars'>,
): string {
  return progressText(task, { ...options, details: true, current: task.index })
}

interface Drawing {
  readonly options: TaskProgressOptions
  /** The most characters of a goal. */
  readonly maxGoal: number
  /** Indexes by id. */
  readonly places: ReadonlyMap<string | undefined, string>
  readonly words: TaskWords
  /** Those that were made already. */
  readonly lines: Map<Node, string>
}

function wholeText(nodes: readonly Node[], drawing: Drawing): string | null {
  let text = ''
  for (const node of nodes) {
    text += `${lineOf(node, drawing)}\n`
    if (text.length > drawing.options.maxChars + 1) return null
  }
  return text.slice(0, -1)
}

function foldedText(root: Node, shown: ReadonlySet<Node>, drawing: Drawing): string {
  const lines = rowsOf(root, shown).map(({ node, run, folded }) => {
    if (run !== null) return `${indentOf(node)} … ${runText(run, drawing.words)}`
    return `${lineOf(node, drawing)}${folded ? ` (+${tallyText(node.tally, drawing.words)})` : ''}`
  })
  return lines.join('\n')
}

function runText(run: readonly Node[], words: TaskWords): string {
  const [first, last] = [run[0] as Node, run[run.length - 1] as Node]
  const tally = noTally()
  for (const node of run) addTally(tally, node.tally)
  const places = first === last ? first.task.index : `${first.task.index} … ${last.task.index}`
  return `${places}: ${tallyText(tally, words)}`
}

function lineOf(node: Node, drawing: Drawing): string {
  const known = drawing.lines.get(node)
  if (known !== undefined) return known
  const { task } = node
  const { words } = drawing
  const state = stateOf(node)
  const goal =
    drawing.options.details && task.goal !== '' ? `(${words.goal}:${quoted(task.goal, drawing.maxGoal)})` : ''
  const attempt = task.attempt > 1 ? ` (${words.attempt(task.attempt)})` : ''
  const title = `${task.index}. ${quoted(task.name, MAX_NAME)}${goal}`
  const line = `${indentOf(node)} -[${TASK_MARKS[state]}] ${title}${needsOf(task, drawing)} ${noteOf(task, state, drawing)}${attempt}`
  drawing.lines.set(node, line)
  return line
}

function needsOf({ depends_on = [] }: ProgressTask, { options, places, words }: Drawing): string {
  const indexes = options.needs ? depends_on.flatMap((id) => places.get(id) ?? []) : []
  return indexes.length === 0 ? '' : ` (${words.after(indexes.join(', '))})`
}

function noteOf(task: ProgressTask, state: TaskState, { words, options }: Drawing): string {
  const { maxNote = MAX_NOTE } = options
  const label = words.states[state]
  const said = shorten(cleanLine(saidOf(task, state), maxNote + 1), maxNote)
  if (said === '') return `(${label})`
  if (state === 'finished') return `(Finished:${said})`
  return state === 'executing' ? `(${label}) (status:${said})` : `(${label}:${said})`
}

/** "30 finished, 8 not started" */
export function tallyText(tally: Tally, words: TaskWords): string {
  const states = Object.keys(tally) as (keyof Tally)[]
  const parts = states
    .filter((state) => tally[state] > 0)
    .map((state) => `${tally[state]} ${words.states[state]}`)
  return parts.join(', ')
}

function indentOf({ depth }: Node): string {
  return ' '.repeat(Math.min(depth, MAX_INDENT))
}

function quoted(text: string, maxChars: number): string {
  return JSON.stringify(shorten(cleanLine(text, maxChars + 1), maxChars))
}

/** So little room that not even the way to the task fits: the task, and as much of the way as there is room for. */
function nearestText(node: Node, drawing: Drawing): string {
  const { maxChars } = drawing.options
  let text = lineOf(node, drawing)
  for (let above = node.parent; above !== null; above = above.parent) {
    const longer = `${lineOf(above, drawing)}\n${text}`
    if (longer.length > maxChars) break
    text = longer
  }
  return shorten(text, maxChars)
}
