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
