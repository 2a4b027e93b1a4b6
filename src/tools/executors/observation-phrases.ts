/**
 * How people and models phrase what they expect to see after a command, in English and Chinese, as data. A phrase must match
 * the whole clause: anything phrased differently is left to a model.
 *
 * In the patterns {FILE} is a file's name, {FILES} one or several, {TEXT} the expected text, {N} a number, and so on: PARTS.
 * Quoted text has been replaced by marks, so `\uE000` and `\uE001` stand for a quoted FILE or TEXT.
 */

export type TextCheck = 'contains' | 'lacks' | 'is' | 'matches' | 'empty' | 'not-empty'
type FileCheck = 'file-exists' | 'folder-exists' | 'file-missing'
type ExitCheck = 'exit-is' | 'exit-zero' | 'exit-nonzero'
export type Check =
  | ExitCheck
  | FileCheck
  | `${'file' | 'output'}-${TextCheck}`
  | 'output-json'
  | 'output-none'

const QUOTED = '\\uE000\\d+\\uE001'
// Lazy, because Chinese writes the next word without a space.
const PATH = `(?:${QUOTED}|(?:(?![和及与或])[\\p{L}\\p{N}_@+~%./\\\\-])+?)`
const PARTS: Readonly<Record<string, string>> = {
  FILES: `(?<files>${PATH}(?:\\s*(?:、|，|,\\s*and\\b|,|和|及|与|以及|\\band\\b|&)\\s*${PATH})*)`,
  FILE: `(?<files>${PATH})`,
  TEXT: `(?<text>${QUOTED}|\\S.*?)`,
  REGEX: `(?<text>${QUOTED}|/.+/[imsu]*|\\S+)`,
  OUT_EN:
    "(?:the )?(?:command(?:'s)? |program(?:'s)? |script(?:'s)? |console )?(?<out>standard output|standard error|stdout|stderr|output|logs?|console)",
  OUT_ZH:
    '(?:命令|程序|脚本|控制台)?的?(?<out>标准输出|标准错误输出|标准错误|错误输出|输出|日志|控制台|stdout|stderr)(?:内容|结果|信息)?',
  N: '(?<number>-?\\d+)',
  WHO: '(?:the )?(?:command|process|script|program|it)',
  SEARCH: '(?:the )?(?:command|process|script|program|it|search|grep|rg|find|git grep)',
  // "is", "should be", "=" between a subject and its value.
  IS: '(?:\\s*(?:is|was|should be|must be|equals|of|==|=|:|：)\\s*|\\s+)',
  IS_ZH: '\\s*(?:应该?|必须|须|需)?\\s*(?:为|是|等于|==|=|:|：)?\\s*',
  MODAL: '(?:should |must |will |shall |now |also |still )*',
  MODAL_ZH: '(?:应该?|必须|须|需要?|已经?|均|都|能)*',
  TAG: '(?:\\s*(?<tag>tags?|elements?|标签|元素))?',
  THING_ZH: '(?:\\s*(?:的)?(?:字样|字符串|文本|内容|文字|一行|信息|关键字))?',
}

interface Phrase {
  readonly check: Check
  readonly pattern: RegExp
}

/** In the order of the table: of several that match, the first that can be judged counts. */
const phrases = (forms: Readonly<Record<Check, readonly string[]>>): readonly Phrase[] =>
  Object.entries(forms).flatMap(([check, patterns]) =>
    patterns.map((pattern) => ({ check: check as Check, pattern: compiled(pattern) })),
  )

const compiled = (pattern: string) =>
  new RegExp(`^${pattern.replace(/\{([A-Z_]+)\}/g, (_, name: string) => PARTS[name] ?? name)}$`, 'iu')

