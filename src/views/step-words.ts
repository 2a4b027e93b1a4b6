/** What a block is doing and what a person may answer, in the words of a language. Journals have the names that programs use. */
import type { Lang } from './words.ts'

/** What is shown of a step: the words for a known kind of request; else what it is called, such as a tool with its input. Empty for null. */
export function doingText(doing: string | null, lang: Lang): string {
  if (doing === null) return ''
  const [strategy = '', kind = ''] = doing.split('/')
  const words = STRATEGIES.test(strategy) ? STEPS[kind] : undefined
  return words?.[lang] ?? doing
}

const STRATEGIES = /^(?:auto|check|cot|dual|fractal|minimal|output|planner|tot)$/

const STEPS: Readonly<Record<string, Record<Lang, string>>> = {
  act: { en: 'working', zh: '执行中' },
  'blueprint-params': { en: 'filling in the blueprint', zh: '填写蓝图参数' },
  classify: { en: 'choosing a strategy', zh: '选择策略' },
  close: { en: 'concluding', zh: '收尾' },
  compact: { en: 'condensing what is known', zh: '压缩已知内容' },
  decide: { en: 'deciding what is next', zh: '决定下一步' },
  decompose: { en: 'taking the problem apart', zh: '分解问题' },
  eval: { en: 'deciding what is next', zh: '决定下一步' },
  evaluate: { en: 'judging a thought', zh: '评估想法' },
  generate: { en: 'thinking of candidates', zh: '构思候选' },
  'judge-risk': { en: 'judging the risk', zh: '评估风险' },
  next: { en: 'deciding what is next', zh: '决定下一步' },
  observe: { en: 'comparing with what was expected', zh: '对照预期' },
  plan: { en: 'planning', zh: '制定计划' },
  reflect: { en: 'reflecting', zh: '反思' },
  result: { en: 'checking the result', zh: '核对结果' },
  summarize: { en: 'summing up', zh: '总结' },
  synthesize: { en: 'writing the answer', zh: '撰写答案' },
  think: { en: 'thinking', zh: '思考中' },
  value: { en: 'writing the value', zh: '整理结果的值' },
  vote: { en: 'voting', zh: '投票' },
}

/** A choice as it is shown; either form is understood. */
export function choiceText(choice: string, lang: Lang): string {
  return (lang === 'zh' ? CHOICES_ZH[choice] : undefined) ?? choice
}

const CHOICES_ZH: Readonly<Record<string, string>> = {
  yes: '是',
  no: '否',
  always: '总是',
  'always in the plan': '在计划中总是',
  continue: '继续',
}
