import type { ReactNode } from 'react'

/** Where there is nothing to show: why, and what to do. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children}
    </div>
  )
}

/** Something went wrong, or will. It is read out when it appears. */
export function Notice({ tone, children }: { tone: 'bad' | 'warn' | 'ask' | 'active'; children: ReactNode }) {
  return (
    <div className={`notice notice-${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  )
}
