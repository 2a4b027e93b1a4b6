/**
 * A part of a private key is as secret as the whole, and can't be told from other data without the line that it begins with. So tools
 * that show some lines of a file hide those of a key while they see all of them.
 */
import { KEY_BEGIN, REDACTED } from '../../protocol/index.ts'

const BEGIN = new RegExp(KEY_BEGIN)
/** Base64, also as a text of a program. */
const BODY = /^\s*["'`]?[A-Za-z0-9+/=\\]+(?:["'`][\s,;+]*|[\s,;][\s,;+]*)?$/
/** `Proc-Type: 4,ENCRYPTED`, and the empty line after it. */
const HEADER = /^\s*(?:[A-Z][\w-]*:\s|$)/
const LONGEST = 200

/** As many lines as before. */
export function withoutKeyLines(rows: readonly string[]): readonly string[] {
  if (!rows.some((row) => BEGIN.test(row))) return rows
  let isInside = false
  return rows.map((row) => {
    if (BEGIN.test(row)) {
      isInside = true
      return row
    }
    const isBody = isInside && row.length <= LONGEST && BODY.test(row)
    isInside &&= isBody || HEADER.test(row)
    return isBody && row.trim() !== '' ? REDACTED : row
  })
}
