/**
 * Passes on the text of several attempts at one stream. While a new attempt repeats what the listener already has, nothing
 * is passed on; once it differs, its text is passed on from the beginning, on a new line.
 */
export function dedupeDeltas(onDelta: (text: string) => void): { attempt(): (text: string) => void } {
  let passedOn = ''
  return {
    attempt() {
      const before = passedOn
      let received = ''
      let repeating = before !== ''
      return (text) => {
        received += text
        if (!repeating) {
          passedOn += text
          onDelta(text)
        } else if (!before.startsWith(received)) {
          repeating = false
          const fresh = received.startsWith(before) ? received.slice(before.length) : `\n${received}`
          passedOn = received
          onDelta(fresh)
        }
      }
    },
  }
}
