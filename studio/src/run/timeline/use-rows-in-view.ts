/** Which rows of a long list are seen: only those are drawn. */
import { type RefObject, useEffect, useState } from 'react'

const AROUND = 12

export function useRowsInView(
  frame: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
): { first: number; last: number } {
  const [seen, setSeen] = useState({ first: 0, last: 60 })
  useEffect(() => {
    const element = frame.current
    if (element === null) return
    const look = () => {
      const first = Math.max(0, Math.floor(element.scrollTop / rowHeight) - AROUND)
      const last = Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + AROUND
      setSeen((now) => (now.first === first && now.last === last ? now : { first, last }))
    }
    look()
    const resized = new ResizeObserver(look)
    resized.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      resized.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [frame, rowHeight])
  return { first: Math.min(seen.first, count), last: Math.min(seen.last, count) }
}
