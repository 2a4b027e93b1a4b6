/** Whether a text holds another one: as it stands, as a tag with other attributes, or as something like it that a reader must judge. */
export type Presence = 'there' | 'similar' | 'missing'

export function presenceOf(wanted: string, text: string): Presence {
  if (NUMBER.test(wanted)) return holdsNumber(text, wanted) ? 'there' : 'missing'
  if (text.includes(wanted)) return 'there'
  const [, name, attributes = ''] = TAG.exec(wanted) ?? []
  if (name !== undefined) return tagPresence(name, attributes, text)
  const [, first] = FIRST_TAG.exec(wanted) ?? []
  if (first !== undefined && tagPresence(first, '', text) === 'there') return 'similar'
  return plainText(text).includes(plainText(wanted)) ? 'similar' : 'missing'
}

/** Without what people write one way or the other: case, spaces, the form of quotes. */
export function plainText(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[“”‘’'`]/g, '"')
    .replace(/\s+/g, ' ')
    .trim()
}

const NUMBER = /^-?\d+(\.\d+)?$/
/** One opening tag, with or without attributes. */
const TAG = /^<([A-Za-z][\w:-]*)(\s[^<>]*?)?\s*\/?>$/
const FIRST_TAG = /<([A-Za-z][\w:-]*)[\s>/]/
const ATTRIBUTE = /([^\s=/]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?/g

/** A number is matched as a number: 42 is not in 142. */
function holdsNumber(text: string, wanted: string): boolean {
  return new RegExp(`(?<![\\d.])${wanted.replaceAll('.', '\\.')}(?!\\d|\\.\\d)`).test(text)
}

/** A tag is there if one of its name has all the wanted attributes, and perhaps more. */
function tagPresence(name: string, attributes: string, text: string): Presence {
  const wanted = attributesIn(attributes)
  const tags = [...text.matchAll(new RegExp(`<${name}(?=[\\s>/])([^>]*)`, 'gi'))]
  if (tags.length === 0) return 'missing'
  const isThere = tags.some(([, given = '']) => {
    const found = attributesIn(given)
    return wanted.every((one) => found.includes(one))
  })
  return isThere ? 'there' : 'similar'
}

/** `name=value`, whatever quotes they are in. */
function attributesIn(text: string): string[] {
  return [...text.matchAll(ATTRIBUTE)].map(
    ([, name = '', value = '']) => `${name.toLowerCase()}=${value.replace(/^["']|["']$/g, '')}`,
  )
}
