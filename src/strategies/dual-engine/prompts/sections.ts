/**
 * What the requests of the dual engine have in common: what was asked for, what the blocks above have found, the task. What
 * stays the same for all tasks of a plan comes first, so that their requests begin alike.
 */

import { personSays } from '../../../kernel/brief/person-says.ts'
import type { Item, Section } from '../../../kernel/brief/section.ts'
import { nonceOf } from '../../../kernel/fence.ts'
import { type Ancestor, goalText, parentPath, placeOf, type TimelineEntry } from '../../../protocol/index.ts'
import { foundItems, toolsSection } from '../../sections.ts'
import type { DualOptions, TaskBrief } from '../schema.ts'
import type { DualContext, Scope } from '../scope.ts'

/** What a coordinator was asked for, and what is known above it: in its own requests, and in those of its tasks. */
export function requestSections(
  { context, options }: Scope,
  words: string,
  above: readonly Ancestor[],
): Section[] {
  const root = goalText(context.ancestors.at(-1)?.goal ?? words)
  const given = options.contexts.map(({ name, ...context }) => ({
    ...context,
    about: `${name}:`,
    data: name,
  }))
  return [
    {
      need: 'whole',
      title: 'All of this serves:',
      items: root === words ? [] : [tagged('WHOLE_REQUEST', root)],
    },
    // What can't be read again is never shortened.
    { need: 'whole', title: 'Given with it:', items: given.filter(({ ref }) => ref === undefined) },
    { need: 'first', title: 'About it:', items: given.filter(({ ref }) => ref !== undefined) },
    ...aboveSections(context, above, [root, words]),
    { need: 'whole', items: [tagged('USER_REQUEST', words)] },
    blueprintSection(options),
  ]
}

/** What a blueprint says to whoever begins, with the marks of how it was found. */
export function blueprintSection({ init = '' }: DualOptions): Section {
  return { need: 'whole', title: 'It is done by a blueprint:', items: init === '' ? [] : [{ text: init }] }
}

/** The caller knows most of what matters here: what it has found is needed first. */
function aboveSections(context: DualContext, above: readonly Ancestor[], said: readonly string[]): Section[] {
  const [caller, ...others] = above
  if (caller === undefined) return []
  const goals = above
    .toReversed()
    .map(({ path, goal }) => ({ text: goalText(goal), ref: `${path} goal` }))
    .filter(({ text }) => !said.includes(text))
  const far = others.toReversed().flatMap(({ path }) => foundItems(context, path))
  const near = foundItems(context, caller.path)
  return [
    {
      need: 'then',
      title: 'Each of these is part of the one before:',
      items: goals,
      ref: `${caller.path} task`,
    },
    { need: 'then', title: 'What was found above:', items: far, ref: `${others[0]?.path} results` },
    {
      need: 'first',
      title: 'What was found so far by who wants this:',
      items: near,
      ref: `${caller.path} results`,
    },
  ]
}

/** What the request of a task's loop begins with. */
export function taskSections(scope: Scope, brief: TaskBrief): Section[] {
  const { context } = scope
  const [coordinator, ...above] = context.ancestors
  const of = coordinator?.path ?? ''
  return [
    ...requestSections(scope, brief.request, above),
    {
      ...toolsSection(context, of),
      need: 'first',
      title: 'What was looked at for the plan, as it was then:',
    },
    ...resultSections(context, of, brief),
    { need: 'whole', items: documentItems(brief) },
    beforeSection(context, of, brief),
    personSection(context, brief.redo),
  ]
}

