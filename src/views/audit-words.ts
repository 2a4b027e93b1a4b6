/** The words of the audit, in English and Chinese. `todo` and `done` are names and not translated. */
import type { Lang } from './words.ts'

export interface AuditWords {
  /** Marks where a text was shortened. */
  leftOut(chars: number): string
  /** Stands for the hidden part of a system message. */
  folded(lines: number, chars: number): string
  nothing: string
  tools: string
  settings: string
  wants: string
  closing: string
  edited: string
  failed: string
  repaired: string
  raw: string
  asks(n: number): string
  ask(n: number): string
  cutOff: string
  estimated: string
  tool: string
  denied: string
  calls: string
  winner(n: number): string
  note: string
  outside: string
  reason: string
  details: string
  value: string
  redo: string
  timeUp: string
  to: string
  begins: string
  limits: string
  options: string
  runBegins: string
  runResumed: string
  runEnds: string
  open: string
}

const en: AuditWords = {
  leftOut: (chars) => `[… ${count(chars)} characters left out: --full]`,
  folded: (lines, chars) =>
    `[… ${lines > 0 ? `${count(lines)} more lines, ` : ''}${count(chars)} characters: --full]`,
  nothing: '(nothing)',
  tools: 'tools',
  settings: 'settings',
  wants: 'calls tool',
  closing: 'closing',
  edited: 'as edited by a person',
  failed: 'failed',
  repaired: 'repaired',
  raw: 'raw reply',
  asks: (n) => `asked ${n} times`,
  ask: (n) => `ask ${n}`,
  cutOff: 'cut off',
  estimated: 'estimated',
  tool: 'tool',
  denied: 'denied',
  calls: 'call',
  winner: (n) => `#${n} ended first`,
  note: 'note',
  outside: 'ended by a signal',
  reason: 'reason',
  details: 'details',
  value: 'value',
  redo: 'to be redone',
  timeUp: 'timed out',
  to: 'to',
  begins: 'begins',
  limits: 'limits',
  options: 'options',
  runBegins: 'the run begins',
  runResumed: 'another process resumes the run',
  runEnds: 'the run ends',
  open: 'not ended yet',
}

const zh: AuditWords = {
  leftOut: (chars) => `[… 省略 ${count(chars)} 个字符：--full]`,
  folded: (lines, chars) =>
    `[… 另有 ${lines > 0 ? `${count(lines)} 行、` : ''}${count(chars)} 个字符：--full]`,
  nothing: '（空）',
  tools: '工具',
  settings: '设置',
  wants: '要求调用工具',
  closing: '收束',
  edited: '由人改过',
  failed: '失败',
  repaired: '已修复',
  raw: '原文',
  asks: (n) => `问了 ${n} 次`,
  ask: (n) => `第 ${n} 问`,
  cutOff: '被截断',
  estimated: '估算',
  tool: '工具',
  denied: '被拒绝',
  calls: '调用',
  winner: (n) => `#${n} 最先结束`,
  note: '备注',
  outside: '由外部结束',
  reason: '原因',
  details: '详情',
  value: '值',
  redo: '将重做',
  timeUp: '超时',
  to: '发给',
  begins: '开始',
  limits: '限额',
  options: '选项',
  runBegins: '运行开始',
  runResumed: '另一个进程接着运行',
  runEnds: '运行结束',
  open: '尚未结束',
}

const WORDS: Record<Lang, AuditWords> = { en, zh }

export function auditWordsOf(lang: Lang): AuditWords {
  return WORDS[lang]
}

function count(n: number): string {
  return n.toLocaleString('en-US')
}
