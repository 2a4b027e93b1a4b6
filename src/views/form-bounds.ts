/**
 * A form within bounds, however large the run, and of the right shape, whoever made it: a page draws what it is given. Throws where it is
 * no form at all.
 */
import { isObject, shorten } from '../protocol/index.ts'
import type { Form, FormItem, FormPart, ItemState } from './form.ts'
import { pictureWords } from './formats/picture-words.ts'
import { foldPicture, type Look, type Picture, type PictureNode } from './picture.ts'
import type { Lang } from './words.ts'

const MAX_PARTS = 200
/** Of a list, and of a column. */
const MAX_ITEMS = 300
const MAX_LEVELS = 12
const MAX_TEXT = 4_000
const MAX_TAGS = 12

export function boundedForm(form: Form, lang: Lang): Form {
  if (!isObject(form) || !Array.isArray(form.parts)) throw new TypeError('it is no form: { caption, parts }')
  const { more } = pictureWords(lang)
  // Of many, the last ones tell how it stands.
  const parts = form.parts.slice(-MAX_PARTS).map((part) => boundedPart(part, more))
  const left = form.parts.length - parts.length
  const caption = textOf(form.caption)
  return { caption: left === 0 ? caption : `${caption} · ${more(left)}`, parts }
}

type More = (n: number) => string

function boundedPart(part: FormPart, more: More): FormPart {
  switch (part.kind) {
    case 'tree':
      return { kind: 'tree', picture: boundedPicture(part.picture, more) }
    case 'list':
      return {
        kind: 'list',
        title: textOf(part.title),
        ...(part.text !== undefined && { text: textOf(part.text) }),
        items: boundedItems(part.items, more),
        ...(part.past === true && { past: true }),
      }
    case 'board':
      return {
        kind: 'board',
        columns: part.columns.map(({ title, items }) => ({
          title: textOf(title),
          items: boundedItems(items, more),
        })),
      }
    default:
      throw new TypeError(`a part of a form is a tree, a list or a board, not ${JSON.stringify(part)}`)
  }
}

function boundedItems(items: readonly FormItem[], more: More, level = 1): FormItem[] {
  const shown = items.slice(0, MAX_ITEMS).map((item) => boundedItem(item, more, level))
  const left = items.length - shown.length
  return left === 0 ? shown : [...shown, { text: more(left), state: 'plain' }]
}

function boundedItem(item: FormItem, more: More, level: number): FormItem {
  const { text, state, label, note, tags, needs, progress, changed, block, items = [] } = item
  return {
    text: textOf(text),
    state: STATES.has(state) ? state : 'plain',
    ...(label !== undefined && { label: textOf(label) }),
    ...(note !== undefined && { note: textOf(note) }),
    ...(tags !== undefined && { tags: tags.slice(0, MAX_TAGS).map(textOf) }),
    ...(needs !== undefined && { needs: needs.slice(0, MAX_TAGS).map(textOf) }),
    ...(typeof progress === 'number' && { progress: Math.min(1, Math.max(0, progress)) }),
    ...(changed === true && { changed: true }),
    ...(block !== undefined && { block: textOf(block) }),
    ...(items.length > 0 && level < MAX_LEVELS && { items: boundedItems(items, more, level + 1) }),
  }
}

const STATES: ReadonlySet<ItemState> = new Set<ItemState>([
  'plain',
  'todo',
  'active',
  'done',
  'doubt',
  'failed',
  'skipped',
])

function boundedPicture({ title, caption, result, nodes }: Picture, more: More): Picture {
  const whole = { title: textOf(title), caption: textOf(caption), result: textOf(result) }
  return foldPicture({ ...whole, nodes: nodes.map(boundedNode) }, more)
}

function boundedNode({ id, parent, text, badge, look, note, ...marks }: PictureNode): PictureNode {
  return {
    id: textOf(id),
    parent: parent === null || parent === undefined ? null : textOf(parent),
    text: textOf(text),
    badge: textOf(badge ?? ''),
    look: LOOKS.has(look) ? look : 'plain',
    verified: marks.verified === true,
    mergedInto: typeof marks.mergedInto === 'string' ? marks.mergedInto : null,
    weight: Number(marks.weight) || 0,
    ...(note !== undefined && { note: textOf(note) }),
  }
}

const LOOKS: ReadonlySet<Look> = new Set<Look>([
  'plain',
  'kept',
  'best',
  'pruned',
  'merged',
  'good',
  'bad',
  'warn',
  'active',
  'fold',
])

function textOf(value: unknown): string {
  return shorten(typeof value === 'string' ? value : value === undefined ? '' : String(value), MAX_TEXT)
}