/** The document's sections: what the task is part of, the task, and how the two are meant. */
function documentItems({ parents, name, goal, redo, last, form }: TaskBrief): Item[] {
  const above = parents.map((parent) => `Task: ${parent.name}\nGoal: ${parent.goal}`).join('\n')
  const instruction = [
    last ? LAST_RULE : TASK_RULE,
    form === undefined ? '' : formRule(form),
    redo === undefined ? '' : redoRule(redo),
  ]
  const items = [
    parents.length === 0 ? '' : `<|PARENT_TASK|>\n${above}\n<|PARENT_TASK_END|>\n`,
    `<|CURRENT_TASK|>\nTask: ${name}\nGoal: ${goal}\n<|CURRENT_TASK_END|>\n`,
    `<|INSTRUCTION|>\n${instruction.filter((text) => text !== '').join('\n')}\n<|INSTRUCTION_END|>`,
  ]
  return items.filter((text) => text !== '').map((text) => ({ text }))
}

const TASK_RULE =
  'Work on the task in <|CURRENT_TASK|> and on no other. What stands in <|PARENT_TASK|> tells what it is for: do not carry that out yourself.'

const LAST_RULE =
  'Carry out the task in <|CURRENT_TASK|>. Your result is the answer to <|USER_REQUEST|>: it goes to who asked as you give it. So give what was asked for there, whole, made from all that was found, as long as was asked for, and no report on the work that was not asked for.'

/** The coordinator was told the form with its rules; this is the other who writes what the run gives. */
function formRule(form: string): string {
  return `Who asked is a program: your result is handed over as one JSON value of this form:
${form}
The text of "result" (or of "answer") is this value: valid JSON, with no word and no code fence around it. If the task can't be done, it is a text that says so and why: nothing is made up.`
}

function redoRule(redo: string): string {
  return `The task was done before, and is to be done again: ${redo}`
}

/** The results of the tasks that have ended, in the order in which they did; those that this one depends on are needed first. */
function resultSections(context: DualContext, of: string, { needs, superseded }: TaskBrief): Section[] {
  const entries = lastAttempts(context, of).filter(({ path }) => !superseded.includes(placeOf(path)))
  return entries.map((entry, i) => ({
    need: needs.includes(placeOf(entry.path)) ? 'first' : 'then',
    ...(i === 0 && { title: 'Results of the tasks before this one:' }),
    items: [resultItem(entry)],
    ref: `${of} results`,
  }))
}

function beforeSection(context: DualContext, of: string, { before }: TaskBrief): Section {
  const entry = lastAttempts(context, of).find(({ path }) => placeOf(path) === before)
  const items = entry === undefined ? [] : [resultItem(entry)]
  return { need: 'first', title: 'What the task came to before:', items, ref: `${of} results` }
}

/** How the children of a block ended, each with its last attempt. */
function lastAttempts(context: DualContext, of: string): TimelineEntry[] {
  const byPlace = new Map<string, TimelineEntry>()
  for (const entry of context.known())
    if (entry.status !== undefined && parentPath(entry.path) === of) byPlace.set(placeOf(entry.path), entry)
  return [...byPlace.values()].filter(({ text }) => text !== '')
}

function resultItem({ path, about = '', text, status, ref }: TimelineEntry): Item {
  return {
    about: { before: 'Result of the task: ', text: about, after: ` [${status}]`, ref: `${path} goal` },
    text,
    data: 'result',
    ...(ref !== undefined && { ref }),
  }
}

/** What a person said, without the `words` that stand elsewhere in the request. */
export function personSection(context: DualContext, words = ''): Section {
  const isElsewhere = (text: string) =>
    words !== '' && text.endsWith(words) && /[:：]\s*$/.test(text.slice(0, -words.length))
  const said = context.known().filter(({ kind, text }) => kind === 'message' && !isElsewhere(text))
  return { need: 'whole', items: said.map(({ text }) => ({ text: personSays(text) })) }
}

/** In tags that nothing in the text can close. */
function tagged(tag: string, text: string): Item {
  const nonce = nonceOf(tag, text)
  return { text: `<|${tag}_${nonce}|>\n${text}\n<|${tag}_END_${nonce}|>\n` }
}

/** A blueprint's text for every loop. */
export function promptOf({ options }: Scope): string {
  return options.prompt === undefined ? '' : `${options.prompt}\n`
}
