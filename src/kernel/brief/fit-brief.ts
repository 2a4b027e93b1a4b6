/** Makes the messages of a brief, within the budget of its role. */
import { type Message, type ModelRequest, ThinkonError, type ToolSpec } from '../../protocol/index.ts'
import type { Brief } from './brief.ts'
import type { Compacted, Conversation } from './conversation.ts'
import { countTokens } from './count-tokens.ts'
import { aboutLength, itemText } from './render.ts'
import type { Section } from './section.ts'
import { fitSections } from './shorten-sections.ts'
import { MESSAGE_TOKENS } from './turn.ts'

/** In tokens. */
export interface PromptLimits {
  /** What a request may take. */
  readonly budget: number
  /** What a request may take whose indispensable parts do not fit the budget. */
  readonly most: number
}

export interface Fitted {
  readonly request: ModelRequest
  /** Something was shortened that `read_result` can read. */
  readonly isShortened: boolean
  /** What happened to the conversation, to be recorded. */
  readonly compacted?: Compacted
}

/** `reader` is `read_result`, which is offered where something was shortened (B4). */
export function fitBrief(brief: Brief, limits: PromptLimits, reader: ToolSpec | null): Fitted {
  const { conversation } = brief
  const opening = conversation?.opening ?? brief.sections ?? []
  if (conversation?.shortOpening == null && surelyFits(brief, opening, limits.budget))
    return made(brief, opening.flatMap(wholeParts), reader)
  const fixed = fixedTokens(brief, reader)
  const budget = budgetFor(opening, fixed + (conversation?.keptTokens ?? 0), limits, brief.kind)
  const standing = conversation?.shortOpening ?? opening.flatMap(wholeParts)
  const taken = fixed + sumTokens(standing) + (conversation?.tokens ?? 0)
  if (taken <= budget) return made(brief, standing, reader)
  return shortened(brief, opening, { budget, fixed }, reader)
}

/** Whether what must be whole can be. */
export function wholeFits(brief: Brief, { budget, most }: PromptLimits, reader: ToolSpec | null): boolean {
  const { conversation } = brief
  const opening = conversation?.opening ?? brief.sections ?? []
  const fixed = fixedTokens(brief, reader) + (conversation?.keptTokens ?? 0)
  return neededTokens(opening, fixed) <= Math.max(budget, most)
}

/** To how many tokens the brief's conversation should be folded before it is made; null while there is room for it. */
export function foldingRoom(brief: Brief, budget: number, reader: ToolSpec | null): number | null {
  const { conversation } = brief
  if (conversation === undefined || conversation.tokens < LEAST_FOLDED) return null
  const { opening, shortOpening } = conversation
  if (shortOpening === null && surelyFits(brief, opening, budget)) return null
  const fixed = fixedTokens(brief, reader)
  const first = sumTokens(shortOpening ?? opening.flatMap(wholeParts))
  if (fixed + first + conversation.tokens <= budget) return null
  const room = roomForTurns(opening, budget, fixed)
  return room < LEAST_FOLDED ? null : room
}

/** Less than this is not worth a model's summary. */
const LEAST_FOLDED = 1_500

function shortened(
  brief: Brief,
  opening: readonly Section[],
  { budget, fixed }: { budget: number; fixed: number },
  reader: ToolSpec | null,
): Fitted {
  const { conversation } = brief
  const whole = tokensOf(opening.filter(({ need }) => need === 'whole'))
  const most = budget - fixed - whole - RESERVED_FOR_REST
  const compacted = conversation?.compact(roomForTurns(opening, budget, fixed), most) ?? null
  if (conversation === undefined) {
    const { parts, isShortened } = fitSections(opening, budget - fixed)
    return made(brief, parts, reader, isShortened)
  }
  const before = conversation.shortOpening ?? opening.flatMap(wholeParts)
  const after = openingFor(conversation, opening, budget - fixed, whole)
  const fitted = made(brief, after, reader)
  if (compacted !== null) return { ...fitted, compacted }
  return before === after || conversation.isEmpty ? fitted : { ...fitted, compacted: shorter(before, after) }
}

/** The opening of a conversation as it stands from now on, so that later requests begin with the same bytes. */
function openingFor(
  conversation: Conversation,
  opening: readonly Section[],
  room: number,
  whole: number,
): readonly string[] {
  const { shortOpening, tokens } = conversation
  if (shortOpening !== null && sumTokens(shortOpening) + tokens <= room) return shortOpening
  const fits = fitSections(opening, room - tokens)
  if (!fits.isShortened) return fits.parts
  // With room for turns to come: otherwise every one of them would change it again.
  const turns = Math.max(tokens, (room - whole) * TURNS_SHARE)
  conversation.shortOpening = fitSections(opening, room - turns).parts
  return conversation.shortOpening
}

function shorter(before: readonly string[], after: readonly string[]): Compacted {
  return { turns: 0, tokensBefore: sumTokens(before), tokensAfter: sumTokens(after) }
}

