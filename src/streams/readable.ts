/**
 * An iterable of which each reader gets everything from the start. A reader that goes away while it waits for the next item is let go at
 * once: `signal` is aborted.
 */
export function readable<T>(read: (signal: AbortSignal) => AsyncGenerator<T>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const gone = new AbortController()
      const items = read(gone.signal)
      return {
        next: () => items.next(),
        return() {
          gone.abort()
          return items.return(undefined)
        },
      }
    },
  }
}

/** The items as a stream, read as far as its reader does. */
export function streamOf<T>(items: AsyncIterable<T>): ReadableStream<T> {
  const iterator = items[Symbol.asyncIterator]()
  return new ReadableStream<T>(
    {
      async pull(controller) {
        const item = await iterator.next()
        if (item.done) controller.close()
        else controller.enqueue(item.value)
      },
      async cancel() {
        await iterator.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}