export const ENGLISH = phrases({
  'exit-is': [
    "(?:the )?(?:(?:command|process|script|program)(?:'s)? )?(?:exit|return)[ -]?(?:code|status|value){IS}(?:exactly )?{N}",
    '(?:{WHO} )?{MODAL}(?:exits?|exited|returns?|returned|ends?|terminates?)(?: with)?(?: an?)?(?: the)?(?: exit)?(?: code| status)?(?: of)? {N}',
    'exit {N}',
  ],
  'exit-zero': [
    '(?:the )?(?:exit|return)[ -]?(?:code|status){IS}(?:zero|success|successful|ok)',
    '(?:an? )?(?:zero|successful) exit(?:[ -](?:code|status))?',
    '{WHO} {MODAL}(?:succeeds?|succeed|succeeded|exits? successfully|exits? cleanly|completes? successfully|runs? successfully)',
    '{WHO} (?:exits|exited|ends) (?:without (?:an )?error|normally)',
  ],
  'exit-nonzero': [
    '(?:the )?(?:exit|return)[ -]?(?:code|status){IS}(?:not (?:zero|0)|non-?\\s?zero|nonzero)',
    '(?:the )?(?:exit|return)[ -]?(?:code|status) ?(?:!=|≠|<>) ?0',
    '(?:an? )?non-?\\s?zero exit(?:[ -](?:code|status))?',
    '(?:{WHO} )?{MODAL}(?:exits?|returns?) (?:with )?(?:an? )?non-?\\s?zero(?: (?:exit )?(?:code|status))?',
    '{WHO} {MODAL}(?:fails?|failed)',
  ],
  'folder-exists': [
    '(?:the |an? )?(?:directory|folder) (?:named |called )?{FILE} {MODAL}(?:exists?|(?:is|was|has been|gets|be) (?:created|present))',
    '(?:the )?{FILE}/? (?:directory|folder) {MODAL}(?:exists?|(?:is|was|has been|gets|be) (?:created|present))',
  ],
  'file-exists': [
    '(?:the |an? |both )?(?:new )?(?:files? )?(?:named |called )?{FILES}(?: files?)? {MODAL}(?:both |all )?exists?(?: (?:in|at|under) the (?:workspace|current directory|working directory))?',
    '(?:the |an? )?(?:new )?(?:files? )?(?:named |called )?{FILES}(?: files?)? {MODAL}(?:(?:is|are|was|were|has been|have been|gets?|be|being) )?(?:created|generated|written|produced|present|saved)(?: successfully)?',
    '(?:creates?|generates?|produces?|writes?|created|generated|there (?:is|are)) (?:the |an? )?(?:new )?(?:files? )?(?:named |called )?{FILES}(?: files?)?',
  ],
  'file-missing': [
    "(?:the )?(?:files? )?{FILES}(?: files?)? (?:does not|doesn't|do not|don't|should not|must not|no longer|should no longer) exists?",
    '(?:the )?(?:files? )?{FILES}(?: files?)? (?:is|are|was|were|has been|have been) (?:deleted|removed|gone|absent|not present|not created)',
  ],
  'file-empty': ['(?:the )?(?:file )?{FILE}(?: file)? (?:is|should be|must be) empty'],
  'file-not-empty': [
    '(?:the )?(?:file )?{FILE}(?: file)? (?:is|should be|must be) (?:not |non-?)empty',
    "(?:the )?(?:file )?{FILE}(?: file)? (?:isn't|should not be|must not be) empty",
  ],
  'output-empty': [
    '{OUT_EN} (?:is|should be|must be) (?:empty|blank)',
    '(?:there is )?no (?<out>output|stdout|stderr)(?: output)?',
    '(?:{SEARCH} )?{MODAL}(?:prints?|outputs?) nothing',
    'nothing (?:on|in|to) (?<out>stdout|stderr)',
  ],
  'output-not-empty': [
    '{OUT_EN} (?:is|should be|must be) (?:not |non-?)empty',
    "{OUT_EN} (?:isn't|must not be) empty",
  ],
  'output-none': [
    '(?:{SEARCH} )?{MODAL}(?:finds?|found|matches|match|returns?|shows?) nothing',
    'nothing (?:is |was )?(?:found|matched)',
    '(?:(?:{SEARCH} )?{MODAL}(?:finds?|found|has|returns?|shows?) |there (?:is|are) )?(?:no|zero) (?:match(?:es)?|hits?|occurrences?)(?: (?:(?:is|are|was|were) )?found)?',
  ],
  'output-json': ['{OUT_EN} (?:is|should be|must be) (?:valid |well-formed )?JSON'],
  'output-matches': [
    '{OUT_EN} {MODAL}(?:matches|match)(?: the)?(?: (?:regex|regexp|pattern|regular expression))? {REGEX}',
  ],
  'output-lacks': [
    "{OUT_EN} (?:does not|doesn't|should not|must not|never) (?:contain|include|show|mention|have)s?(?: the (?:text|string|word|line))? {TEXT}",
    'no {TEXT} in (?:the )?(?<out>output|stdout|stderr|logs?)',
  ],
  'output-contains': [
    '{OUT_EN} {MODAL}(?:contains?|includes?|shows?|has|have|mentions?)(?: the)?(?: (?:text|string|word|line|message))? {TEXT}',
    '(?:{WHO} )?{MODAL}(?:prints|outputs|echoes|logs|print|output)(?: the (?:text|string|word|line))? {TEXT}(?: (?:to|on) (?<out>stdout|stderr))?',
    '{TEXT} (?:appears|is printed|is shown|shows up) (?:in|on|to) (?:the )?(?<out>output|stdout|stderr|console|logs?)',
  ],
  'output-is': [
    '{OUT_EN} (?:is|equals|should be|must be|is exactly|should equal|must equal|==|=)(?: exactly)? {TEXT}',
  ],
  'file-matches': [
    '(?:the )?(?:file )?{FILE}(?: file)? {MODAL}(?:matches|match)(?: the)?(?: (?:regex|regexp|pattern|regular expression))? {REGEX}',
  ],
  'file-lacks': [
    "(?:the )?(?:file )?{FILE}(?: file)? (?:does not|doesn't|should not|must not|no longer) (?:contain|include|have)s?(?: the (?:text|string|word|line))?(?: an?)? {TEXT}{TAG}",
  ],
  'file-is': [
    '(?:the )?(?:content|contents) of (?:the file )?{FILE} (?:is|are|equals?|should be|must be)(?: exactly)? {TEXT}',
    "(?:the )?(?:file )?{FILE}(?:'s)? (?:content|contents) (?:is|are|equals?|should be|must be)(?: exactly)? {TEXT}",
    '(?:the )?(?:file )?{FILE} (?:contains|has) exactly {TEXT}',
  ],
  'file-contains': [
    '(?:the )?(?:file )?{FILE}(?: file)? {MODAL}(?:contains?|includes?|has|have)(?: the)?(?: (?:text|string|word|line))?(?: an?)? {TEXT}{TAG}',
    '(?<same>(?:the )?file|it|and) {MODAL}(?:contains?|includes?|has)(?: the)?(?: (?:text|string|word|line))?(?: an?)? {TEXT}{TAG}',
    '(?<same>)(?:contains|includes)(?: the)?(?: (?:text|string|word|line))?(?: an?)? {TEXT}{TAG}',
    '{TEXT} (?:is|appears) in (?:the )?(?:file )?{FILE}',
  ],
})

