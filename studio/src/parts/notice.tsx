import { type ReactNode, useRef } from 'react'
import { useFocusPassedOn } from './use-focus-passed-on.ts'

interface EmptyProps {
  title: string
  /** It is all that is there, and its title that of the page. */
  isPage?: boolean
  children?: ReactNode
}

/** Where there is nothing to show: why, and what to do. */
export function Empty({ title, isPage = false, children }: EmptyProps) {
  const Title = isPage ? 'h1' : 'p'
  return (
    <div className="empty">
      <Title className="empty-title">{title}</Title>
      {children}
    </div>
  )
}

/** Something went wrong, or will. It is read out when it appears. */
export function Notice({ tone, children }: { tone: 'bad' | 'warn' | 'ask' | 'active'; children: ReactNode }) {
  const notice = useRef<HTMLDivElement>(null)
  useFocusPassedOn(notice)
  return (
    <div ref={notice} className={`notice notice-${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  )
}
