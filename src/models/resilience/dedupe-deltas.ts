/**
 * Text that is told again after a stream was cut. What the listener has heard already is not repeated while the new
 * text is the same; where it differs, it is told from the beginning on a new line.
 */
export function dedupeDeltas(onDelta: (text: string) => void): { attempt(): (text: string) => void } {
  let told = ''
  return {
    attempt() {
      const before = told
      let said = ''
      let following = before !== ''
      return (text) => {
        said += text
        if (!following) {
          told += text
          onDelta(text)
        } else if (!before.startsWith(said)) {
          following = false
          const fresh = said.startsWith(before) ? said.slice(before.length) : `\n${said}`
          told = said
          onDelta(fresh)
        }
      }
    },
  }
}
