/** Of what goes when it is done with, such as a question that is answered: its focus passes to the page around it, where Tab goes on. */
import { type RefObject, useLayoutEffect } from 'react'

export function useFocusPassedOn(place: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const { current } = place
    return () => {
      if (current?.contains(document.activeElement)) document.getElementById('content')?.focus()
    }
  }, [place])
}
