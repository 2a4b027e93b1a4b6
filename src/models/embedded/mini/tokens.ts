/**
 * The vocabulary: one token for each character of the compact form, bytes for every other character. The first 259 are those of
 * llama.cpp's vocabularies, so that the same ids stand in the GGUF file.
 */

/** The character that ends an answer. */
export const END = '\n'

/** In this order for ever: weights know a character by its place. */
export const CHARACTERS = `${END} 0123456789+-×÷^/()=;|>.,?':DTSPVWU#abcdefghijklmnopqrstuvwxyzABCEFGHIJKLMNOQRXYZ、丢个买了人元先共几出分到剩又后和子小得找把明有本李果每盒红给苹蛋袋还送鸡，？`

/** <unk>, <s>, </s> */
const SPECIAL = 3
/** </s>: no text is trained to end with it, but a model may. */
export const END_OF_TEXT = 2
const FIRST = SPECIAL + 256
/** Rows are computed in groups of this many. */
const GROUP = 4

const ids = new Map([...CHARACTERS].map((character, i) => [character, FIRST + i]))
const texts = [...CHARACTERS]

export const END_TOKEN = FIRST
export const LAST_TOKEN = FIRST + texts.length - 1

/** Rounded up: the tokens beyond the last character are never trained and never chosen. */
export const VOCABULARY = Math.ceil((FIRST + texts.length) / GROUP) * GROUP

export function encode(text: string): number[] {
  return [...text].flatMap(
    (character) =>
      ids.get(character) ?? [...new TextEncoder().encode(character)].map((byte) => SPECIAL + byte),
  )
}

/** Bytes that are no character become U+FFFD. */
export function decode(tokens: readonly number[]): string {
  return new TextDecoder().decode(Uint8Array.from(tokens.flatMap(tokenBytes)))
}

/** In UTF-8. None for tokens that stand for no text. */
export function tokenBytes(token: number): number[] {
  if (token >= FIRST) return [...new TextEncoder().encode(texts[token - FIRST] ?? '')]
  return token >= SPECIAL ? [token - SPECIAL] : []
}
