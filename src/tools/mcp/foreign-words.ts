/**
 * What a server says of its tools stands in every request, and the server may be anybody's (K10): it is marked as the server's words,
 * each text on one line, and has a maximum length.
 */
import { fenceLine, visibleLine } from '../../kernel/fence.ts'
import { bytesText, isObject, isTooDeep } from '../../protocol/index.ts'

/** Of one server. */
export const MAX_LISTED = 1_000
const MAX_DESCRIPTION = 2_000
const MAX_WORDS = 300
const MAX_NAME = 100
const MAX_SCHEMA_BYTES = 64 * 1024
const MAX_SCHEMA_DEPTH = 32

export type ForeignSchema = Readonly<Record<string, unknown>>

/** A tool as models are told of it. */
export function foreignTool(
  server: string,
  description: string,
  schema: ForeignSchema,
): { description: string; schema: ForeignSchema } {
  const said = fenceLine(`MCP server ${server}`, description, MAX_DESCRIPTION)
  const shown = isTooDeep(schema, MAX_SCHEMA_DEPTH) ? undefined : (plainSchema(schema) as ForeignSchema)
  if (shown !== undefined && Buffer.byteLength(JSON.stringify(shown)) <= MAX_SCHEMA_BYTES)
    return { description: said, schema: shown }
  const bounds = `${bytesText(MAX_SCHEMA_BYTES)} and ${MAX_SCHEMA_DEPTH} levels`
  return {
    description: `${said} (Its parameters are not shown: their schema is beyond ${bounds}.)`,
    schema: { type: 'object' },
  }
}

/** A name, an address or a few words in a list. */
export function foreignWords(text: string, maxChars = MAX_WORDS): string {
  return visibleLine(text, maxChars)
}

/** With short descriptions, and without parameters that no program would call so. */
function plainSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plainSchema)
  if (!isObject(schema)) return schema
  const entries = Object.entries(schema).filter(
    ([name]) => name.length <= MAX_NAME && visibleLine(name, MAX_NAME) === name,
  )
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      typeof value === 'string' && WORDS.has(name) ? foreignWords(value) : plainSchema(value),
    ]),
  )
}

const WORDS = new Set(['description', 'title', '$comment', 'errorMessage', 'markdownDescription'])
