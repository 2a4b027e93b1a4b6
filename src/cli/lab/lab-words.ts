/** What `thinkon lab` says around its table. */
import type { LabLimit } from '../../lab/sitting.ts'
import type { Lang } from '../../views/words.ts'

const en = {
  begins: (runs: number, settings: number, models: number, tasks: number, file: string) =>
    `${runs} runs: ${count(settings, 'setting')} × ${count(models, 'model')} × ${count(tasks, 'task')}; results: ${file}`,
  goesOn: (done: number, of: number) => `${done} of ${of} runs are there already`,
  complete: (file: string) => `all runs are in ${file}; --force runs them again`,
  progress: (done: number, of: number, left: string | null) =>
    `${done} of ${of} runs${left === null ? '' : `, about ${left} left`}`,
  goOn: (command: string) => `go on with: ${command}`,
  stoppedAt: (done: number, of: number) => `${done} of ${of} runs are done`,
  limit: (limit: LabLimit, done: number, of: number) =>
    `the limit of the lab is reached (${LIMITS[limit]}): ${done} of ${of} runs are done`,
  raise: (limit: LabLimit, command: string) => `raise ${LIMITS[limit]}, and go on with: ${command}`,
  picture: (file: string) => `picture: ${file}`,
  time: (name: string, mean: string) => `${name}: ${mean} a run`,
  times: (all: readonly string[]) => `time: ${all.join('; ')}`,
  refused: (n: number, why: string) =>
    `${count(n, 'goal')} ${n === 1 ? 'was' : 'were'} refused by the model, and count${n === 1 ? 's' : ''} as not solved: ${why}`,
}

const LIMITS: Readonly<Record<LabLimit, string>> = {
  calls: '--max-calls',
  tokens: '--max-tokens',
  costUsd: '--max-cost',
  timeMs: '--max-time',
}

type LabCommandWords = typeof en

const zh: LabCommandWords = {
  begins: (runs, settings, models, tasks, file) =>
    `${runs} 次运行：${settings} 种设置 × ${models} 个模型 × ${tasks} 个任务；结果文件：${file}`,
  goesOn: (done, of) => `${of} 次运行中已有 ${done} 次`,
  complete: (file) => `全部运行都在 ${file} 中；--force 重新运行`,
  progress: (done, of, left) => `${of} 次运行中已完成 ${done} 次${left === null ? '' : `，约剩 ${left}`}`,
  goOn: (command) => `继续请用：${command}`,
  stoppedAt: (done, of) => `${of} 次运行中已完成 ${done} 次`,
  limit: (limit, done, of) => `已达到实验的上限（${LIMITS[limit]}）：${of} 次运行中已完成 ${done} 次`,
  raise: (limit, command) => `请提高 ${LIMITS[limit]}，继续请用：${command}`,
  picture: (file) => `图：${file}`,
  time: (name, mean) => `${name}：每次运行 ${mean}`,
  times: (all) => `用时：${all.join('；')}`,
  refused: (n, why) => `模型拒绝了 ${n} 个目标，按未解出计：${why}`,
}

export function labCommandWords(lang: Lang): LabCommandWords {
  return lang === 'zh' ? zh : en
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`
}
