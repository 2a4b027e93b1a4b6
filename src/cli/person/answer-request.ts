/** A person answers a request as the model would: by a form, by calling tools, in words, or in their editor. */
import type { PersonsRequest } from '../../views/request-text.ts'
import { schemaNode } from '../../views/schema-nodes.ts'
import type { Lang } from '../../views/words.ts'
import { type Asker, Back, fillForm, pick, yes } from './fill-form.ts'
import { PERSON_WORDS, type Way } from './words.ts'

export interface EditingAsker extends Asker {
  /** The text as it was left in the editor; throws if there is none. */
  edit(text: string): Promise<string>
}

/** The answer, as it is sent. What was typed until somebody goes back is forgotten. */
export async function answerRequest(
  request: PersonsRequest,
  asker: EditingAsker,
  lang: Lang,
): Promise<unknown> {
  const words = PERSON_WORDS[lang]
  const ways = waysOf(request)
  for (;;) {
    try {
      asker.say(words.back)
      const at = await pick(
        asker,
        words.choose,
        ways.map((way) => words.ways[way]),
        words,
        null,
      )
      return await answerBy(ways[at as number] as Way, request, asker, lang)
    } catch (thrown) {
      if (!(thrown instanceof Back)) throw thrown
    }
  }
}

function waysOf({ schema, tools = [] }: PersonsRequest): Way[] {
  const hasForm = schema !== undefined && schemaNode(schema, schema).kind !== 'json'
  return [
    ...(hasForm ? (['form'] as const) : []),
    ...(tools.length > 0 ? (['tool'] as const) : []),
    'text',
    'editor',
  ]
}

async function answerBy(
  way: Way,
  request: PersonsRequest,
  asker: EditingAsker,
  lang: Lang,
): Promise<unknown> {
  const words = PERSON_WORDS[lang]
  if (way === 'tool') return callTools(request, asker, lang)
  if (way === 'form') {
    const { schema = {} } = request
    const value = await fillForm(schema, '', asker, lang)
    return sent(JSON.stringify(value, null, 2), asker, lang)
  }
  if (way === 'editor') return sent(await edited('', asker, lang), asker, lang)
  asker.say(words.lines)
  const lines: string[] = []
  for (;;) {
    const line = await asker.line('›')
    if (line === '.') break
    lines.push(line)
  }
  return sent(lines.join('\n'), asker, lang)
}

async function callTools({ tools = [] }: PersonsRequest, asker: Asker, lang: Lang): Promise<unknown> {
  const words = PERSON_WORDS[lang]
  const toolCalls: { name: string; input: unknown }[] = []
  do {
    const names = tools.map(({ name }) => name)
    const at = await pick(asker, words.tool, names, words, null)
    const tool = tools[at as number]
    if (tool === undefined) continue
    const input = await fillForm(tool.schema, '', asker, lang)
    asker.say(`${tool.name} ${JSON.stringify(input ?? {})}`)
    toolCalls.push({ name: tool.name, input: input ?? {} })
  } while (await yes(asker, words.anotherCall, words))
  return { toolCalls }
}

/** Looked at once more before it is sent. */
async function sent(given: string, asker: EditingAsker, lang: Lang): Promise<string> {
  const words = PERSON_WORDS[lang]
  for (let text = given; ; ) {
    if (text.trim() === '') {
      asker.say(words.problems.noText)
      throw new Back()
    }
    asker.say(`\n${text}\n`)
    const typed = (await asker.line(`${words.send} ›`)).trim()
    if (typed === '') return text
    if (typed === 'e') text = await edited(text, asker, lang)
  }
}

async function edited(text: string, asker: EditingAsker, lang: Lang): Promise<string> {
  try {
    return await asker.edit(text)
  } catch (thrown) {
    asker.say(PERSON_WORDS[lang].noEditor(thrown instanceof Error ? thrown.message : String(thrown)))
    return text
  }
}
