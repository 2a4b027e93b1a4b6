/** What the log folder of a search says to people, in English and Chinese. */
import type { Status } from '../../../protocol/index.ts'
import type { Lang } from '../../../views/words.ts'
import type { SearchConfig, TaskType } from '../protocol.ts'

const en = {
  taskType: (type: TaskType) => `📋 Task type: ${type}`,
  config: ({ strategy, branching_factor, max_depth, pruning_threshold, beam_width }: SearchConfig) =>
    `🔍 Search: ${strategy}, branching=${branching_factor}, depth=${max_depth}, threshold=${pruning_threshold}${
      beam_width === undefined ? '' : `, beam=${beam_width}`
    }`,
  decomposing: '📋 Decomposing the problem...',
  decomposed: '✅ Decomposed',
  searchReady: '🔍 [Explorer] Ready to search',
  layerStart: (round: number, nodes: number) =>
    `⏳ [Explorer - layer ${round}] About to expand ${count(nodes, 'node')}`,
  nodesAdded: (round: number, nodes: number, parent: string) =>
    `🌱 [Explorer - layer ${round}] Added ${count(nodes, 'node')} below ${parent}`,
  layerSelected: (round: number, kept: number, pruned: number, merged: number) =>
    `✅ [Explorer - layer ${round}] Kept ${kept}, pruned ${pruned}${merged === 0 ? '' : `, merged ${merged}`}`,
  backtracked: (from: string, to: string) => `↩️ [Explorer] Back from ${from} to ${to}`,
  adjusted: (error: string, change: string) => `⚠️ [Explorer] ${error}, adjusted: ${change}`,
  dropped: (content: string) => `🗑️ [Explorer] Candidate dropped: ${content}`,
  bestPath: (path: string, score: string | null) =>
    `🏆 [Explorer] Best path: ${path}${score === null ? '' : `, score ${score}`}`,
  verified: (answer: string) => `✅ [Explorer] Verified: ${answer}`,
  notVerified: (answer: string) => `❌ [Explorer] Not valid: ${answer}`,
  generating: (parent: string, candidates: number, strategy: string) =>
    `💡 [Generator] Looking for ${count(candidates, 'candidate')} below ${parent} (${strategy})`,
  generated: (candidates: number) => `✓ [Generator] Found ${count(candidates, 'candidate')}`,
  evaluating: (candidates: number, strategy: string) =>
    `⚖️ [Evaluator] Judging ${count(candidates, 'candidate')} (${strategy})`,
  evaluated: (nodes: number, best: string | null) =>
    `✓ [Evaluator] Judged ${count(nodes, 'candidate')}${best === null ? '' : `, best score ${best}`}`,
  remembered: (nodes: number) => `♻️ [Evaluator] ${count(nodes, 'candidate')} with a score that was known`,
  lowScore: (node: string, score: string) => `⚠️ [Evaluator] ${node} scores low: ${score}`,
  synthesizing: (nodes: number) =>
    `🧩 [Synthesizer] Putting the best path together (${count(nodes, 'node')})`,
  answer: (text: string) => `✅ [Synthesizer] Answer: ${text}`,
  failedMessage: (agent: string, code: string, message: string) => `❌ [${agent}] ${code}: ${message}`,
  failedCall: (agent: string, message: string) => `❌ [${agent}] LLM call failed: ${message}`,
  searchComplete: (nodes: number, backtracks: number, calls: number) =>
    `✅ Search complete: ${count(nodes, 'node')}, ${count(backtracks, 'backtrack')}, ${count(calls, 'LLM call')}`,
  ended: {
    completed: '🏁 Task completed',
    partial: '⚠️ Task completed in part',
    failed: '❌ Task failed',
    skipped: '⏭️ Task skipped',
    cancelled: '🛑 Task cancelled',
  } satisfies Record<Status, string>,
  notEnded: '🛑 Task did not end',
  title: '# ToT execution timeline',
  taskId: 'Task ID',
  problem: 'Problem',
  start: 'Task start',
  end: 'Task end',
  data: 'Data',
  total: 'Total time',
  duration: (ms: number) => durationOf(ms, ['h', 'min', 's', 'ms'], ' '),
  statistics: 'Statistics',
  entries: (n: number) => `- Log entries: ${n}`,
  agentCalls: (n: number) => `- Agent calls: ${n}`,
  llmCalls: (n: number) => `- LLM calls: ${n}`,
}

