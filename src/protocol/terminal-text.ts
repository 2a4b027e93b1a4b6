/**
 * Text from a model, a tool, a server, a file or a configuration must not control the terminal that it is shown on. Everything that is
 * printed goes through one of these two, and they are the only ones: `cleanText` for what people read, `escapeJson` for JSON. Where a
 * person decides by what is shown, nothing may be missing from it: there `showHidden` comes first.
 */

const CSI = String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?`
/** A command string (OSC, DCS, SOS, PM, APC) up to its end on the same line; of one that does not end, only its beginning is removed. */
const STRING = String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f])(?:[^\p{Cc}]*(?:\x07|\x9c|\x1b\\))?`
const OTHER = String.raw`\x1b[ -/]*[0-~]?`
const SEQUENCE = new RegExp(`${CSI}|${STRING}|${OTHER}`, 'gu')
/** What changes the direction of the text around it. */
const DIRECTION = String.raw`\u202a-\u202e\u2066-\u2069`
const CONTROL = new RegExp(String.raw`(?![\t\n])\p{Cc}|[${DIRECTION}]`, 'gu')
const NOT_A_CHARACTER = /\p{Cs}/gu

/** Without escape sequences, control characters and direction marks; line breaks and tabs stay. */
export function cleanText(text: string): string {
  return text.replace(SEQUENCE, '').replace(CONTROL, '').replace(NOT_A_CHARACTER, '\ufffd')
}

const UNESCAPED = new RegExp(String.raw`[\x7f-\x9f${DIRECTION}]`, 'g')

/** JSON that says the same; what JSON leaves as it is, and a terminal would act on, is escaped. */
export function escapeJson(json: string): string {
  return json.replace(UNESCAPED, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu

/** With `\u{…}` for what a terminal would act on, or show as nothing or as something else; `kept` stay as they are. */
export function showHidden(text: string, kept = ''): string {
  return text.replace(HIDDEN, (char) =>
    kept.includes(char) ? char : `\\u{${(char.codePointAt(0) as number).toString(16)}}`,
  )
}
