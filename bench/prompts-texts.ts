/** Texts of any length that never repeat themselves, with a mark near the beginning and one at the very end. */

export interface Planted {
  readonly text: string
  /** Stands after the first sentences: a title does not reach it. */
  readonly head: string
  readonly tail: string
}

/** Remembers what was planted, so that requests can be searched for texts that are begun and not ended. */
export class Texts {
  readonly planted: Planted[] = []

  /** A text of about `chars` characters. The same name and length give the same text. */
  plant(name: string, chars: number): string {
    const head = `(${name} begins)`
    const tail = `(${name} ends)`
    const before = prose(`${name} before`, HEAD_CHARS)
    const after = prose(name, Math.max(0, chars - HEAD_CHARS - head.length - tail.length))
    const text = `${before} ${head} ${after} ${tail}`
    if (!this.planted.some((one) => one.text === text)) this.planted.push({ text, head, tail })
    return text
  }
}

const HEAD_CHARS = 100

/** Sentences of plain words, drawn by chance from a seed. */
export function prose(seed: string, chars: number): string {
  const random = generator(seed)
  const word = () => WORDS[Math.floor(random() * WORDS.length)] as string
  let text = ''
  while (text.length < chars) {
    const words = Array.from({ length: 6 + Math.floor(random() * 8) }, word)
    const [begin = '', ...rest] = words
    text += `${begin[0]?.toUpperCase()}${begin.slice(1)} ${rest.join(' ')}. `
  }
  return text.slice(0, chars).trimEnd()
}

/** Mulberry32, seeded by an FNV hash. */
function generator(seed: string): () => number {
  let state = 0x811c9dc5
  for (let i = 0; i < seed.length; i++) state = Math.imul(state ^ seed.charCodeAt(i), 0x01000193)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const WORDS = (
  'harbor river valley bridge market garden window letter engine copper silver winter summer forest ' +
  'meadow island signal ledger carrier column vessel anchor lantern basket curtain pillar quarry orchard ' +
  'measure record compare collect deliver prepare inspect describe connect divide gather arrange protect ' +
  'narrow steady quiet heavy shallow distant common regular uneven broad early bright hollow gentle ' +
  'water stone paper timber metal glass cotton barley wheat apple cherry maple willow heron falcon otter ' +
  'north south east west upper lower inner outer beyond across under along between around beside with ' +
  'table number figure amount weight length height volume surface border corner centre margin origin'
).split(' ')