export type LogWords = typeof en

const zh: LogWords = {
  taskType: (type) => `📋 问题类型: ${type}`,
  config: ({ strategy, branching_factor, max_depth, pruning_threshold, beam_width }) =>
    `🔍 配置: ${strategy}, 分支=${branching_factor}, 深度=${max_depth}, 阈值=${pruning_threshold}${
      beam_width === undefined ? '' : `, 束宽=${beam_width}`
    }`,
  decomposing: '📋 开始分解问题...',
  decomposed: '✅ 分解完成',
  searchReady: '🔍 [Explorer] 初始化完成',
  layerStart: (round, nodes) => `⏳ [Explorer - 第${round}层] 准备扩展 ${nodes} 个节点`,
  nodesAdded: (round, nodes, parent) => `🌱 [Explorer - 第${round}层] 在 ${parent} 下新增 ${nodes} 个节点`,
  layerSelected: (round, kept, pruned, merged) =>
    `✅ [Explorer - 第${round}层] 保留 ${kept} 个, 剪枝 ${pruned} 个${merged === 0 ? '' : `, 合并 ${merged} 个`}`,
  backtracked: (from, to) => `↩️ [Explorer] 回溯: ${from} → ${to}`,
  adjusted: (error, change) => `⚠️ [Explorer] ${error}, 调整: ${change}`,
  dropped: (content) => `🗑️ [Explorer] 舍弃候选: ${content}`,
  bestPath: (path, score) => `🏆 [Explorer] 最佳路径: ${path}${score === null ? '' : `, 评分 ${score}`}`,
  verified: (answer) => `✅ [Explorer] 验证通过: ${answer}`,
  notVerified: (answer) => `❌ [Explorer] 验证未通过: ${answer}`,
  generating: (parent, candidates, strategy) =>
    `💡 [Generator] 为 ${parent} 生成 ${candidates} 个候选 (${strategy})`,
  generated: (candidates) => `✓ [Generator] 已生成 ${candidates} 个候选`,
  evaluating: (candidates, strategy) => `⚖️ [Evaluator] 评估 ${candidates} 个候选 (${strategy})`,
  evaluated: (nodes, best) =>
    `✓ [Evaluator] 已评估 ${nodes} 个候选${best === null ? '' : `, 最高分 ${best}`}`,
  remembered: (nodes) => `♻️ [Evaluator] ${nodes} 个候选沿用已知评分`,
  lowScore: (node, score) => `⚠️ [Evaluator] ${node} 评分过低: ${score}`,
  synthesizing: (nodes) => `🧩 [Synthesizer] 整合最佳路径 (${nodes} 个节点)`,
  answer: (text) => `✅ [Synthesizer] 答案: ${text}`,
  failedMessage: en.failedMessage,
  failedCall: (agent, message) => `❌ [${agent}] LLM 调用失败: ${message}`,
  searchComplete: (nodes, backtracks, calls) =>
    `✅ 搜索完成: ${nodes} 个节点, ${backtracks} 次回溯, ${calls} 次 LLM 调用`,
  ended: {
    completed: '🏁 任务完成',
    partial: '⚠️ 任务部分完成',
    failed: '❌ 任务失败',
    skipped: '⏭️ 任务已跳过',
    cancelled: '🛑 任务已取消',
  },
  notEnded: '🛑 任务没有结束',
  title: '# ToT 执行时间线',
  taskId: '任务 ID',
  problem: '问题',
  start: '任务开始',
  end: '任务结束',
  data: '数据',
  total: '总耗时',
  duration: (ms) => durationOf(ms, ['小时', '分', '秒', '毫秒'], ''),
  statistics: '统计信息',
  entries: (n) => `- 总日志条目: ${n} 条`,
  agentCalls: (n) => `- Agent 调用次数: ${n}`,
  llmCalls: (n) => `- LLM 调用次数: ${n} 次`,
}

export const LOG_WORDS: Readonly<Record<Lang, LogWords>> = { en, zh }

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`
}

function durationOf(ms: number, units: readonly [string, string, string, string], space: string): string {
  if (ms < 1_000) return `${ms}${space}${units[3]}`
  const seconds = Math.floor(ms / 1_000)
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
  const first = parts.findIndex((part) => part > 0)
  return parts
    .map((part, i) => `${part}${space}${units[i]}`)
    .slice(first)
    .join(space)
}
