import { createHash } from 'node:crypto'

const MOST = 64

/** Names `server__tool`: unique, in the characters that model providers accept, and stable for as long as the function lives. */
export function toolNamer(): (server: string, tool: string) => string {
  const given = new Map<string, string>()
  return (server, tool) => {
    const key = `${server}\n${tool}`
    const plain = `${letters(server)}__${letters(tool)}`
    const isFree = plain.length <= MOST && ![...given.values()].includes(plain)
    const name = given.get(key) ?? (isFree ? plain : marked(plain, key))
    given.set(key, name)
    return name
  }
}

/** Shortened, and made unique by a hash of the full name: a counter would depend on the order. */
function marked(plain: string, key: string): string {
  const mark = createHash('sha256').update(key).digest('hex').slice(0, 8)
  return `${plain.slice(0, MOST - mark.length - 1)}_${mark}`
}

const letters = (text: string) => text.replace(/[^A-Za-z0-9_-]+/g, '_')
