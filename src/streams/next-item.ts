/** The next item, which may be awaited later, or never. */
export function nextOf<T>(items: AsyncIterator<T>): Promise<IteratorResult<T>> {
  const next = items.next()
  // Whoever awaits it gets the error, if anyone still does.
  next.catch(() => {})
  return next
}

/** Whether the time is over before the promise is settled. */
export async function isFirst(ms: number, other: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<true>((resolve) => (timer = setTimeout(() => resolve(true), ms)))
  const settled = other.then(
    () => false,
    () => false,
  )
  const isOver = await Promise.race([over, settled])
  clearTimeout(timer)
  return isOver
}