export const CHINESE = phrases({
  'exit-is': [
    '(?:命令|进程|脚本|程序)?的?(?:退出|返回|错误|状态)(?:码|值|状态码?|代码){IS_ZH}{N}',
    '(?:命令|进程|脚本|程序)?(?:以|返回)\\s*{N}\\s*(?:退出|结束)?',
  ],
  'exit-zero': [
    '(?:退出|返回)(?:码|值|状态码?|代码){IS_ZH}(?:零|正常)',
    '(?:命令|进程|脚本|程序)?\\s*(?:已|能|应)?(?:执行|运行)?(?:成功)(?:退出|执行|运行|完成|结束)?',
    '(?:命令|进程|脚本|程序)?\\s*(?:已|能|应)?正常(?:退出|结束)',
  ],
  'exit-nonzero': [
    '(?:退出|返回|错误)(?:码|值|状态码?|代码)\\s*(?:应)?(?:为|是)?(?:非\\s*(?:零|0)|不(?:为|是|等于)\\s*(?:零|0)|!=\\s*0|≠\\s*0)',
    '(?:命令|进程|脚本|程序)\\s*(?:应|会)?(?:执行|运行)?失败',
  ],
  'folder-exists': [
    '(?:目录|文件夹)\\s*{FILE}\\s*{MODAL_ZH}(?:存在|被?创建|生成)(?:成功)?',
    '{FILE}\\s*(?:目录|文件夹)\\s*{MODAL_ZH}(?:存在|被?创建|生成)(?:成功)?',
  ],
  'file-missing': [
    '(?:文件)?\\s*{FILES}\\s*(?:文件)?\\s*(?:应|必须|须)?(?:不(?:再)?存在|(?:已)?被?(?:删除|移除)|未生成|未创建)',
    '(?:不存在|没有)(?:文件)\\s*{FILES}',
  ],
  'file-exists': [
    '(?:文件)?\\s*{FILES}\\s*(?:等|两个|三个)?(?:文件)?\\s*{MODAL_ZH}(?:成功)?(?:被)?(?:存在|创建|生成|写入|产生|保存)(?:成功|完成)?',
    '{MODAL_ZH}(?:成功)?(?:生成|创建|产生|写入|新建|存在)(?:了)?(?:文件)?\\s*[:：]?\\s*{FILES}(?:\\s*文件)?',
    '(?:当前|工作)?目录(?:下|中)?(?:存在|有)(?:文件)?\\s*{FILES}(?:\\s*文件)?',
  ],
  'file-not-empty': ['(?:文件)?\\s*{FILE}\\s*(?:文件)?(?:内容)?\\s*(?:应)?(?:不为空|非空|不是空的)'],
  'file-empty': ['(?:文件)?\\s*{FILE}\\s*(?:文件)?(?:内容)?\\s*(?:应)?(?:为空|是空的)'],
  'output-not-empty': ['{OUT_ZH}\\s*(?:应)?(?:不为空|非空|不是空的)', '有(?<out>输出|标准输出|错误输出)'],
  'output-empty': [
    '{OUT_ZH}\\s*(?:应)?(?:为空|是空的)',
    '(?:没有|无)(?:任何)?(?<out>输出|标准输出|错误输出|标准错误输出|标准错误)',
  ],
  'output-none': [
    '(?:命令|grep|搜索|查找)?\\s*(?:应该?)?(?:没有|没|未|无)(?:再)?(?:找到|匹配到?|搜到|查到)(?:任何)?(?:内容|结果|匹配项?)?',
    '(?:没有|无)(?:任何)?匹配(?:项|结果)?',
  ],
  'output-json': ['{OUT_ZH}\\s*(?:应)?(?:为|是)(?:合法的?|有效的?)?\\s*JSON(?:\\s*格式)?'],
  'output-matches': ['{OUT_ZH}\\s*{MODAL_ZH}(?:匹配|符合)(?:正则表达式|正则|模式)?\\s*{REGEX}'],
  'output-lacks': [
    '{OUT_ZH}(?:中|里|内)?\\s*(?:应|须|必须)?(?:没有|(?:不|没有|未)(?:能|得|应)?(?:包含|含有|含|出现|显示|有))\\s*{TEXT}{THING_ZH}',
  ],
  'output-contains': [
    '{OUT_ZH}(?:中|里|内)?\\s*{MODAL_ZH}(?:包含|含有|包括|出现|显示|含|有)(?:了)?\\s*{TEXT}{THING_ZH}',
    '(?:命令|程序|脚本)?\\s*{MODAL_ZH}(?:打印|输出|显示)(?:出|了)?\\s*{TEXT}{THING_ZH}',
  ],
  'output-is': ['{OUT_ZH}\\s*(?:应|必须|须)?(?:为|是|等于|=|:|：)\\s*{TEXT}'],
  'file-matches': [
    '(?:文件)?\\s*{FILE}\\s*(?:文件)?(?:内容)?\\s*{MODAL_ZH}(?:匹配|符合)(?:正则表达式|正则|模式)?\\s*{REGEX}',
  ],
  'file-lacks': [
    '(?:文件)?\\s*{FILE}\\s*(?:文件)?(?:中|里|内)?(?:内容)?\\s*(?:应|须|必须)?(?:不|没有|未)(?:能|得|应)?(?:包含|含有|含|包括|出现)\\s*{TEXT}{TAG}{THING_ZH}',
  ],
  'file-is': ['(?:文件)?\\s*{FILE}\\s*(?:文件)?\\s*的?内容\\s*(?:应|必须|须)?(?:为|是|等于|:|：)\\s*{TEXT}'],
  'file-contains': [
    '(?<same>(?:该|此)?文件(?:中|里|内)?(?:内容)?|内容|其中|且|并)\\s*{MODAL_ZH}(?:包含|含有|包括|含|有)(?:了)?\\s*{TEXT}{TAG}{THING_ZH}',
    '(?<same>)(?:包含|含有|包括)(?:了)?\\s*{TEXT}{TAG}{THING_ZH}',
    '(?:文件)?\\s*{FILE}\\s*(?:文件)?(?:中|里|内)?(?:的)?(?:内容)?(?:中|里|内)?\\s*{MODAL_ZH}(?:包含|含有|包括|含|有)(?:了)?\\s*{TEXT}{TAG}{THING_ZH}',
  ],
})

/** What may separate two clauses of an observation; quoted text is already masked. */
export const BETWEEN_CLAUSES =
  /\s*(?:[;；]|，\s*(?:并且|而且|且|并)?|,\s+(?:and\s+)?|(?:并且|而且|且)|(?<=\s)and\s)\s*/iu

/** Which streams a word refers to. */
export const OUTPUTS: readonly (readonly [RegExp, readonly ('stdout' | 'stderr')[]])[] = [
  [/^(?:stderr|standard error|标准错误输出|标准错误|错误输出)$/i, ['stderr']],
  [/^(?:stdout|standard output|标准输出)$/i, ['stdout']],
]
