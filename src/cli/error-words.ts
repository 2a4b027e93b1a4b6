/**
 * The errors with which a command ends, in the language of its run: by code and data where these say it all, else by their
 * sentence. Programs get them in English (--json).
 */
import type { Missing } from '../kernel/durable.ts'
import type { ErrorData, ResumeChange } from '../protocol/index.ts'
import { reasonInWords } from '../views/reason-words.ts'
import { type Lang, wordsOf } from '../views/words.ts'

/** Longer messages are not translated. */
const MAX_CHARS = 8_000

export function errorInWords(error: ErrorData, lang: Lang): string {
  if (lang === 'en') return error.message
  const known = BY_DATA[error.code]?.(error.data ?? {})
  if (known !== undefined) return known
  if (error.message.length > MAX_CHARS) return error.message
  const said = PHRASES.reduce((text, [pattern, words]) => text.replace(pattern, words), error.message)
  return reasonInWords(said, lang, error.code)
}

/** Under the message of an error that nobody should ever see. */
export function bugText(lang: Lang): string {
  return lang === 'en' ? 'This is a bug in thinkon.' : '这是 thinkon 的一个缺陷。'
}

type Data = Readonly<Record<string, unknown>>

const BY_DATA: Partial<Record<ErrorData['code'], (data: Data) => string | undefined>> = {
  NO_MODEL: cannotResume,
  NO_SUCH_STRATEGY: cannotResume,
  NO_SUCH_TOOL: cannotResume,
  VERSION_MISMATCH: cannotResume,
  REPLAY_DIFFERS({ run, changes, others = [] }) {
    if (!Array.isArray(changes)) return undefined
    const list = [wordsOf('zh').changed(changes as ResumeChange[]), ...(others as string[])].join('；')
    return `运行 ${run} 未继续，保持原样，因为要求没有变化（--strict），而${list}。不加 --strict 则按现在的情况继续。`
  },
  STORE_WAL_MISSING: ({ store, wal }) =>
    `存储 ${store} 缺少 ${wal}，最后写入的内容（可能包括整个运行）都在其中：请把该文件放回存储旁边，或恢复备份；thinkon doctor --store ${store} --accept-loss 则放弃这些内容`,
  RUN_LOCKED: ({ run, by }) =>
    run === undefined || by === undefined
      ? undefined
      : `运行 ${run} 正由 ${by} 执行：可以从这里干预（skip、redo、answer、message、cancel），或等它结束`,
}

function cannotResume({ run, missing }: Data): string | undefined {
  if (!Array.isArray(missing)) return undefined
  const all = missing as Missing[]
  const list = all.map(({ what }) => PARTS.reduce((text, [part, words]) => text.replace(part, words), what))
  const codes = new Set(all.map(({ code }) => code))
  const ways = [
    ...(codes.has('NO_SUCH_STRATEGY') || codes.has('NO_SUCH_TOOL') ? ['把缺少的加入配置'] : []),
    ...(codes.has('NO_MODEL') ? ['用 --model 选择另一个模型'] : []),
  ]
  const way = ways.length === 0 ? '' : `请用启动它的程序和选项来继续，或${ways.join('，并')}。`
  return `运行 ${run} 在这里无法继续，保持原样。这里没有：${list.join('；')}。${way}`
}

