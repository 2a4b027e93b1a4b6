/**
 * What a person's answer to a review means: a word, a word with a text behind a colon, or an object; in English or Chinese. An
 * answer that says nothing is a yes.
 */
import { isObject } from '../../../protocol/index.ts'
import type { Edit, PlanReview, TaskReview } from '../schema.ts'

export type ParamsReview =
  | { readonly choice: 'continue' | 'end' | 'unclear' }
  | { readonly choice: 'edit'; readonly params: Readonly<Record<string, unknown>> }

export function readPlanReview(answer: unknown): PlanReview {
  const said = read(answer)
  const { word, of, words, object } = said
  if (Array.isArray(object?.edits)) {
    const edits = object.edits as Edit[]
    return { choice: 'edit', edits, ...(word === 'continue' && { accept: true }) }
  }
  switch (word) {
    case 'continue':
    case 'end':
      return { choice: word }
    case 'subtasks':
      return { choice: 'subtasks', tasks: of, words }
    case 'remove':
      return { choice: 'edit', edits: of.map((task) => ({ do: 'remove', task })) }
    case 'rename':
      return { choice: 'edit', edits: of.slice(0, 1).map((task) => ({ do: 'rename', task, name: words })) }
    default:
      return { choice: 'revise', words: ownWords(answer, said) }
  }
}

export function readTaskReview(answer: unknown): TaskReview {
  const said = read(answer)
  const { word, words } = said
  if (word === 'continue' || word === 'end') return { choice: word }
  if (word === 'adjust' || word === 'deeper' || word === 'inaccurate') return { choice: word, words }
  return { choice: 'adjust', words: ownWords(answer, said) }
}

/** Of an answer that is none of the choices. */
function ownWords(answer: unknown, { words, object }: Said): string {
  return object === null ? String(answer) : words || JSON.stringify(object)
}

export function readParamsReview(answer: unknown): ParamsReview {
  const { word, object } = read(answer)
  if (object !== null) return { choice: 'edit', params: object }
  return { choice: word === 'continue' || word === 'end' ? word : 'unclear' }
}

interface Said {
  readonly word: string
  readonly of: string[]
  readonly words: string
  readonly object: Readonly<Record<string, unknown>> | null
}

function read(answer: unknown): Said {
  const object = objectIn(answer)
  return object === null ? { ...readText(String(answer ?? '')), object } : readObject(object)
}

/** {choice, tasks, words} */
function readObject(object: Readonly<Record<string, unknown>>): Said {
  const { choice, tasks, words } = object
  const word =
    Object.keys(object).length === 0 ? 'continue' : typeof choice === 'string' ? choiceOf(choice) : ''
  return {
    word,
    of: Array.isArray(tasks) ? tasks.filter((task) => typeof task === 'string') : [],
    words: typeof words === 'string' ? words : '',
    object,
  }
}

/** `word of, of: words` */
function readText(answer: string): Omit<Said, 'object'> {
  if (answer.trim() === '') return { word: 'continue', of: [], words: '' }
  const [, word = '', of = '', words = ''] =
    /^\s*(\S+?)(?:\s+([^:：]*))?(?:[:：]\s*([\s\S]*))?$/.exec(answer) ?? []
  const meant = choiceOf(word)
  // "go ahead" is a yes; "go back to the first one" and "stop using the shell" say more than yes or no.
  if (meant === 'continue' || meant === 'end') {
    const whole = choiceOf(answer.trim())
    return { word: whole === 'continue' || whole === 'end' ? whole : '', of: [], words: answer }
  }
  const [ref = '', ...rest] = of.trim().split(/\s+/)
  // `rename 1-2 tidy up`, without the colon
  if (words.trim() === '' && meant === 'rename') return { word: 'rename', of: [ref], words: rest.join(' ') }
  return { word: meant, of: refsOf(of), words: words.trim() === '' ? of : words }
}

/** Indices and ids may be separated by spaces; names may contain spaces, so that only commas separate them. */
function refsOf(text: string): string[] {
  const parts = (by: RegExp) =>
    text
      .split(by)
      .map((part) => part.trim())
      .filter((part) => part !== '')
  const words = parts(/[,，、\s]+/)
  return words.every((word) => /^(\d+(-\d+)*|t\d+)$/.test(word)) ? words : parts(/[,，、]+/)
}

function objectIn(answer: unknown): Readonly<Record<string, unknown>> | null {
  let value = answer
  if (typeof value === 'string' && value.trim().startsWith('{')) {
    try {
      value = JSON.parse(value)
    } catch {
      return null
    }
  }
  return isObject(value) ? value : null
}

const MEANT: Readonly<Record<string, readonly string[]>> = {
  continue: [
    ...['continue', 'c', 'yes', 'y', 'ok', 'okay', 'go', 'go on', 'go ahead', 'yes please'],
    ...['继续', '好', '好的', '可以', '是'],
  ],
  end: ['end', 'stop', 'quit', '结束', '停止'],
  subtasks: ['subtasks', 'subtask', '子任务', '拆分'],
  remove: ['remove', 'delete', '删除', '移除'],
  rename: ['rename', '改名', '重命名'],
  adjust: ['adjust', '调整'],
  deeper: ['deeper', 'deep', '深入'],
  inaccurate: ['inaccurate', 'redo', '不准确', '重做'],
}

const CHOICES = new Map(
  Object.entries(MEANT).flatMap(([choice, words]) => words.map((word) => [word, choice])),
)

/** The choice that a word stands for; the word itself where it stands for none. */
function choiceOf(word: string): string {
  const plain = word.toLowerCase().replace(/[.!。！]$/, '')
  return CHOICES.get(plain) ?? plain
}
