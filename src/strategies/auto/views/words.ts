/** What people read about a choice, in English and Chinese. */
import type { Need } from '../notes.ts'

export const WORDS = {
  en: {
    chose: 'chose',
    not: ', not',
    by: { model: 'a model classified it', default: 'the standard' },
    needs: (needs: readonly Need[]) => `needs ${needs.join(', ')}`,
    lacks: (needs: readonly Need[]) => `needs ${needs.join(', ')}, and there are no tools for it`,
    notLooked: (needs: readonly Need[]) =>
      `the goal needs ${needs.join(', ')}, and this run has no tools for it`,
  },
  zh: {
    chose: '选择',
    not: '，而非',
    by: { model: '由模型归类', default: '默认' },
    needs: (needs: readonly Need[]) => `需要${zhNames(needs)}`,
    lacks: (needs: readonly Need[]) => `需要${zhNames(needs)}，但没有可用的工具`,
    notLooked: (needs: readonly Need[]) => `目标需要${zhNames(needs)}，而本次运行没有可用的工具`,
  },
} as const

const ZH: Readonly<Record<Need, string>> = { files: '文件', commands: '命令', network: '网络' }

function zhNames(needs: readonly Need[]): string {
  return needs.map((need) => ZH[need]).join('、')
}

/** The reasons of the rules (../rules.ts), which journals have in English. */
export const REASONS_ZH: Readonly<Record<string, string>> = {
  'a goal with deliverable, metric and constraint, which the planner checks':
    '目标有提交物、指标和约束，由规划器核对',
  'something to compute and to write down with a tool': '需要计算，并用工具写下结果',
  'an arithmetic puzzle: many ways to try, and a program can check the answer':
    '算术谜题：有许多解法可试，程序可以验证答案',
  'something to compute, step by step': '需要一步步计算',
  'it needs what no tool of this run gives: the answer has to say so':
    '所需的东西本次运行没有工具能提供：回答须说明这一点',
  'a cause to be found: hypotheses, tested with executors': '需要查找原因：提出假设，用执行器检验',
  'large work with tools: a plan of tasks': '用工具完成的大型工作：制定任务计划',
  'something to change with tools, and to check': '需要用工具修改并核对',
  'something to write down with a tool': '需要用工具写下结果',
  'something to look up with tools and to answer': '需要用工具查找再回答',
  'a puzzle: many ways to try': '谜题：有许多解法可试',
  'the best of several alternatives is wanted': '要在几个方案中选出最好的',
  'a long text: planned in words, written part by part': '长文：先列提纲，再逐段写',
  'a short text, which takes one call': '短文，一次调用即可',
  'several steps of reasoning': '需要几步推理',
  'a cause to be found by thinking alone: a search among hypotheses': '只靠思考查找原因：在假设中搜索',
  'a small question, which takes one call': '小问题，一次调用即可',
}
