/** What was done to a reply before it could be read. Each is named in the journal, so that nothing is mended in secret. */
export type Repair =
  | 'thinking-removed' // <think>…</think> and its like
  | 'fence-removed' // a Markdown code fence around the value
  | 'prose-removed' // text before, after or between
  | 'wrapper-removed' // {"result": …} or […] around the value
  | 'double-encoded' // JSON that was inside a JSON text
  | 'nulls-removed' // null for fields that may be left out
  | 'entities-decoded' // &quot; for "
  | 'yaml-read' // YAML instead of JSON
  | 'yaml-repaired' // tabs, or a colon in a text without quotes
  | 'invisible-removed' // a byte order mark, zero-width characters
  | 'punctuation-replaced' // ｛｝【】：， as syntax
  | 'quotes-replaced' // single or typographic quotes as syntax
  | 'quotes-escaped' // quotes inside a text
  | 'quote-added' // a text whose end or beginning was not marked
  | 'control-escaped' // raw line breaks and tabs inside a text
  | 'escapes-repaired' // a backslash that JSON does not know
  | 'comments-removed'
  | 'literals-replaced' // True, None, NaN, undefined
  | 'words-quoted' // keys and texts without quotes
  | 'brackets-repaired' // a bracket too many, missing inside, or of the wrong kind
  | 'syntax-repaired' // commas, joined texts
  | 'cut-off-closed' // closing brackets that were missing at the end

/** A value, and what it took to read it. */
export interface Read {
  readonly value: unknown
  readonly repairs: readonly Repair[]
}

/** Why a piece of text has no reading that we would vouch for. */
export class Unreadable extends Error {
  /** How far the text was looked at, so that trying again from the next bracket can be limited. */
  readonly reached: number

  constructor(why: string, reached = 0) {
    super(why)
    this.reached = reached
  }
}
