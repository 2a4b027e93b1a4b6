/** The words of the planner's form, in English and Chinese. */
import type { Lang } from '../../../views/words.ts'
import type { Observation } from '../notes.ts'
import type { Hypothesis, PlanType } from '../schema.ts'

export interface FormWords {
  readonly root: string
  readonly gates: string
  readonly gap: string
  readonly hasGap: string
  readonly noGap: string
  readonly atomic: string
  readonly isAtomic: string
  readonly notAtomic: string
  readonly notAsked: string
  readonly hypotheses: string
  readonly children: string
  readonly steps: string
  readonly executor: string
  readonly refused: string
  readonly success: string
  readonly types: Readonly<Record<PlanType, string>>
  readonly probes: Readonly<Record<Hypothesis['state'], string>>
  readonly observed: Readonly<Record<Observation['verdict'], string>>
}

export const FORM_WORDS: Readonly<Record<Lang, FormWords>> = {
  en: {
    root: 'goal of the run',
    gates: 'Two gates',
    gap: 'Is there something that must be known first?',
    hasGap: 'Yes: hypotheses are probed.',
    noGap: 'No.',
    atomic: 'Can an executor do it in one call?',
    isAtomic: 'Yes: it is executed.',
    notAtomic: 'No: it is split into steps.',
    notAsked: 'Not asked: probes come first.',
    hypotheses: 'Hypotheses',
    children: 'Sub-goals',
    steps: 'Steps to do',
    executor: 'Executor and observations',
    refused: 'Replies that were refused',
    success: 'success',
    types: { PLAN_PROBES: 'probes', PLAN_STEPS: 'steps', EXECUTE: 'execute' },
    probes: {
      open: 'open',
      tested: 'tested',
      confirmed: 'confirmed',
      refuted: 'refuted',
      undecided: 'undecided',
    },
    observed: { met: 'met', unmet: 'not met', unknown: 'unknown' },
  },
  zh: {
    root: '运行的目标',
    gates: '双门槛判定',
    gap: '是否存在必须先弄清的未知？',
    hasGap: '是：检验假设。',
    noGap: '否。',
    atomic: '执行器能否一次调用完成？',
    isAtomic: '能：直接执行。',
    notAtomic: '不能：拆成步骤。',
    notAsked: '未判定：先检验假设。',
    hypotheses: '假设',
    children: '子目标',
    steps: '待办步骤',
    executor: '执行与观测',
    refused: '被拒绝的回复',
    success: '成功信号',
    types: { PLAN_PROBES: '检验', PLAN_STEPS: '步骤', EXECUTE: '执行' },
    probes: { open: '待检验', tested: '已检验', confirmed: '证实', refuted: '证伪', undecided: '未决' },
    observed: { met: '符合', unmet: '不符', unknown: '未知' },
  },
}
