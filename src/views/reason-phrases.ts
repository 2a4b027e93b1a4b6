/**
 * The sentences that Thinkon itself records in English, with their Chinese: those of any failure, and those that are only
 * looked for where the code of the failure says who speaks. A sentence is recognised whole, by its fixed words.
 */
import type { ErrorCode } from '../protocol/index.ts'

export type Phrase = readonly [said: RegExp, words: string | ((...found: string[]) => string)]

const LIMITS: Readonly<Record<string, string>> = {
  depth: '层数',
  tokens: 'token 数',
  calls: '调用次数',
  time: '时间',
  cost: '费用',
}

const STATUS: Readonly<Record<string, string>> = {
  completed: '已完成',
  partial: '部分完成',
  failed: '失败',
  skipped: '已跳过',
  cancelled: '已取消',
  aborted: '已中止',
}

export function statusInChinese(status: string): string {
  return STATUS[status] ?? status
}

/** Limits, loops, and how a block is ended from outside. */
const KERNEL: readonly Phrase[] = [
  [
    /the limit of (depth|tokens|calls|time|cost) \((--[\w-]+)\) is reached/g,
    (_, limit = '', flag) => `已达到${LIMITS[limit]}上限（${flag}）`,
  ],
  [/, and this is only a plan/g, '，这里只是一个计划'],
  [/: (\$?[\d,.]+) of (\$?[\d,.]+) spent/g, '：已用 $1 / $2'],
  [/, (\$?[\d,.]+) held for closing and by calls under way/g, '，为收尾和进行中的调用预留 $1'],
  [/, (\$?[\d,.]+) needed/g, '，还需 $1'],
  [/the limit of thoughts \((--max-thoughts \d+)\) is reached/g, '已达到思考次数上限（$1）'],
  [
    /the limit of iterations \((maxIterations, \d+)\) is reached, and the task is not finished/g,
    '已达到迭代次数上限（$1），任务尚未完成',
  ],
  [/\bskipped by a person\b/g, '被用户跳过'],
  [/\bcancelled by a person\b/g, '被用户取消'],
  [/^its block has ended$/g, '所在的块已结束'],
  [/^to be done again(?=$|:)/g, '将重做'],
  [/^interrupted: it may or may not have happened$/g, '被中断：可能已经生效，也可能没有'],
  [
    /the tool (\S+) with the same input would be the same again without progress/g,
    '用同样的输入调用工具 $1 只会重复，没有进展',
  ],
  [/the sub-goal "(.*)" would be the same again without progress/g, '子目标“$1”只会重复，没有进展'],
  [/the task goes round in circles, though it was told/g, '任务经提醒后仍在原地打转'],
  [
    /the result could not be given as a value that fits the output schema: /g,
    '无法把结果写成符合输出 schema 的值：',
  ],
  [/^no tool "([^"]*)"; there are: none$/g, '没有工具 "$1"，也没有其他工具'],
  [/^no tool "([^"]*)"; there are: /g, '没有工具 "$1"；可用的有：'],
  [/^there is no strategy "([^"]*)"/g, '没有策略 "$1"'],
]

