/** What a lab's table and picture say, in English and Chinese. */
import type { Lang } from '../views/words.ts'
import type { Measure } from './table.ts'

const en = {
  all: 'all tasks',
  setting: 'setting',
  model: 'model',
  solved: 'solved',
  interval: '95% interval',
  calls: 'calls',
  tokens: 'tokens',
  cost: 'cost',
  frontier: 'no other is at least as good for less',
  measures: { costUsd: 'cost of a run', tokens: 'tokens of a run', calls: 'calls of a run' } as Record<
    Measure,
    string
  >,
  share: 'share solved',
  title: (measure: string) => `Share solved against ${measure}`,
  means: (runs: number, seed: string) =>
    `${runs} runs, seed ${seed}; calls, tokens and cost are means of a run`,
  against: (first: string, second: string) => `${second} against ${first}`,
  only: (of: number, second: number, first: number) =>
    `of ${of} tasks, ${second} solved by the former only, ${first} by the latter only`,
  chance: (p: string) => `p ${p} (exact McNemar test)`,
  corrected: (p: string) => `p ${p} (exact McNemar test, Holm's correction)`,
  line: (about: string, only: string, chance: string) => `${about}: ${only}; ${chance}`,
  incomplete: 'not all runs are done',
}

export type LabWords = typeof en

const zh: LabWords = {
  all: '全部任务',
  setting: '设置',
  model: '模型',
  solved: '解出',
  interval: '95% 区间',
  calls: '调用',
  tokens: 'token',
  cost: '费用',
  frontier: '没有其他设置以更低代价达到同样效果',
  measures: { costUsd: '每次运行的费用', tokens: '每次运行的 token 数', calls: '每次运行的调用次数' },
  share: '解出比例',
  title: (measure) => `解出比例与${measure}`,
  means: (runs, seed) => `${runs} 次运行，种子 ${seed}；调用、token 和费用为每次运行的均值`,
  against: (first, second) => `${second} 对比 ${first}`,
  only: (of, second, first) => `${of} 个任务中，仅前者解出 ${second} 个，仅后者解出 ${first} 个`,
  chance: (p) => `p ${p}（McNemar 精确检验）`,
  corrected: (p) => `p ${p}（McNemar 精确检验，Holm 校正）`,
  line: (about, only, chance) => `${about}：${only}；${chance}`,
  incomplete: '尚未全部完成',
}

export function labWords(lang: Lang): LabWords {
  return lang === 'zh' ? zh : en
}
