/**
 * Says that something waits: in the title of the page, and by the browser where it may and the page is not seen. The browser's permission is
 * asked for by a button alone.
 */
import { useEffect, useState } from 'react'
import { useWords } from '../preferences.ts'
import { Button } from './button.tsx'

export const NOTIFY_WORDS = {
  en: {
    notify: 'Notify me when something waits',
    notifying: 'The browser tells you when something waits',
    blocked: 'The browser does not allow notifications for this page.',
    toast: 'Something waits for you',
    titleMark: (n: number) => `(${n}) `,
  },
  zh: {
    notify: '有问题等待时通知我',
    notifying: '有问题等待时浏览器会通知你',
    blocked: '浏览器不允许此页面发送通知。',
    toast: '有问题等待你回答',
    titleMark: (n: number) => `(${n}) `,
  },
}

/** The title of the page as long as this is shown; without one, the page's own. */
export function useTitle(waiting: number, title?: string): void {
  const words = useWords(NOTIFY_WORDS)
  const mark = waiting === 0 ? '' : words.titleMark(waiting)
  useEffect(() => {
    const before = document.title
    document.title = `${mark}${title ?? before}`
    return () => {
      document.title = before
    }
  }, [mark, title])
}

export interface News {
  readonly title: string
  readonly body: string
  /** Of two with the same only the later is shown. */
  readonly tag: string
}

/** Tells it, and takes it back when there is other news or none. */
export function useNotification(news: News | null): void {
  const { title, body, tag } = news ?? {}
  useEffect(() => {
    if (tag === undefined || !document.hidden || !mayNotify()) return
    const told = new Notification(title ?? '', { body: body ?? '', tag })
    told.onclick = () => window.focus()
    return () => told.close()
  }, [title, body, tag])
}

function mayNotify(): boolean {
  return 'Notification' in window && Notification.permission === 'granted'
}

export function NotifyButton() {
  const words = useWords(NOTIFY_WORDS)
  const [permission, setPermission] = useState(() =>
    'Notification' in window ? Notification.permission : 'denied',
  )
  const label = { default: words.notify, granted: words.notifying, denied: words.blocked }[permission]
  return (
    <Button
      look="quiet"
      icon="bell"
      aria-label={label}
      aria-pressed={permission === 'granted'}
      disabled={permission !== 'default'}
      onClick={() => void Notification.requestPermission().then(setPermission)}
    />
  )
}