/** What an opening that is shortened leaves to the turns. */
const TURNS_SHARE = 0.25

/** A compaction makes room for more than the next turn, because each one costs what the provider has cached. */
const COMPACTED_SHARE = 0.5
/** What a compaction leaves at least to a long opening. */
const OPENING_SHARE = 0.25

function roomForTurns(opening: readonly Section[], budget: number, fixed: number): number {
  const whole = tokensOf(opening.filter(({ need }) => need === 'whole'))
  const standing = Math.max(whole, Math.min(tokensOf(opening), budget * OPENING_SHARE))
  return Math.max(0, (budget - fixed - standing) * COMPACTED_SHARE)
}

function made(brief: Brief, parts: readonly string[], reader: ToolSpec | null, shortened = false): Fitted {
  const { system, sections: _, conversation, question, ...request } = brief
  const isShortened = shortened || conversation?.isShortened === true
  const messages: Message[] = [
    { role: 'system', content: present(system) },
    { role: 'user', content: parts },
    ...(conversation?.messages() ?? []),
    { role: 'user', content: present(question) },
  ]
  const tools = isShortened && reader !== null ? withReader(request.tools ?? [], reader) : request.tools
  return {
    request: {
      ...request,
      messages: messages.filter(({ role, content }) => role !== 'user' || content.length > 0),
      ...(tools !== undefined && { tools }),
    },
    isShortened,
  }
}

function present(text: string | readonly string[]): readonly string[] {
  return (typeof text === 'string' ? [text] : text).filter((part) => part !== '')
}

function withReader(tools: readonly ToolSpec[], reader: ToolSpec): readonly ToolSpec[] {
  return tools.some(({ name }) => name === reader.name) ? tools : [...tools, reader]
}

function wholeParts({ title, items }: Section): string[] {
  if (items.length === 0) return []
  return [...(title === undefined ? [] : [`${title}\n`]), ...items.map((item) => itemText(item))]
}

/** Without counting: a text never takes more tokens than it has characters. */
function surelyFits(brief: Brief, opening: readonly Section[], budget: number): boolean {
  const { system, question, conversation } = brief
  let chars = lengthOf(system) + lengthOf(question) + TOOLS_CHARS
  if (brief.tools !== undefined) chars += specTokens(brief.tools)
  if (brief.schema !== undefined) chars += specTokens(brief.schema)
  for (const { title = '', items } of opening) {
    chars += title.length
    for (const { about, text } of items) chars += aboutLength(about) + text.length + FENCE_CHARS
  }
  return chars + (conversation?.tokens ?? 0) <= budget
}

/** Tags, labels and line ends around an item. */
const FENCE_CHARS = 300
const TOOLS_CHARS = 200

function lengthOf(text: string | readonly string[]): number {
  return typeof text === 'string' ? text.length : text.reduce((sum, part) => sum + part.length, 0)
}

/** With `read_result`, in case it is to be offered. */
function fixedTokens({ system, question, tools, schema }: Brief, reader: ToolSpec | null): number {
  const specs = [tools, schema, reader].filter((spec) => spec !== undefined && spec !== null)
  const words = sumTokens([...present(system), ...present(question)]) + 3 * MESSAGE_TOKENS
  return specs.reduce((sum, spec) => sum + specTokens(spec) + 1, words)
}

/** Lists of tools and schemas are the same objects in every request of a run. */
function specTokens(spec: object): number {
  let tokens = SPECS.get(spec)
  if (tokens === undefined) {
    tokens = countTokens(JSON.stringify(spec))
    SPECS.set(spec, tokens)
  }
  return tokens
}

const SPECS = new WeakMap<object, number>()

function tokensOf(sections: readonly Section[]): number {
  return sumTokens(sections.flatMap(wholeParts))
}

/** Parts that are joined may take one more than each alone. */
function sumTokens(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + countTokens(text) + 1, 0)
}

/** What must be whole may use the window beyond the budget; what does not fit there either is refused aloud (B1). */
function budgetFor(
  opening: readonly Section[],
  fixed: number,
  { budget, most }: PromptLimits,
  kind: string,
): number {
  const needed = neededTokens(opening, fixed)
  if (needed <= budget) return budget
  if (needed <= most) return needed
  const longest = opening.filter(isWhole).toSorted((a, b) => tokensOf([b]) - tokensOf([a]))[0]
  const what = longest?.title ?? 'the longest part'
  throw new ThinkonError(
    'CONTEXT_OVERFLOW',
    `${kind} needs ${needed} tokens, and the model can be given ${most}: what must be whole (${what}) is too long; shorten it, put ` +
      'long material into files, or use a model with a larger window (`window` in its configuration)',
    { data: { needed, most, kind } },
  )
}

function neededTokens(opening: readonly Section[], fixed: number): number {
  return fixed + tokensOf(opening.filter(isWhole)) + RESERVED_FOR_REST
}

function isWhole({ need }: Section): boolean {
  return need === 'whole'
}

/** For lines that say what is left out. */
const RESERVED_FOR_REST = 500
