/** How `best-of` is drawn: its samples, each with what a program says of it, and which was chosen and why. */
import { type Event, isObject } from '../../protocol/index.ts'
import type { Form, FormItem } from '../../views/form.ts'
import { segment } from '../../views/line.ts'
import { problemInWords } from '../../views/reason-words.ts'
import type { ShownBlock, StrategyView } from '../../views/strategy-view.ts'
import { cleanLine } from '../../views/text-width.ts'
import type { Lang } from '../../views/words.ts'
import type { BestOfNotes, Chosen, Sampled, Verdict } from './notes.ts'

const WORDS = {
  en: {
    samples: 'Samples',
    count: (n: number) => (n === 1 ? '1 sample' : `${n} samples`),
    sample: (n: number) => `sample ${n}`,
    verdict: { verified: 'right', refuted: 'wrong', open: '', failed: 'failed' },
    chosen: 'chosen',
    by: {
      program: () => 'verified by program',
      votes: ({ votes, of }: Chosen) => `${votes} of ${of} agree`,
      judge: ({ of }: Chosen) => `preferred by a judge among ${of}`,
      order: ({ of }: Chosen) => `the first of ${of} that differ`,
    },
  },
  zh: {
    samples: '样本',
    count: (n: number) => `${n} 个样本`,
    sample: (n: number) => `样本 ${n}`,
    verdict: { verified: '正确', refuted: '错误', open: '', failed: '失败' },
    chosen: '选中',
    by: {
      program: () => '经程序验证',
      votes: ({ votes, of }: Chosen) => `${of} 个中有 ${votes} 个一致`,
      judge: ({ of }: Chosen) => `由评审从 ${of} 个中选出`,
      order: ({ of }: Chosen) => `${of} 个各不相同，取第一个`,
    },
  },
} as const

export const view: StrategyView = {
  form,
  streamFields: ['answer', 'reasoning', 'reason'],
  detail: () => ({
    follow() {},
    news({ name, data }, lang) {
      if (!isObject(data)) return null
      if (name === 'best-of/sampled') return sampledNews(data as unknown as Sampled, lang)
      if (name === 'best-of/chosen') return [segment(chosenText(data as unknown as Chosen, lang))]
      return null
    },
  }),
}

function form({ path, journal }: ShownBlock, lang: Lang): Form | null {
  const samples = notesOf(journal, path, 'best-of/sampled')
  if (samples.length === 0) return null
  const words = WORDS[lang]
  const chosen = notesOf(journal, path, 'best-of/chosen').at(-1)
  const caption = [
    words.count(samples.length),
    ...(chosen === undefined ? [] : [words.by[chosen.by](chosen)]),
  ]
  const items = samples.map((sampled) => itemOf(sampled, chosen?.sample === sampled.sample, lang))
  return { caption: caption.join(' · '), parts: [{ kind: 'list', title: words.samples, items }] }
}

function itemOf({ sample, answer, verdict, problems }: Sampled, isChosen: boolean, lang: Lang): FormItem {
  const words = WORDS[lang]
  const tags = [words.verdict[verdict], isChosen ? words.chosen : ''].filter((tag) => tag !== '')
  return {
    label: String(sample),
    text: answer === '' ? words.verdict.failed : answer,
    state: isChosen ? 'done' : STATES[verdict],
    ...(problems.length > 0 && { note: problemsText(problems, '\n', lang) }),
    ...(tags.length > 0 && { tags }),
  }
}

const STATES: Readonly<Record<Verdict, FormItem['state']>> = {
  verified: 'done',
  refuted: 'failed',
  open: 'plain',
  failed: 'failed',
}

function sampledNews({ sample, answer, verdict, problems }: Sampled, lang: Lang) {
  const words = WORDS[lang]
  const said = verdict === 'failed' ? problemsText(problems, '; ', lang) : answer
  const mark = words.verdict[verdict]
  return [
    segment(`${words.sample(sample)}: ${cleanLine(said, 200)}`),
    ...(mark === '' ? [] : [segment(` (${mark})`, 'dim')]),
  ]
}

/** What failed says at which block, which is this one. */
function problemsText(problems: readonly string[], between: string, lang: Lang): string {
  return problems.map((problem) => problemInWords(problem.replace(/^[\d#-]+: /, ''), lang)).join(between)
}

function chosenText(chosen: Chosen, lang: Lang): string {
  const words = WORDS[lang]
  return `${words.chosen}: ${words.sample(chosen.sample)} (${words.by[chosen.by](chosen)})`
}

function notesOf<Name extends keyof BestOfNotes>(journal: readonly Event[], path: string, name: Name) {
  return journal.flatMap((event) =>
    event.type === 'note' && event.path === path && event.name === name && isObject(event.data)
      ? [event.data as unknown as BestOfNotes[Name]]
      : [],
  )
}
