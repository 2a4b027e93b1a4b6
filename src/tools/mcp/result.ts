/** Servers' results as JSON data: texts as they are, images and other bytes as size, hash and where they were stored. */
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { ContentBlock } from '@modelcontextprotocol/client'
import type { DecodingBudget } from '../../protocol/decoding-budget.ts'
import { checkDepth } from '../../protocol/index.ts'
import type { McpAttachment, McpResult } from './api.ts'
import { foreignWords } from './foreign-words.ts'

export interface ResultOptions {
  maxTextChars: number
  redact(text: string): string
  saveBlob?: ((bytes: Buffer, mimeType: string) => Promise<string>) | undefined
}

/** `budget` is that of the result: its texts, its bytes in base64 and its structured value together. */
export async function toResult(
  content: readonly ContentBlock[],
  structured: unknown,
  options: ResultOptions,
  budget: DecodingBudget,
): Promise<McpResult> {
  checkDepth(structured, 'the result', 'TOOL_ERROR')
  const texts: string[] = []
  const attachments: McpAttachment[] = []
  let omitted = 0
  for (const block of content) {
    budget.take(sizeOf(block))
    if (block.type === 'text') texts.push(block.text)
    else if (block.type === 'resource' && 'text' in block.resource) texts.push(block.resource.text)
    if (block.type === 'text') continue
    if (attachments.length < MAX_ATTACHMENTS) attachments.push(await attachmentOf(block, options))
    else omitted++
  }
  const result = assemble(texts.join('\n'), attachments, structured, options, budget)
  return omitted === 0 ? result : { ...result, omittedAttachments: omitted }
}

function sizeOf(block: ContentBlock): number {
  if (block.type === 'text') return block.text.length
  if (block.type === 'resource')
    return 'text' in block.resource ? block.resource.text.length : block.resource.blob.length
  return 'data' in block ? block.data.length : 0
}

const MAX_ATTACHMENTS = 100
const MAX_URI = 2_000

function attachmentOf(
  block: Exclude<ContentBlock, { type: 'text' }>,
  options: ResultOptions,
): McpAttachment | Promise<McpAttachment> {
  if (block.type === 'resource') return resourceOf(block.resource, options)
  if (block.type === 'resource_link')
    return { type: 'link', uri: uriOf(block.uri), name: foreignWords(block.name), ...mime(block.mimeType) }
  return bytesOf({ type: block.type, ...mime(block.mimeType) }, block.data, options)
}

type Resource = Extract<ContentBlock, { type: 'resource' }>['resource']

async function resourceOf(resource: Resource, options: ResultOptions): Promise<McpAttachment> {
  const about = { type: 'resource' as const, uri: uriOf(resource.uri), ...mime(resource.mimeType) }
  return 'text' in resource ? about : bytesOf(about, resource.blob, options)
}

async function bytesOf(about: McpAttachment, base64: string, options: ResultOptions): Promise<McpAttachment> {
  const bytes = Buffer.from(base64, 'base64')
  const ref = await options.saveBlob?.(bytes, about.mimeType ?? 'application/octet-stream')
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { ...about, bytes: bytes.length, sha256, ...(ref === undefined ? {} : { ref }) }
}

function assemble(
  whole: string,
  attachments: McpAttachment[],
  structured: unknown,
  { maxTextChars, redact }: ResultOptions,
  budget: DecodingBudget,
): McpResult {
  const result: McpResult = {}
  // Servers repeat structured content as text for clients that don't support it: once is enough.
  if (whole !== '' && !(structured !== undefined && says(whole, structured))) {
    const text = redact(whole)
    result.text = text.slice(0, maxTextChars)
    if (text.length > maxTextChars) result.omittedChars = text.length - maxTextChars
  }
  if (structured !== undefined) {
    const json = redact(JSON.stringify(structured))
    budget.take(json.length)
    result.structured = JSON.parse(json)
  }
  if (attachments.length > 0) result.attachments = attachments
  return result
}

function says(text: string, value: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)))
  } catch {
    return false
  }
}

const mime = (mimeType: string | undefined) =>
  mimeType === undefined ? {} : { mimeType: foreignWords(mimeType) }
const uriOf = (uri: string) => foreignWords(uri, MAX_URI)
