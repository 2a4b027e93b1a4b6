/** A run that is shown may be deleted meanwhile: its stream, if it has one, tells nobody. */
import { useEffect, useState } from 'react'
import type { RunDesk } from '../data/source.ts'

const LOOK_MS = 5_000

export function useIsDeleted(desk: RunDesk | null, run: string): boolean {
  const [isDeleted, setDeleted] = useState(false)
  useEffect(() => {
    if (desk === null || isDeleted) return
    const look = () => {
      // A service that can't be asked says nothing of it.
      if (!document.hidden)
        desk.exists(run).then(
          (exists) => setDeleted(!exists),
          () => {},
        )
    }
    const often = setInterval(look, LOOK_MS)
    document.addEventListener('visibilitychange', look)
    return () => {
      clearInterval(often)
      document.removeEventListener('visibilitychange', look)
    }
  }, [desk, run, isDeleted])
  return isDeleted
}