const PARTS: readonly (readonly [RegExp, string])[] = [
  [/^the model (?=")/, '模型 '],
  [/^the strategy (?=")/, '策略 '],
  [/^the tool (?=")/, '工具 '],
]

const PHRASES: readonly (readonly [RegExp, string])[] = [
  [
    /^run (\S+), block (\S+) was begun by (\S+), here is (\S+)\. Resume it with the older version of thinkon, or fork before the block: /,
    '运行 $1 的块 $2 由 $3 开始，这里是 $4。请用旧版 thinkon 继续，或在该块之前分叉：',
  ],
  [/^the goal is empty: say what you want done$/, '目标是空的：请说明要做什么'],
  [
    /^a goal as JSON has the four parts intent, deliverable, metric, constraint: /,
    '以 JSON 给出的目标有四个部分 intent、deliverable、metric、constraint：',
  ],
  [/("(?:intent|deliverable|metric|constraint)") is missing/g, '缺少 $1'],
  [/("(?:intent|deliverable|metric|constraint)") must be a text/g, '$1 须为文本'],
  [/("[^"]*") is not one of them/g, '$1 不在其中'],
  [/^there is no command ("[^"]*")/, '没有命令 $1'],
  [/ \(thinkon help lists the commands\)$/, '（thinkon help 列出全部命令）'],
  [/^a goal needs a command: /, '目标前面要有命令：'],
  [/^(thinkon \S+) needs /, '$1 需要 '],
  [
    /^(thinkon \S+) takes (.+); ("[^"]*") is one too many \(quote texts that contain spaces\)/,
    '$1 只接受 $2；$3 是多余的（含空格的文字请加引号）',
  ],
  [/^(--\S+) takes no value/, '$1 不带值'],
  [
    /^(--\S+) needs a value; write (--\S+) for one that begins with a dash/,
    '$1 需要一个值；若以短横线开头，请写作 $2',
  ],
  [/; see thinkon (.+) --help$/, '；见 thinkon $1 --help'],
  [/^unknown option (\S+)/, '没有选项 $1'],
  [/ \(thinkon (\S+) --help lists the options\)$/, '（thinkon $1 --help 列出全部选项）'],
  [/^(thinkon \S+|\S+) has no option ("[^"]*")/, '$1 没有选项 $2'],
  [/ \(did you mean ("[^"]*")\?\)/, '（是否指 $1？）'],
  [/[:;,]? did you mean ("[^"]*")\?/, '；是否指 $1？'],
  [/; it has: /, '；它有：'],
  [/; there are:? /, '；可用的有：'],
  [/^(--\S+) must be a whole number of (\d+) or more, not /, '$1 须为不小于 $2 的整数，而非 '],
  [/^(--\S+) must be a number, not /, '$1 须为数字，而非 '],
  [/^(--\S+) must be an amount such as 0\.50, not /, '$1 须为金额，例如 0.50，而非 '],
  [/^(--\S+) must be a (?:time|duration) such as (.+), not /, '$1 须为时间，例如 $2，而非 '],
  [/^(--\S+) must be (.+) or (\S+), not /, '$1 须为 $2 或 $3，而非 '],
  [/^(--\S+) must be key=value, not /, '$1 须为 key=value，而非 '],
  [/^(--\S+) is not JSON: /, '$1 不是 JSON：'],
  [/^(--\S+) is empty: give a file$/, '$1 是空的：请给出文件'],
  [/^can't use the model ("[^"]*"): /, '无法使用模型 $1：'],
  [/it names no provider/, '没有写明提供方'],
  [/it begins with ("[^"]*"), which is unknown/, '开头的 $1 未知'],
  [/it names no (?:file|model): write /, '没有写全：应写作 '],
  [
    /^(\S+) needs a key: set (.+) in the environment, or apiKey in the configuration$/,
    '$1 需要密钥：请在环境中设置 $2，或在配置中设置 apiKey',
  ],
  [/^there are no runs yet$/, '还没有运行'],
  [
    /^there is no run ("[^"]*") in this store; thinkon list shows the runs$/,
    '存储中没有运行 $1；thinkon list 列出所有运行',
  ],
  [/^there is no run ("[^"]*"): there is no store (\S+) yet$/, '没有运行 $1：还没有存储文件 $2'],
  [/^there are no runs: there is no store (\S+) yet$/, '没有运行：还没有存储文件 $1'],
  [/^("[^"]*") matches (\d+) runs: /, '有 $2 个运行符合 $1：'],
  [
    /^(\S+) asks a question, and nobody can answer a run in memory: use --yes or a store file$/,
    '$1 在提问，而内存中的运行没有人能回答：请用 --yes 或存储文件',
  ],
  [/^the workspace (\S+) is not a folder$/, '工作区 $1 不是文件夹'],
  [
    /^run (\S+): the limit (\S+) is (\S+) and can't be lowered to (\S+): a run that is resumed can only be given more$/,
    '运行 $1：上限 $2 为 $3，不能降到 $4：继续运行时只能增加',
  ],
  [
    /^(--\S+) is for a run that is resumed: add --resume, or give it to thinkon resume$/,
    '$1 用于继续的运行：请加 --resume，或交给 thinkon resume',
  ],
  [
    /^run (\S+) waits for the model: ([\s\S]*); when the model can be reached again: (thinkon resume \S+)$/,
    '运行 $1 在等待模型：$2；恢复连接后请用：$3',
  ],
  [/^run (\S+) has events 1 to (\d+); (\d+) is not one of them$/, '运行 $1 有事件 1 至 $2，其中没有 $3'],
  [
    /^("[^"]*") is not a path: 1 is the root, 1-2 its second child, 1-2#2 a second attempt$/,
    '$1 不是路径：1 是根，1-2 是它的第二个子块，1-2#2 是第二次尝试',
  ],
]
