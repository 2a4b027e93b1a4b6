/** What the commands that steer, fork and check a run say, in its language. Commands to copy stay as they are. */
import type { Status } from '../protocol/index.ts'
import { type Lang, wordsOf } from '../views/words.ts'

const en = {
  see: (command: string) => `see: ${command}`,
  onResume: (command: string) => `nothing is working on this run; it takes effect on resume: ${command}`,
  followed: (said: string, next: string) => `${said}; ${next}`,
  noBlock: (run: string, path: string, near: string) =>
    `run ${run} has no block ${path}; near it: ${near || 'none'}`,
  notSteered: (run: string, status: Status, redo: string) =>
    `run ${run} has ended (${status}) and can't be steered; to redo a part of it: ${redo}`,
  blockEnded: (path: string, status: Status, open: string | null, redo: string | null) =>
    `block ${path} has ended (${status})${open === null ? '' : `; its latest attempt ${open} is still running`}${
      redo === null ? '' : `; to redo it: ${redo}`
    }`,
  hasEnded: (run: string, status: Status, show?: string) =>
    `run ${run} has ended already (${status})${show === undefined ? '' : `: ${show}`}`,
  noMore: (fork: string) =>
    `it can't be given more; a fork from before it reached its limit can: ${fork} --max-…`,
  answered: (value: string) => `answered "${value}"`,
  noQuestions: 'there are no open questions',
  noQuestionId: (text: string) =>
    `"${text}" is not the number of a question: thinkon questions lists the open ones`,
  cancelSent: (run: string) => `cancel sent: run ${run} ends with what it has`,
  cancelled: (run: string, show: string) => `run ${run} is cancelled; see: ${show}`,
  skipSent: (path: string, parent: string | null) =>
    `skip sent to ${path}: it ends with what it has, ${
      parent === null ? 'the whole run ends as skipped' : `its parent ${parent} continues`
    }`,
  messageSent: (path: string) => `message sent to ${path}: it reads it before its next step`,
  redoStops: (path: string, parent: string, next: string) =>
    `redo sent for ${path}: it is stopped, and ${parent} calls ${next} in its place`,
  redoAfter: (path: string, parent: string, next: string) =>
    `redo sent for ${path}: ${parent} calls ${next} after its current step; what came later stands`,
  redoRoot: (run: string, cancel: string, root: string) =>
    `run ${run} has not ended: cancel it first (${cancel}), then redo ${root}`,
  noRedo: (path: string, parent: string, instead: { path: string; command: string } | null) =>
    `block ${path} can't be redone: its parent ${parent} has ended${
      instead === null ? '' : `; redo ${instead.path} instead: ${instead.command}`
    }`,
  redoFork: (id: string, run: string, path: string) =>
    `run ${id} has ended: run ${run} redoes ${path}, and keeps what does not depend on it`,
  fork: (run: string, at: number, id: string, isEdited: boolean) =>
    `run ${run} shares events 1 to ${at} of ${id}${isEdited ? `, with event ${at} edited` : ''}`,
  notRolledBack: 'files and other side effects are not rolled back',
  pastEvents: (run: string, last: number, from: number) =>
    `run ${run} has events 1 to ${last}; --from ${from} is past them`,
  replayed: (differences: number, blocks: number, operations: number, status: Status | null) =>
    `${differences === 0 ? 'equal' : `differs in ${count(differences, 'place')}`}: ${count(blocks, 'block')}, ${count(
      operations,
      'operation',
    )}, nothing was called; ${status === null ? 'the run has not ended yet' : `it ended ${status}`}`,
  operation: (n: number) => `operation ${n}`,
  event: (seq: number) => `event ${seq}`,
  otherBlocks: (path: string, others: readonly string[]) =>
    `this is block ${path}; --path shows another: ${others.join(', ')}`,
  noRuns: (store: string) => `no runs yet in ${store}`,
  noStore: (store: string) => `no runs yet: there is no store ${store}`,
  noSuchRuns: (store: string) => `no such runs in ${store}`,
  moreRuns: (n: number) => `and ${n} more; --limit 0 lists all`,
  spansOpen: (run: string, n: number) =>
    `run ${run} has not ended: ${count(n, 'span')} that ${n === 1 ? 'is' : 'are'} open ${n === 1 ? 'is' : 'are'} not in the trace yet`,
  traceSent: ({ run, trace, spans, to }: SentTrace) =>
    `sent ${count(spans, 'span')} of run ${run} to ${to}: trace ${trace}`,
  noReceiver: `no receiver of traces is configured: set OTEL_EXPORTER_OTLP_ENDPOINT, or telemetry.endpoint in the configuration`,
}

