/** `server__tool`: unique, in the letters that model providers take, the same for the same tool as long as this lives. */
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

/** Cut, and told apart by a hash of what it stands for: not by a count, which would depend on the order. */
function marked(plain: string, key: string): string {
  const mark = createHash('sha256').update(key).digest('hex').slice(0, 8)
  return `${plain.slice(0, MOST - mark.length - 1)}_${mark}`
}

const letters = (text: string) => text.replace(/[^A-Za-z0-9_-]+/g, '_')