/** Whether a call is permitted. */
const PERMISSION: readonly Phrase[] = [
  [/\ba person said no\b/g, '用户不同意'],
  [
    /^nobody is there to answer: decide yourself, and say what you assumed$/g,
    '没有人可以回答：请自行决定，并说明所作的假设',
  ],
  [
    /^there is nobody to ask: decide yourself, and say what you assumed$/g,
    '没有人可问：请自行决定，并说明所作的假设',
  ],
  [/this call of (\S+) is not allowed: the rule (.*) denies it/g, '不允许这样调用 $1：规则 $2 禁止'],
  [/this call of (\S+) is not allowed: /g, '不允许这样调用 $1：'],
  [
    /this call of (\S+) needs a person's permission, and nobody is there to ask/g,
    '这样调用 $1 需要用户许可，而没有人可问',
  ],
  [/\. Allowed without asking: /g, '。无需询问即允许：'],
  [/(?<=, \S+) and (\d+) more(?=\. Only the person)/g, ' 等，另有 $1 条'],
  [
    /\. Only the person can allow more: in the policy, or with --yes/g,
    '。只有用户可以放宽：在审批规则中，或用 --yes',
  ],
  [
    /^(\S+) (?:needs a person's approval|\((\w+)\) needs permission), and the run has no "approval" and no caller that answers questions: start it with (.*), with (approval: .*), or with (approval: 'allow-all')$/g,
    '$1 需要用户许可，而运行既没有 "approval"，也没有能回答问题的调用者：启动时请给出 $3、$4 或 $5',
  ],
  [/the rule (.*) says so/g, '规则 $1 要求询问'],
  [
    /rules with wildcards allow plain commands only, without variables, substitutions, redirection to files, assignments and the like/g,
    '带通配符的规则只允许简单的命令，不含变量、替换、重定向到文件、赋值等',
  ],
  [/no rule allows (?=`)/g, '没有规则允许 '],
]

/** What strategies end with. */
const STRATEGIES: readonly Phrase[] = [
  [/the reply can't be used: /g, '回复无法使用：'],
  [/thought (\d+) can't be used: /g, '第 $1 个思考无法使用：'],
  [/there is no plan that can be used: /g, '没有可用的计划：'],
  [/(\d+) replies in a row were refused, the last for /g, '连续 $1 次回复被拒绝，最后一次的原因是 '],
  [/it ended with a step of its plan not Done/g, '结束时计划中有一步未完成'],
  [/it ended with (\d+) steps of its plan not Done/g, '结束时计划中有 $1 步未完成'],
  [/the same plan in (\d+) thoughts, without progress/g, '连续 $1 个思考的计划相同，没有进展'],
  [/the plan was not accepted/g, '计划未被接受'],
  [/the whole plan was skipped/g, '整个计划被跳过'],
  [
    /("[^"]*") was aborted(?:: (partial|failed|cancelled)(?=[:;]|$))?/g,
    (_, name = '', status) => `${name} 已中止${status === undefined ? '' : `：${statusInChinese(status)}`}`,
  ],
  [/1 task was not begun/g, '1 个任务未开始'],
  [/(\d+) tasks were not begun/g, '$1 个任务未开始'],
  [/a person ended it here/g, '用户在此结束'],
  [/^(partial|failed|cancelled)(?=: )/g, (_, status = '') => statusInChinese(status)],
  [/^not done again: the result of attempt (\d+) stands$/g, '不再重做：保留第 $1 次的结果'],
  [/^it could not be judged$/g, '无法判断'],
  [/^the classification can not be read$/g, '归类的回复无法读取'],
  [/Think asked for the tool (\S+), and may call none now/g, 'Think 要调用工具 $1，而现在不能调用'],
  [/Think was to correct its result, and planned/g, 'Think 应更正结果，却给出了计划'],
  [/^no candidates came$/g, '没有得到候选'],
  [/^the message can't be used: /g, '消息无法使用：'],
  [/^the answer of (\S+) can't be used: /g, '$1 的回答无法使用：'],
]

/** Why a model gives no reply. What a provider says is left as it is. */
const MODELS: readonly Phrase[] = [
  [
    /\(given up after (\d+) attempts? in ([\d.]+) s: (?:no attempt is left|waiting ([\d.]+) s more would take it past ([\d.]+) s)\)/g,
    (_, tried, spent, wait, most) =>
      `（${spent} 秒内试了 ${tried} 次后放弃：${wait === undefined ? '次数已用完' : `再等 ${wait} 秒会超过 ${most} 秒`}）`,
  ],
  [/nothing came for ([\d.]+) s/g, '$1 秒内没有任何回复'],
  [/the reply stood still for ([\d.]+) s/g, '回复停顿了 $1 秒'],
  [/the reply was cut off before its end/g, '回复中途断开'],
  [/the provider refused to answer \(content filter\)/g, '提供方拒绝回答（内容过滤）'],
  [/Cannot connect to API/g, '无法连接到接口'],
  [/the server sent a web page instead of a reply/g, '服务器返回的是网页，不是回复'],
  [/the server sent an empty reply/g, '服务器返回了空回复'],
  [/the server sent something that is no reply/g, '服务器返回的不是回复'],
  [/the server reported an error/g, '服务器报告了错误'],
  [
    /^the model returned no reply: it needs a "text" and a "usage"$/g,
    '模型没有返回回复：须有 "text" 和 "usage"',
  ],
  [
    /the model's reply to (\S+) at (\S+) could not be read after (\d+) asks: (.*); the raw text is in the error data; a model with structured output, or a stronger one, may do better/g,
    '问了 $3 次，模型在 $2 对 $1 的回复仍无法读取：$4；原文在错误数据中；换用支持结构化输出或更强的模型可能会好些',
  ],
  [
    /the reply to (\S+) is longer than (.+?) and was not read further; if the model may say so much, raise "(\S+)" of the model in the configuration/g,
    '对 $1 的回复超过 $2，未再读取；若模型可以说这么多，请在配置中调高该模型的 "$3"',
  ],
  [
    /(?:the reply to (\S+) is longer than (\d+) tokens|the model had not begun its reply to (\S+) after (\d+) tokens and what it may think), also after (\d+) more requests?; raise "(\S+)" of the model in the configuration/g,
    (_, kind, tokens, unbegun, spent, asked, setting) =>
      `${kind === undefined ? `用了 ${spent} token 和思考的额度，模型仍未开始对 ${unbegun} 的回复` : `对 ${kind} 的回复超过 ${tokens} token`}，再请求 ${asked} 次也是如此；请在配置中调高该模型的 "${setting}"`,
  ],
  [
    /the request has about (\d+) tokens, more than (?:the window of (\d+) tokens|what the server accepts): it was not sent/g,
    (_, tokens, window) =>
      `请求约有 ${tokens} token，超过${window === undefined ? '服务器所能接受的' : `窗口的 ${window} token`}：未发送`,
  ],
  [
    /the request has about (\d+) tokens, and the server reads (\d+): it has dropped the rest without saying so; set OLLAMA_CONTEXT_LENGTH for the server, or num_ctx in the model file/g,
    '请求约有 $1 token，而服务器只读 $2：其余已被悄悄丢弃；请为服务器设置 OLLAMA_CONTEXT_LENGTH，或在模型文件中设置 num_ctx',
  ],
  [
    /(?<!\S)(\S+) needs (\d+) tokens, and the model can be given (\d+): what must be whole \((.*)\) is too long; shorten it, put long material into files, or use a model with a larger window \(`window` in its configuration\)/g,
    '$1 需要 $2 token，而模型只能接受 $3：必须完整的内容（$4）太长；请缩短它，把长材料放进文件，或使用窗口更大的模型（其配置中的 `window`）',
  ],
]

export const ALL: readonly Phrase[] = [...KERNEL, ...PERMISSION, ...STRATEGIES, ...MODELS]

/** What is wrong with a reply: said to the model, which is asked again, and to people. */
export const PROBLEMS: readonly Phrase[] = [
  [/A plan must be one JSON object\./g, '计划须为一个 JSON 对象。'],
  [/it must be one JSON object/g, '须为一个 JSON 对象'],
  [/it was never given/g, '始终没有给出'],
  [
    / is nested deeper than (\d+) levels: plan it when it is executed\./g,
    ' 嵌套超过 $1 层：请在执行时再规划。',
  ],
  [/The task ("[^"]*") has no "subtask_goal"\./g, '任务 $1 没有 "subtask_goal"。'],
  [
    /The name ("[^"]*") is used twice: names must be unique in a plan\./g,
    '名称 $1 用了两次：计划中的名称不得重复。',
  ],
  [/The name ("[^"]*") is taken by a task that is there already\./g, '名称 $1 已被现有任务使用。'],
  [/Tasks wait for each other in a circle: /g, '任务互相等待，形成循环：'],
  [/tasks would wait for each other in a circle: /g, '任务会互相等待，形成循环：'],
  [/There are (\d+) more problems like these\./g, '此类问题还有 $1 个。'],
  [/there is no task (\S+) in this plan/g, '此计划中没有任务 $1'],
  [/task (\S+) ("[^"]*") can't go from (\w+) to (\w+)/g, '任务 $1 $2 不能由 $3 变为 $4'],
  [/the reply is not JSON/g, '回复不是 JSON'],
  [/it must be one mapping with the keys /g, '须为一个映射，含有键 '],
  [/the YAML can't be read: /g, 'YAML 无法读取：'],
  [/ is empty: in the thought that concludes it is the answer/g, ' 为空：在作结的思考中它就是答案'],
  [/the plan is nested more than (\d+) deep at step (\S+)/g, '计划在第 $2 步嵌套超过 $1 层'],
  [/\bstep ([\d.]+): /g, '第 $1 步：'],
  [/ must be one of /g, ' 须为下列之一：'],
  [/ must be (?=\S)/g, ' 须为 '],
  [/, not missing\b/g, '，而它缺失'],
  [/(?<=须为.*), not (?=\S)/g, '，而非 '],
  [/a text that is not empty/g, '非空文本'],
  [/\ba list of task names/g, '任务名称列表'],
  [/\ba list of tasks/g, '任务列表'],
  [/\ba list of steps/g, '步骤列表'],
  [/\ba list of texts/g, '文本列表'],
  [/\b(?:a text|a string)\b/g, '文本'],
  [/\ba list\b/g, '列表'],
  [/\ban object\b/g, '对象'],
  [/\ba number\b/g, '数字'],
  [/\ban integer\b/g, '整数'],
  [/ must have at least (\d+) (?:character|item|field)s?, not (\d+)/g, ' 的长度须至少为 $1，现为 $2'],
  [/ must have at most (\d+) (?:character|item|field)s?, not (\d+)/g, ' 的长度须至多为 $1，现为 $2'],
  [/\bat least (?=\d)/g, '至少 '],
  [/\bat most (?=\d)/g, '至多 '],
  [/ must not be empty/g, ' 不能为空'],
  [/ must match (?=\S)/g, ' 须匹配 '],
  [/ must not have the same item twice/g, ' 不能有重复的项'],
  [/ is not a known field(?=[:;])/g, ' 不是已知的字段'],
  [/true or false without quotes/g, '不加引号的 true 或 false'],
  [/(?<=须为.*) or (?=\S)/g, ' 或 '],
  [/ is missing\b/g, ' 缺失'],
]

/** What the built-in tools could not do. */
const TOOLS: readonly Phrase[] = [
  [/ does not exist$/g, ' 不存在'],
  [/ can't be accessed: permission denied$/g, ' 无法访问：没有权限'],
  [/ was replaced by a link(?: while it was opened)?$/g, ' 被换成了链接'],
  [/ is not in a folder, or is not one$/g, ' 不在文件夹中，或不是文件夹'],
  [/ is a folder$/g, ' 是文件夹'],
  [/ can't be written: the disk is full$/g, ' 无法写入：磁盘已满'],
  [/ is on a read-only disk$/g, ' 在只读磁盘上'],
  [/ is not a regular file$/g, ' 不是普通文件'],
  [/ is outside the workspace$/g, ' 在工作区之外'],
  [/ is not writable by tools$/g, ' 不可由工具写入'],
  [/ already exists; nothing was changed$/g, ' 已存在；没有改动任何内容'],
  [/ is not UTF-8 text \((\d+) bytes\)$/g, ' 不是 UTF-8 文本（$1 字节）'],
  [/ has (\d+) bytes, more than the limit of (\d+)$/g, ' 有 $1 字节，超过上限 $2'],
  [/ has (\d+) lines, none from (\d+)$/g, ' 有 $1 行，第 $2 行起没有内容'],
  [/^`old` does not occur in ([^:]+)/g, '$1 中没有 `old` 的内容'],
  [/^`old` and `new` are the same$/g, '`old` 与 `new` 相同'],
  [/ was changed by someone else in the meantime: read it again$/g, ' 在此期间被别人改动：请重新读取'],
  [/ did not answer within (\d+) ms$/g, ' 在 $1 毫秒内没有应答'],
  [/ can't be reached: (?=\w+$)/g, ' 无法访问：'],
  [/ could not be started: (?=\w+$)/g, ' 无法启动：'],
  [/^refused: the configuration requires a sandbox, but /g, '已拒绝：配置要求沙箱，但'],
  [/^there is no result (?=\S+$)/g, '没有结果 '],
]

/** Only for failures with these codes. */
export const BY_CODE: Partial<Record<ErrorCode, readonly Phrase[]>> = {
  INVALID_FORMAT: PROBLEMS,
  TOOL_ERROR: TOOLS,
}

/** What a program found when it held a result against its goal. */
export const FINDINGS: readonly Phrase[] = [
  [/The goal asks for JSON; the result is not valid JSON\./g, '目标要求 JSON；结果不是有效的 JSON。'],
  [
    /The goal asks for CSV; the result has no rows of values with separators\./g,
    '目标要求 CSV；结果中没有用分隔符隔开的行。',
  ],
  [/The goal asks for a table; the result has none\./g, '目标要求表格；结果中没有。'],
  [
    /The goal asks for the number only; the result has more than that\./g,
    '目标只要求数字；结果中还有别的内容。',
  ],
  [
    /The goal asks for yes or no; the result does not begin with either\./g,
    '目标要求是或否；结果没有以此开头。',
  ],
  [
    /The goal asks for text without Markdown; the result has Markdown in it\./g,
    '目标要求不含 Markdown 的文本；结果中有 Markdown。',
  ],
  [/The goal asks for the file (.+?); it does not exist\./g, '目标要求文件 $1；它不存在。'],
  [/The goal asks for "(.*?)"; the result has no list\./g, '目标要求“$1”；结果中没有列表。'],
  [
    /The goal asks for "(.*?)"; the result has (\d+)(?: to (\d+))?(?: (words|characters|sentences|paragraphs|lines))?\./g,
    (_, asked, low, high, unit = '') =>
      `目标要求“${asked}”；结果有 ${low}${high === undefined ? '' : ` 至 ${high}`} ${UNITS[unit] ?? '个'}。`,
  ],
  [/The result is to be in Chinese, and is not\./g, '结果应为中文，而不是。'],
  [/The result is to be in English, and is not\./g, '结果应为英文，而不是。'],
  [/(?<=^|: )(\S.*) is (\S+); the result does not say so\./g, '$1 等于 $2；结果没有这样说。'],
  [/^In (\S+): (?=目标|结果)/g, '在 $1 中：'],
]

const UNITS: Readonly<Record<string, string>> = {
  words: '个词',
  characters: '个字符',
  sentences: '句',
  paragraphs: '段',
  lines: '行',
}

/** What was looked at to decide whether an observation holds. */
export const EVIDENCE: readonly Phrase[] = [
  [/not phrased in a way that code can check/g, '表述方式无法由程序核对'],
  [/too long to be checked by code/g, '太长，无法由程序核对'],
  [/is not checked by code/g, '不由程序核对'],
  [/it was no process/g, '不是进程'],
  [/the output is cut/g, '输出被截断'],
  [/it is JSON/g, '是 JSON'],
  [/it is not JSON: /g, '不是 JSON：'],
  [/there is no output/g, '没有输出'],
  [/it is empty/g, '为空'],
  [/it has (\d+) characters/g, '有 $1 个字符'],
  [/it was stopped because it timed out/g, '超时被终止'],
  [/it was ended by a signal/g, '被信号终止'],
  [/it was ended by (\S+)/g, '被 $1 终止'],
  [/the exit code is (\d+)/g, '退出码为 $1'],
  [/something like ("(?:[^"\\]|\\.)*") is in it/g, '其中有类似 $1 的内容'],
  [/("(?:[^"\\]|\\.)*") is not in it/g, '其中没有 $1'],
  [/("(?:[^"\\]|\\.)*") is in it/g, '其中有 $1'],
  [/it is not clear whether ("(?:[^"\\]|\\.)*") is meant literally/g, '不清楚 $1 是否指原文'],
  [/it is not clear whether ("[^"]*") is a file/g, '不清楚 $1 是否是文件'],
  [/it does not say which file is meant/g, '没有说明指哪个文件'],
  [/it is that/g, '正是如此'],
  [/it is something else/g, '是别的内容'],
  [/it does not match/g, '不匹配'],
  [/it matches/g, '匹配'],
  [/the expression can't be used: /g, '表达式无法使用：'],
  [/ is too large to be checked/g, ' 太大，无法核对'],
  [/ may not be read here/g, ' 在此不可读取'],
  [/ does not exist/g, ' 不存在'],
  [/ is a folder/g, ' 是文件夹'],
  [/ exists(?=\b)/g, ' 存在'],
  [/\bit is (?=")/g, '内容是 '],
]
