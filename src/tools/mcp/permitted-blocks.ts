import { isAbsolute, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ContentBlock } from '@modelcontextprotocol/client'
import type { ToolIo } from '../../kernel/tool.ts'

/** Who may see what a server gives back. */
export interface Reader {
  readonly workspace?: string
  readonly permits: ToolIo['permits']
}

/** What a server gives back, without the contents of files that the policy does not let be read. */
export function permittedBlocks(content: readonly ContentBlock[], reader: Reader): ContentBlock[] {
  return content.map((block) =>
    block.type === 'resource' && !mayRead(block.resource.uri, reader)
      ? { type: 'text', text: `[${block.resource.uri} may not be read here]` }
      : block,
  )
}

function mayRead(uri: string, { workspace, permits }: Reader): boolean {
  const path = pathOf(uri)
  if (path === null) return true
  const inside = workspace === undefined ? path : relative(workspace, path)
  const isInside = inside !== '' && !inside.startsWith('..') && !isAbsolute(inside)
  // A server may serve other folders: rules about a name in any folder hold there, too.
  const name = isInside ? inside : path.replace(/^[/\\]+/, '')
  return permits({ does: 'read', path: name.replaceAll(sep, '/') || '.' }) === 'allow'
}

/** The path in an address that is not one of the web, whatever its scheme; null if there is none. */
function pathOf(uri: string): string | null {
  if (!URL.canParse(uri)) return uri
  const url = new URL(uri)
  if (/^https?:$/.test(url.protocol)) return null
  try {
    return url.protocol === 'file:' ? fileURLToPath(url) : decodeURIComponent(`${url.host}${url.pathname}`)
  } catch {
    return url.pathname
  }
}
