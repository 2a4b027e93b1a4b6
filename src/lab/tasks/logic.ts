/** Small logic puzzles with exactly one solution, in English and Chinese: who stands where, and who tells the truth. */

import type { Language } from '../../protocol/index.ts'
import { pick, type Random, shuffled } from '../chance.ts'
import { isHeldOut } from './held-out.ts'
import type { Drawn } from './task.ts'

const NAMES: Readonly<Record<Language, readonly string[]>> = {
  en: ['Ann', 'Ben', 'Cleo', 'Dan', 'Eve', 'Finn', 'Gus', 'Hope'],
  zh: ['小明', '小红', '小李', '小王', '小张', '小赵', '小陈', '小周'],
}

export const LOGIC_KINDS = ['order', 'truth'] as const
export type LogicKind = (typeof LOGIC_KINDS)[number]

export function drawLogic(random: Random, kind: LogicKind): Drawn | null {
  const language = pick(random, ['en', 'zh'] as const)
  const names = shuffled(random, NAMES[language])
  const drawn = kind === 'order' ? order(random, language, names) : truth(random, language, names)
  if (drawn === null) return null
  return {
    goal: drawn.goal,
    group: kind,
    check: { exact: drawn.answer },
    split: isHeldOut(drawn.goal) ? 'held-out' : 'tuning',
  }
}

interface Puzzle {
  readonly goal: string
  readonly answer: string
}

// --- an order: of each two neighbours it is said who is taller, so there is one order only

const ORDER = {
  en: {
    taller: (a: string, b: string) => `${a} is taller than ${b}.`,
    shorter: (a: string, b: string) => `${a} is shorter than ${b}.`,
    ask: (place: number) => `Who is number ${place}, counted from the tallest? Answer with the name alone.`,
    space: ' ',
  },
  zh: {
    taller: (a: string, b: string) => `${a}比${b}高。`,
    shorter: (a: string, b: string) => `${a}比${b}矮。`,
    ask: (place: number) => `从高到低排第${place}的是谁？只回答名字。`,
    space: '',
  },
}

function order(random: Random, language: Language, names: readonly string[]): Puzzle {
  const people = names.slice(0, 4 + Math.floor(random() * 3))
  const words = ORDER[language]
  const clues = people.slice(1).map((short, i) => {
    const tall = people[i] as string
    return random() < 0.5 ? words.taller(tall, short) : words.shorter(short, tall)
  })
  const place = 1 + Math.floor(random() * people.length)
  return {
    goal: [...shuffled(random, clues), words.ask(place)].join(words.space),
    answer: people[place - 1] as string,
  }
}

// --- liars: everybody says something about another, and exactly one reading makes all of them right or lying

interface Said {
  readonly text: string
  /** Whether it is true where `honest` says who tells the truth. */
  holds(honest: readonly boolean[]): boolean
}

const TRUTH = {
  en: {
    given: (names: readonly string[]) =>
      `${names.slice(0, -1).join(', ')} and ${names.at(-1)} each either always tell the truth or always lie.`,
    says: (who: string, what: string) => `${who} says: "${what}"`,
    liar: (who: string) => `${who} lies.`,
    honest: (who: string) => `${who} tells the truth.`,
    same: (a: string, b: string) => `${a} and ${b} are either both honest or both liars.`,
    ask: 'Who tells the truth? Answer with the names alone, in the order given, separated by commas.',
    comma: ', ',
    space: ' ',
  },
  zh: {
    given: (names: readonly string[]) => `${names.join('、')}每人要么总说真话，要么总说假话。`,
    says: (who: string, what: string) => `${who}说：“${what}”`,
    liar: (who: string) => `${who}说假话。`,
    honest: (who: string) => `${who}说真话。`,
    same: (a: string, b: string) => `${a}和${b}要么都说真话，要么都说假话。`,
    ask: '谁说真话？只回答名字，按上面的顺序，用逗号隔开。',
    comma: '，',
    space: '',
  },
}

function truth(random: Random, language: Language, names: readonly string[]): Puzzle | null {
  const people = names.slice(0, 3 + Math.floor(random() * 2))
  const words = TRUTH[language]
  const said = people.map((_, who) => statement(random, language, people, who))
  const solutions = assignments(people.length).filter((honest) =>
    said.every(({ holds }, who) => holds(honest) === honest[who]),
  )
  const [only, ...others] = solutions
  // Of nobody there would be no name to answer with.
  if (only === undefined || others.length > 0 || !only.includes(true)) return null
  const spoken = said.map(({ text }, who) => words.says(people[who] as string, text))
  return {
    goal: [words.given(people), ...spoken, words.ask].join(words.space),
    answer: people.filter((_, who) => only[who]).join(words.comma),
  }
}

function statement(random: Random, language: Language, people: readonly string[], who: number): Said {
  const others = shuffled(
    random,
    people.map((_, i) => i).filter((i) => i !== who),
  )
  const [a, b] = others as [number, number]
  const words = TRUTH[language]
  const name = (i: number) => people[i] as string
  return pick<Said>(random, [
    { text: words.liar(name(a)), holds: (honest) => !honest[a] },
    { text: words.honest(name(a)), holds: (honest) => honest[a] === true },
    { text: words.same(name(a), name(b)), holds: (honest) => honest[a] === honest[b] },
  ])
}

function assignments(count: number): boolean[][] {
  return Array.from({ length: 2 ** count }, (_, bits) =>
    Array.from({ length: count }, (_, i) => ((bits >> i) & 1) === 1),
  )
}
