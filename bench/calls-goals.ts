/** Ten goals, each with the work that it takes: what an ideal model would split it into, and look at. */
import type { TaskType } from '../src/strategies/tree-of-thoughts/protocol.ts'
import type { Said } from './prompts-programs.ts'

export interface Work {
  /** Unique in a goal. */
  readonly name: string
  /** Reports to be read one after the other, because each names the next: before it is written, or before its parts are known. */
  readonly looks?: number
  readonly parts?: readonly Work[]
  /** It can't be known without evidence: what it could be, which the looks decide. */
  readonly guesses?: readonly string[]
  /** The first attempt looks where there is nothing to be found; the second, elsewhere, succeeds. */
  readonly failsFirst?: true
  /** The parts have nothing to do with each other. Otherwise the last one builds on the others. */
  readonly isLoose?: true
}

export interface ScriptedGoal {
  readonly title: string
  /** In a person's words. */
  readonly text: string
  readonly work: Work
  /** What Tree of Thoughts takes it for, which decides how it searches. */
  readonly taskType: TaskType
}

/** What a model answers for a goal, by kind of request; `input` is what the request is made from. */
export type Answers = Readonly<Record<string, (goal: ScriptedGoal, input: never) => Said>>

export const GOALS: readonly ScriptedGoal[] = [
  {
    title: 'answered at once',
    text: 'Say why the tide comes late to the inner harbor.',
    work: { name: 'the tide' },
    taskType: 'math_reasoning',
  },
  {
    title: 'two looks',
    text: 'Find out from the reports of the keeper why the lamp was dark.',
    work: {
      name: 'the lamp',
      looks: 2,
      guesses: ['The oil was used up', 'The wick was wet', 'The keeper was ill'],
    },
    taskType: 'debugging',
  },
  {
    title: 'two parts',
    text: 'Describe the harbor:\n- the quay\n- the crane',
    work: { name: 'the harbor', parts: named('the quay', 'the crane'), isLoose: true },
    taskType: 'architecture_design',
  },
  {
    title: 'three parts',
    text: 'Write about the market:\n- the stalls\n- the people\n- what both have to do with the harbor',
    work: { name: 'the market', parts: named('the stalls', 'the people', 'their harbor') },
    taskType: 'creative_writing',
  },
  {
    title: 'five parts',
    text: 'Prepare the regatta:\n- the course\n- the boats\n- the crews\n- the jury\n- the prizes',
    work: {
      name: 'the regatta',
      parts: named('the course', 'the boats', 'the crews', 'the jury', 'the prizes'),
      isLoose: true,
    },
    taskType: 'planning',
  },
  {
    title: 'seven parts',
    text: 'Design the museum:\n- the gate\n- the hall\n- the ships\n- the maps\n- the shop\n- the yard\n- how one walks through all of it',
    work: {
      name: 'the museum',
      parts: named('the gate', 'the hall', 'the ships', 'the maps', 'the shop', 'the yard', 'the walk'),
    },
    taskType: 'architecture_design',
  },
  {
    title: 'parts with looks',
    text: 'Explain from the reports what the storm did:\n- to the roofs\n- to the boats\n- to the gardens\n- and what has to be mended first',
    work: {
      name: 'the storm',
      parts: [
        { name: 'the roofs', looks: 1 },
        { name: 'the boats', looks: 2 },
        { name: 'the gardens', looks: 1 },
        { name: 'the mending' },
      ],
    },
    taskType: 'debugging',
  },
  {
    title: 'nested',
    text: 'Take stock of the warehouse, whose report says what is in it:\n- the grain\n- the timber, by kind\n- what has to be bought',
    work: {
      name: 'the warehouse',
      looks: 1,
      parts: [
        { name: 'the grain' },
        { name: 'the timber', parts: [...named('the oak', 'the ash'), { name: 'the pine', looks: 1 }] },
        { name: 'the purchases' },
      ],
    },
    taskType: 'math_reasoning',
  },
  {
    title: 'deep',
    text: 'Tell the story of the island:\n- how it was found\n- who lived there\n- what is left of it, house by house and room by room',
    work: {
      name: 'the island',
      parts: [
        ...named('the discovery', 'the people'),
        {
          name: 'the houses',
          parts: [
            ...named('the mill', 'the forge'),
            {
              name: 'the manor',
              parts: [...named('the kitchen', 'the library'), { name: 'the tower', looks: 1 }],
            },
          ],
        },
      ],
    },
    taskType: 'creative_writing',
  },
  {
    title: 'mended',
    text: 'Plan the repair of the bridge:\n- the pillars\n- the planks, of which there is a report\n- the order of the work',
    work: {
      name: 'the bridge',
      parts: [
        { name: 'the pillars' },
        { name: 'the planks', looks: 1, failsFirst: true },
        { name: 'the order' },
      ],
    },
    taskType: 'planning',
  },
]

function named(...names: readonly string[]): Work[] {
  return names.map((name) => ({ name }))
}

/** All that has to be written, in order: the work itself where it has no parts. */
export function leavesOf(work: Work): readonly Work[] {
  return work.parts === undefined ? [work] : work.parts.flatMap(leavesOf)
}

/** The work, what it is part of before it. */
export function allOf(work: Work): readonly Work[] {
  return [work, ...(work.parts ?? []).flatMap(allOf)]
}

export function looksOf({ looks = 0 }: Work): number {
  return looks
}

export function attemptsOf({ failsFirst }: Work): number {
  return failsFirst ? 2 : 1
}

/** How a piece of work is called in goals and thoughts, so that it is known again. */
export function nameOf({ name }: Work): string {
  return `«${name}»`
}

/** The work that a text is about: the whole goal, or the part that it names. */
export function workIn({ text: whole, work }: ScriptedGoal, text: string): Work {
  if (text === whole) return work
  const named = allOf(work).find((one) => text.includes(nameOf(one)))
  if (named === undefined) throw new Error(`no work of the goal is named in: ${text}`)
  return named
}

/** The report that the look reads, from 1. */
export function reportOf(goal: ScriptedGoal, work: Work, look: number): number {
  return 10 * (1 + allOf(goal.work).indexOf(work)) + look
}

/** No report has this number or a higher one. */
export const NO_REPORT = 900
