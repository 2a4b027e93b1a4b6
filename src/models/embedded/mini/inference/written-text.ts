/** The text that tokens make, character by character, up to where it ends. */
import { END, END_OF_TEXT, tokenBytes } from '../tokens.ts'

export interface WrittenText {
  /** Returns what the token ends the text by, if it does. */
  add(token: number): 'end' | 'stop' | undefined
  /** The whole text. A character of which bytes are missing becomes U+FFFD, unless something else has ended the text. */
  end(by: 'end' | 'stop' | 'length'): string
}

export function writtenText(stop: string | undefined, onText: (text: string) => void): WrittenText {
  const decoder = new TextDecoder()
  let text = ''
  const write = (part: string) => {
    if (part === '') return
    text += part
    onText(part)
  }
  return {
    add(token) {
      if (token === END_OF_TEXT) return 'end'
      const part = decoder.decode(Uint8Array.from(tokenBytes(token)), { stream: true })
      const characters = [...part]
      const last = characters.findIndex((character) => character === END || character === stop)
      if (last === -1) {
        write(part)
        return undefined
      }
      write(characters.slice(0, last).join(''))
      return characters[last] === END ? 'end' : 'stop'
    },
    end(by) {
      if (by !== 'stop') write(decoder.decode())
      return text
    },
  }
}
