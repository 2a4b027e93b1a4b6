import { type ReactNode, useState } from 'react'

interface Props {
  summary: ReactNode
  className?: string
  /** At first; then a person says. */
  isOpen?: boolean
  children: ReactNode
}

/** What is behind its summary, drawn once it is opened: a block may have hundreds of requests, each with all messages before it. */
export function Folded({ summary, className, isOpen = false, children }: Props) {
  const [isOpenFirst] = useState(isOpen)
  const [isDrawn, setDrawn] = useState(isOpen)
  return (
    <details
      className={className}
      open={isOpenFirst}
      onToggle={({ currentTarget }) => setDrawn((before) => before || currentTarget.open)}
    >
      <summary>{summary}</summary>
      {isDrawn && children}
    </details>
  )
}
