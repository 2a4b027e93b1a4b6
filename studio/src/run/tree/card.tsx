/** One block of the tree. Drawn again only if something on it has changed: thousands are there, hundreds are seen. */
import { memo } from 'react'
import { type ShownStatus, StatusMark } from '../../parts/status.tsx'

export interface CardTexts {
  readonly path: string
  readonly status: ShownStatus
  readonly title: string
  /** What it does now, or what came out of it. */
  readonly note: string
  /** Tags, separated by spaces that do not break. */
  readonly tags: string
  /** Time, calls, cost. */
  readonly figures: string
}

interface Props extends CardTexts {
  x: number
  y: number
  level: number
  hidden: number
  hasChildren: boolean
  isSelected: boolean
  foldLabel: string
  onSelect(path: string): void
  onFold(path: string): void
}

export const Card = memo(function Card(props: Props) {
  const { path, status, title, note, tags, figures, x, y, level, hidden, hasChildren, isSelected } = props
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the tree.
    <div
      id={`block-${path}`}
      role="treeitem"
      aria-level={level}
      aria-selected={isSelected}
      aria-expanded={hasChildren ? hidden === 0 : undefined}
      tabIndex={-1}
      className={`card card-${status}`}
      style={{ transform: `translate(${x}px, ${y}px)` }}
      onClick={() => props.onSelect(path)}
      onDoubleClick={() => props.onFold(path)}
    >
      <span className="card-head">
        <StatusMark status={status} />
        <span className="card-path mono">{path}</span>
        {tags !== '' && <span className="card-tags one-line">{tags}</span>}
        <span className="card-figures numbers">{figures}</span>
      </span>
      <span className="card-title two-lines text">{title}</span>
      <span className="card-note one-line text">{note}</span>
      {hidden > 0 && (
        <button
          type="button"
          className="card-fold"
          tabIndex={-1}
          title={props.foldLabel}
          onClick={(event) => {
            event.stopPropagation()
            props.onFold(path)
          }}
        >
          +{hidden}
        </button>
      )}
    </div>
  )
})
