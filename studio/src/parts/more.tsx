import { type ReactNode, useEffect, useState } from 'react'

interface Props {
  name: string
  /** There is something in it that a person must see. It is no reason to close it when that is gone. */
  hasNews?: boolean
  children: ReactNode
}

/** What is seldom needed, behind its name. */
export function More({ name, hasNews = false, children }: Props) {
  const [isOpen, setOpen] = useState(hasNews)
  useEffect(() => {
    if (hasNews) setOpen(true)
  }, [hasNews])
  return (
    <details className="more" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{name}</summary>
      <div className="more-body">{children}</div>
    </details>
  )
}
