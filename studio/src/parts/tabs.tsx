/** Tabs as the ARIA practices describe them: one stop for Tab, arrow keys move between them. */
import { type KeyboardEvent, type ReactNode, useId } from 'react'

export interface Tab {
  readonly id: string
  readonly name: string
  /** How many there are behind it. */
  readonly count?: number
}

interface Props {
  tabs: readonly Tab[]
  chosen: string
  label: string
  onChoose(id: string): void
  children: ReactNode
}

export function Tabs({ tabs, chosen, label, onChoose, children }: Props) {
  const id = useId()
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const at = tabs.findIndex((tab) => tab.id === chosen)
    const next = tabs[(at + step + tabs.length) % tabs.length]
    if (next === undefined) return
    onChoose(next.id)
    document.getElementById(`${id}-${next.id}`)?.focus()
  }
  return (
    <div className="tabs">
      <div className="tab-list" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${id}-${tab.id}`}
            className="tab"
            aria-selected={tab.id === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={tab.id === chosen ? 0 : -1}
            onClick={() => onChoose(tab.id)}
          >
            {tab.name}
            {tab.count !== undefined && <span className="tab-count">{tab.count}</span>}
          </button>
        ))}
      </div>
      <div
        className="tab-panel"
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${chosen}`}
        tabIndex={0}
      >
        {children}
      </div>
    </div>
  )
}
