/** What the search says to people, in the problem's language. */
import type { Language } from '../../protocol/index.ts'

const en = {
  asked: 'as asked for',
  arithmetic: 'it is arithmetic',
  unasked: 'nobody was asked: the search has no model',
  byTable: 'goes by the table of task types',
  fewer: (candidates: number, how: string) => `${candidates} candidates by ${how}, at a higher temperature`,
  simpler: 'one sample each, by the first criterion alone',
  again: 'asked once more',
  wholePath: 'the whole path is the answer, not synthesised',
  unsynthesised: (why: string) => `not synthesised, the thoughts in order (${why})`,
  revised: (thoughts: number) => `goes another way, with ${thoughts} that failed in view`,
  allFailed: 'everything that was tried after it failed',
  wider: 'beam and branching doubled, threshold halved',
  noValue: (missing: number, of: number) => `${missing} of ${of} thoughts have no value`,
  noSolution: (thoughts: number) => `no solution among ${thoughts} thoughts`,
  full: (nodes: number) => `the tree has reached its limit of ${nodes} nodes`,
  noThoughts: (why: string) => `no thoughts could be generated: ${why}`,
  noValues: (why: string) => `no thought could be evaluated: ${why}`,
  doesNotHold: (errors: readonly string[]) =>
    `the answer does not hold${errors.length === 0 ? '' : `: ${errors.join('; ')}`}`,
  treesAgree: (agreed: number, of: number) => `${agreed} of ${of} trees came to this answer`,
  verified: 'verified by program',
  refuted: (errors: readonly string[]) =>
    `refuted by program${errors.length === 0 ? '' : `: ${errors.join('; ')}`}`,
  exhausted: 'its children are exhausted',
  notGoodEnough: 'none of its children is good enough',
}

const zh: typeof en = {
  asked: '按指定',
  arithmetic: '这是算术问题',
  unasked: '未询问：这次搜索不用模型',
  byTable: '改用任务类型表的默认值',
  fewer: (candidates, how) => `改为 ${how}，${candidates} 个候选，提高温度`,
  simpler: '每个候选只评一次，只看第一项标准',
  again: '再问一次',
  wholePath: '未经整合，以整条路径作为答案',
  unsynthesised: (why) => `未经整合，按顺序列出各思维（${why}）`,
  revised: (thoughts) => `参照 ${thoughts} 个失败的思维，另寻途径`,
  allFailed: '其后的尝试全部失败',
  wider: '束宽与分支数加倍，阈值减半',
  noValue: (missing, of) => `${of} 个思维中有 ${missing} 个没有得到评分`,
  noSolution: (thoughts) => `${thoughts} 个思维中没有解`,
  full: (nodes) => `思维树已达到 ${nodes} 个节点的上限`,
  noThoughts: (why) => `无法生成思维：${why}`,
  noValues: (why) => `无法评估思维：${why}`,
  doesNotHold: (errors) => `答案不成立${errors.length === 0 ? '' : `：${errors.join('；')}`}`,
  treesAgree: (agreed, of) => `${of} 棵树中有 ${agreed} 棵得到这个答案`,
  verified: '程序验证通过',
  refuted: (errors) => `程序验证不通过${errors.length === 0 ? '' : `：${errors.join('；')}`}`,
  exhausted: '子节点已全部试过',
  notGoodEnough: '没有足够好的子节点',
}

export type SearchWords = typeof en

export const SEARCH_WORDS: Readonly<Record<Language, SearchWords>> = { en, zh }
