/** `server__tool`: unique, in the characters that model providers accept, and stable for as long as this object lives. */
import { createHash } from 'node:crypto'

const MOST = 64

export class ToolNames {
  private readonly given = new Map<string, string>()
  private readonly taken = new Set<string>()

  nameOf(server: string, tool: string): string {
    const key = `${server}\n${tool}`
    const known = this.given.get(key)
    if (known !== undefined) return known
    const plain = `${letters(server)}__${letters(tool)}`
    const name = plain.length <= MOST && !this.taken.has(plain) ? plain : marked(plain, key)
    this.given.set(key, name)
    this.taken.add(name)
    return name
  }
}

/** Shortened, and made unique by a hash of the full name: a counter would depend on the order. */
function marked(plain: string, key: string): string {
  const mark = createHash('sha256').update(key).digest('hex').slice(0, 8)
  return `${plain.slice(0, MOST - mark.length - 1)}_${mark}`
}

const letters = (text: string) => text.replace(/[^A-Za-z0-9_-]+/g, '_')
