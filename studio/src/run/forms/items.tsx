/** Items of a form: as a checklist, or as cards of a board. */
import type { FormItem, ItemState } from 'thinkon/views'
import { useFolded } from '../../parts/long-text.tsx'
import { type ShownStatus, StatusMark } from '../../parts/status.tsx'
import { useWords } from '../../preferences.ts'
import { FORM_WORDS } from './words.ts'

interface Props {
  items: readonly FormItem[]
  look: 'list' | 'cards'
  onSelect(path: string): void
}

const MARKS: Readonly<Record<ItemState, ShownStatus | null>> = {
  plain: null,
  todo: 'todo',
  active: 'running',
  done: 'completed',
  doubt: 'partial',
  failed: 'failed',
  skipped: 'skipped',
}

export function Items({ items, look, onSelect }: Props) {
  if (items.length === 0) return null
  return (
    <ul className={`form-items form-items-${look}`}>
      {items.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items are told apart by their place alone.
        <Item key={at} item={item} onSelect={onSelect} />
      ))}
    </ul>
  )
}

function Item({ item, onSelect }: { item: FormItem; onSelect(path: string): void }) {
  const words = useWords(FORM_WORDS)
  const { text, state, label, note, tags = [], needs = [], progress, changed, block, items = [] } = item
  const mark = MARKS[state]
  return (
    <li className={`form-item form-item-${state}${changed ? ' form-item-changed' : ''}`}>
      <span className="form-item-line">
        {mark === null ? (
          <span className="form-dot" />
        ) : (
          <StatusMark status={mark} name={words.states[state]} />
        )}
        {label !== undefined &&
          (block === undefined ? (
            <span className="form-label mono">{label}</span>
          ) : (
            <button type="button" className="form-label form-link mono" onClick={() => onSelect(block)}>
              {label}
            </button>
          ))}
        <span className="form-item-text text">{text}</span>
      </span>
      {(tags.length > 0 || needs.length > 0 || changed) && (
        <span className="form-tags">
          {changed && <span className="form-changed">{words.changed}</span>}
          {tags.map((tag) => (
            <span key={tag} className="tag text">
              {tag}
            </span>
          ))}
          {needs.length > 0 && (
            <span className="form-needs">
              {words.needs} <span className="mono">{needs.join(', ')}</span>
            </span>
          )}
        </span>
      )}
      {progress !== undefined && (
        <progress className="form-progress" max={1} value={progress} aria-label={text} />
      )}
      {note !== undefined && note !== '' && <Note text={note} />}
      {items.length > 0 && <Items items={items} look="list" onSelect={onSelect} />}
    </li>
  )
}

/** So much of a note is shown at first. */
const NOTE_CHARS = 600

function Note({ text }: { text: string }) {
  const { shown, more } = useFolded(text, NOTE_CHARS)
  return (
    <div className="form-note">
      <div className="text">{shown}</div>
      {more}
    </div>
  )
}