interface SentTrace {
  readonly run: string
  readonly trace: string
  readonly spans: number
  readonly to: string
}

export type CommandWords = typeof en

const zh: CommandWords = {
  see: (command) => `查看：${command}`,
  onResume: (command) => `目前没有进程在执行这个运行，继续时生效：${command}`,
  followed: (said, next) => `${said}；${next}`,
  noBlock: (run, path, near) => `运行 ${run} 没有块 ${path}；附近的块：${near || '无'}`,
  notSteered: (run, status, redo) =>
    `运行 ${run} 已结束（${ended(status)}），不能再干预；要重做其中一部分：${redo}`,
  blockEnded: (path, status, open, redo) =>
    `块 ${path} 已结束（${ended(status)}）${open === null ? '' : `；最近一次尝试 ${open} 仍在执行`}${
      redo === null ? '' : `；要重做：${redo}`
    }`,
  hasEnded: (run, status, show) =>
    `运行 ${run} 已经结束（${ended(status)}）${show === undefined ? '' : `：${show}`}`,
  noMore: (fork) => `不能再给它额度；从达到上限之前分叉则可以：${fork} --max-…`,
  answered: (value) => `已回答“${value}”`,
  noQuestions: '没有待回答的问题',
  noQuestionId: (text) => `“${text}”不是问题的编号：thinkon questions 列出待回答的问题`,
  cancelSent: (run) => `已发出取消：运行 ${run} 以现有结果结束`,
  cancelled: (run, show) => `运行 ${run} 已取消；查看：${show}`,
  skipSent: (path, parent) =>
    `已向 ${path} 发出跳过：它以现有结果结束，${parent === null ? '整个运行记为已跳过' : `上层的 ${parent} 继续`}`,
  messageSent: (path) => `已向 ${path} 发出消息：它在下一步之前读取`,
  redoStops: (path, parent, next) => `已要求重做 ${path}：它被停止，由 ${parent} 改为调用 ${next}`,
  redoAfter: (path, parent, next) =>
    `已要求重做 ${path}：${parent} 在当前一步之后调用 ${next}；其后的结果保留`,
  redoRoot: (run, cancel, root) => `运行 ${run} 尚未结束：请先取消（${cancel}），再重做 ${root}`,
  noRedo: (path, parent, instead) =>
    `块 ${path} 不能重做：上层的 ${parent} 已结束${
      instead === null ? '' : `；可改为重做 ${instead.path}：${instead.command}`
    }`,
  redoFork: (id, run, path) => `运行 ${id} 已结束：由运行 ${run} 重做 ${path}，并保留与它无关的结果`,
  fork: (run, at, id, isEdited) =>
    `运行 ${run} 与 ${id} 共有事件 1 至 ${at}${isEdited ? `，其中事件 ${at} 有改动` : ''}`,
  notRolledBack: '文件和其他副作用不会撤销',
  pastEvents: (run, last, from) => `运行 ${run} 有事件 1 至 ${last}；--from ${from} 超出了范围`,
  replayed: (differences, blocks, operations, status) =>
    `${differences === 0 ? '一致' : `有 ${differences} 处不同`}：${blocks} 块，${operations} 个操作，没有实际调用；${
      status === null ? '运行尚未结束' : `运行的结局：${ended(status)}`
    }`,
  operation: (n) => `操作 ${n}`,
  event: (seq) => `事件 ${seq}`,
  otherBlocks: (path, others) => `这里是块 ${path}；用 --path 查看其他块：${others.join('、')}`,
  noRuns: (store) => `${store} 中还没有运行`,
  noStore: (store) => `还没有运行：没有存储文件 ${store}`,
  noSuchRuns: (store) => `${store} 中没有这样的运行`,
  moreRuns: (n) => `还有 ${n} 个；--limit 0 全部列出`,
  spansOpen: (run, n) => `运行 ${run} 尚未结束：${n} 个未结束的 span 还不在追踪里`,
  traceSent: ({ run, trace, spans, to }) => `已把运行 ${run} 的 ${spans} 个 span 发送到 ${to}：追踪 ${trace}`,
  noReceiver: '没有配置追踪的接收端：请设置 OTEL_EXPORTER_OTLP_ENDPOINT，或在配置里设置 telemetry.endpoint',
}

export function commandWords(lang: Lang): CommandWords {
  return lang === 'zh' ? zh : en
}

function ended(status: Status): string {
  return wordsOf('zh').status[status]
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`
}
