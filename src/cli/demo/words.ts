/** What the demonstration says around its runs. No line of commands is wider than 79 columns. */
import type { Lang } from '../../views/words.ts'
import type { Scene } from './scenes.ts'

export interface DemoWords {
  readonly what: string
  /** Where somebody watches. */
  slowed(seconds: string): string
  readonly once: string
  by(strategy: string): string
  /** What the strategy does, above its tree. */
  readonly how: Readonly<Record<Scene['strategy'], string>>
  itIs(value: string): string
  readonly end: string
  readonly next: string
  /** What for, and the command; the last one opens the page. */
  readonly commands: readonly (readonly [what: string, command: string])[]
}

export const DEMO_WORDS: Readonly<Record<Lang, DemoWords>> = {
  en: {
    what: 'embedded:mini is a real language model: 4.7 million parameters, in this package, no key, no network. It is often wrong. Here it is asked once, and then through a strategy; ✗ and ✓ are what a program computes.',
    slowed: (seconds) => `Each call takes ${seconds} s longer than it has to, so that you can watch.`,
    once: 'asked once',
    by: (strategy) => `by ${strategy}`,
    how: {
      fractal: 'fractal has it worked out one operation at a time:',
      tot: 'tot proposes moves, judges them and goes on with the best:',
    },
    itIs: (value) => `it is ${value}`,
    end: 'It was the same model each time, only made to think in another way. Every step is in the store, and a run that is killed goes on with npx thinkon resume last.',
    next: 'Now try:',
    commands: [
      ['the search again', 'npx thinkon show last'],
      ['another puzzle', 'npx thinkon tot "Make 24 from 2, 5, 9 and 12"'],
      ['how often is it right?', 'npx thinkon lab --model embedded:mini --count 12'],
      ['a model of yours', 'npx thinkon run "…" --model ollama:qwen3'],
      ['which models there are', 'docs/models.md'],
      ['in the browser', 'npx thinkon studio'],
    ],
  },
  zh: {
    what: 'embedded:mini 是真正的语言模型：470万个参数，就在这个包里，不要密钥，不联网。\n它常常出错。下面先直接问一次，再通过策略来问；✗ 和 ✓ 由程序算出。',
    slowed: (seconds) => `每次调用都放慢了 ${seconds} 秒，方便观看。`,
    once: '直接问一次',
    by: (strategy) => `用 ${strategy}`,
    how: {
      fractal: 'fractal 让它一次只算一步：',
      tot: 'tot 提出走法，逐个评判，再从最好的接着走：',
    },
    itIs: (value) => `应为 ${value}`,
    end: '每次都是同一个模型，只是思考的方式不同。\n每一步都已存档；运行若被中断，可用 npx thinkon resume last 继续。',
    next: '接着试试：',
    commands: [
      ['再看一遍搜索', 'npx thinkon show last'],
      ['换一道题', 'npx thinkon tot "用 2、5、9、12 算出 24"'],
      ['它有多常答对？', 'npx thinkon lab --model embedded:mini --count 12'],
      ['用你自己的模型', 'npx thinkon run "…" --model ollama:qwen3'],
      ['有哪些模型', 'docs/models.md'],
      ['在浏览器里看', 'npx thinkon studio'],
    ],
  },
}
