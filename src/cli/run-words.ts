/** What the views say around a run, in its language. Commands to copy stay as they are. */
import type { Lang } from '../views/words.ts'
import { becauseText, doctorWords } from './doctor/words.ts'
import type { Session } from './session.ts'

interface RunWords {
  run: string
  resuming: string
  model: string
  /** Why this model. */
  because(model: Session['model']): string
  inMemory: string
  resume(command: string): string
  withheld(names: string): string
  denied(names: string): string
  stopped(command: string, why: Why): string
  stoppedInMemory(why: Why): string
  /** Of a run of a cluster: commands to look at it, to come back to it, to end it. */
  detached(show: string, resume: string, cancel: string): string
  waitsForModel(why: string): string
  lostInMemory: string
  whenReachable(command: string): string
  logs(folder: string): string
  waiting(command: string): string
  resumeWith(command: string): string
  tryAgain: string
  connecting(servers: string): string
}

/** Why a run was stopped: by a person, because nobody reads its output, or because that can't be written. */
export type Why = 'asked' | 'unread' | 'unwritable'

const STOPPED_EN: Record<Why, string> = {
  asked: 'stopped',
  unread: 'stopped, nobody reads the output any more',
  unwritable: "stopped: the output can't be written",
}
const STOPPED_ZH: Record<Why, string> = {
  asked: '已停止',
  unread: '已停止，输出已无人读取',
  unwritable: '已停止：输出无法写入',
}

const WORDS: Record<Lang, RunWords> = {
  en: {
    run: 'run',
    resuming: 'resuming run',
    model: 'model',
    because: ({ why }) => `(${why})`,
    inMemory: 'in memory, lost when it ends',
    resume: (command) => `resume: ${command}`,
    withheld: (names) =>
      `not offered, as nobody is there to permit it: ${names} (--ask, --yes, or approval in the configuration)`,
    denied: (names) => `not offered, as the rules deny it: ${names}`,
    stopped: (command, why) => `${STOPPED_EN[why]}; resume with: ${command}`,
    stoppedInMemory: (why) => `${STOPPED_EN[why]}; it was in memory and can't be resumed`,
    detached: (show, resume, cancel) =>
      `detached; the run goes on in the cluster\nlook at it: ${show}\ncome back to it: ${resume}\nend it: ${cancel}`,
    waitsForModel: (why) => `waiting for the model: ${why}`,
    lostInMemory: '; the run is in memory, and is lost when this process ends',
    whenReachable: (command) => `when it can be reached again: ${command}`,
    logs: (folder) => `logs: ${folder}`,
    waiting: (command) => `waiting: ${command}`,
    resumeWith: (command) => `resume with: ${command}`,
    connecting: (servers) => `waiting for the MCP servers: ${servers}`,
    tryAgain: 'press Enter to try again, Ctrl-C to leave it waiting',
  },
  zh: {
    run: '运行',
    resuming: '继续运行',
    model: '模型',
    because: (model) => `（${becauseText(model, doctorWords('zh'))}）`,
    inMemory: '只在内存中，结束后即丢失',
    resume: (command) => `继续：${command}`,
    withheld: (names) => `未提供（没有人可以批准）：${names}（可用 --ask、--yes 或配置中的 approval）`,
    denied: (names) => `未提供（规则禁止）：${names}`,
    stopped: (command, why) => `${STOPPED_ZH[why]}；继续请用：${command}`,
    stoppedInMemory: (why) => `${STOPPED_ZH[why]}；它只在内存中，无法继续`,
    detached: (show, resume, cancel) =>
      `已脱离；运行在集群中继续\n查看：${show}\n重新接入：${resume}\n结束：${cancel}`,
    waitsForModel: (why) => `等待模型：${why}`,
    lostInMemory: '；运行只在内存中，进程结束后即丢失',
    whenReachable: (command) => `恢复连接后请用：${command}`,
    logs: (folder) => `日志：${folder}`,
    waiting: (command) => `等待回答：${command}`,
    resumeWith: (command) => `继续请用：${command}`,
    connecting: (servers) => `等待 MCP 服务应答：${servers}`,
    tryAgain: '按 Enter 重试，按 Ctrl-C 让它继续等待',
  },
}

export function stoppedText(why: Why): string {
  return STOPPED_EN[why]
}

export function runWords(lang: Lang): RunWords {
  return WORDS[lang]
}
