/**
 * Whether an item of a plan orders what is to be done, or claims what is the case. "Read the log, then restart it" is an order; "Both workers
 * read the row, then write it" is a hypothesis about a race, and may tell the order of events.
 */

/** Verbs that are hardly ever nouns: "First verify …" is an order. */
const VERB =
  '(?:add|analy[sz]e|collect|compare|configure|confirm|create|define|delete|determine|disable|enable|ensure|examine|extract|fetch|find|gather|generate|identify|implement|inspect|install|investigate|make|prepare|remove|reproduce|restart|validate|verify)\\b'
/** Verbs that may be nouns: "First run the tests" is an order, "First run fails" is a claim. */
const NOUN_VERB =
  '(?:build|call|check|clean|copy|deploy|list|load|log|look|measure|merge|move|open|query|read|review|run|search|send|set|start|stop|test|try|update|use|write)'
export const ORDER = `(?:${VERB}|${NOUN_VERB}\\s+(?:a|all|an|any|at|both|each|every|for|how|if|into|it|its|logs|our|that|the|their|them|these|this|tests|those|what|where|whether|which|why|your)\\b)`
/** Where a sentence or one of its clauses begins. */
export const START = '(?<=^[\\s\\d.)]*|[.;:!?,，；：。—–]\\s*|\\band\\s+)'

/** No order begins later. */
const MAX_READ = 4_000

/** Whether the item is a clear order: "Check the gateway log", "检查 Token 是否过期". A name may begin like one: "Test runs fail". */
export function isOrder(item: string): boolean {
  const text = item.slice(0, MAX_READ)
  return (
    CLEAR_ORDER.test(text) ||
    /^[\s\d.、)]*(?:检查|查看|确认|验证|核对|排查|测试|分析)[^，。；]*(?:是否|有没有)/u.test(text)
  )
}

/** Whether sequence words in it order what is to be done. */
export function isDoing(text: string): boolean {
  const claim = text.replace(LABEL, '')
  if (ORDERS_FIRST.test(claim) || PERSON_DOES.test(claim) || DONE_BY_US.test(claim)) return true
  if (!/\p{Script=Han}/u.test(claim)) return false
  return isDoingInChinese(claim.replace(CIRCUMSTANCE, ''))
}

/** Chinese shows neither person nor tense: what begins with a sequence word or the verb of an investigation is done by us. */
function isDoingInChinese(claim: string): boolean {
  const forms = [BEGINS_WITH_VERB, BEGINS_WITH_SEQUENCE_AND_VERB, GOES_ON_WITH_VERB]
  if (forms.some((form) => form.test(claim))) return true
  return BEGINS_WITH_SEQUENCE.test(claim) && !EVENTS.test(claim)
}

const LABEL = /^[\s\d.、)]*(?:(?:hypothesis|h|假设)\s*(?:\d+\s*)?[:：])?\s*/iu
const DETERMINED =
  '\\s+(?:a|all|an|any|both|each|every|how|it|its|our|that|the|their|them|these|this|those|what|where|whether|which|why|your)\\b'
const CLEAR_ORDER = new RegExp(`^[\\s\\d.)]*(?:${VERB}|${NOUN_VERB})${DETERMINED}`, 'i')
/** An order, or a sequence word, with which the item begins, or a sentence of it with both. */
const ORDERS_FIRST = new RegExp(
  `^(?:${ORDER}|then\\b|(?:after\\s+(?:that|this)|afterwards?|thereafter|subsequently)(?:,|\\s+${ORDER}))|(?:^|[.;:!?]\\s*)then\\s+${ORDER}`,
  'i',
)
const PERSON_DOES =
  /\b(?:we|you|let's|please)\b|我们|咱们|(?:^|[，,；;。：:])请(?!求)|(?:应该?|需要?|必须|可以?|要|建议)(?:首?先|再)/iu
/** The passive of what is done in an investigation: "The gateway is restarted, then the login is tried". */
const DONE_BY_US =
  /\b(?:is|are|be)\s+(?:checked|collected|compared|deployed|examined|inspected|installed|investigated|looked|measured|rebooted|reinstalled|reproduced|restarted|reviewed|rolled\s+back|tested|tried|verified)\b/i

/** 在高并发下，… */
const CIRCUMSTANCE = /^(?:在|当)?[^，,。；]{0,20}?(?:下|时|期间|过程中|场景中)[，,]\s*/u
/** What only who investigates does; programs read, write and run things, too. */
const LOOKS_INTO =
  '检查|查看|查询|查找|查阅|排查|看|确认|验证|核对|核实|分析|收集|采集|汇总|整理|对比|比对|比较|测试|测量|压测|重启|复现|定位|修复|回滚|搜索|梳理'
/** Not where it belongs to a name: 部署脚本, 检查点. */
const DOES = `(?:${LOOKS_INTO}|运行|执行|修改|部署|安装|打开|点击|进行|判断|观察|抓取|编写|生成)(?!脚本|服务|环境|任务|流程|程序|器|点|线程|进程|节点|阶段|平台|逻辑|请求|操作)`
const SEQUENCE = '(?:首先|先|再|然后|接着|随后|最后|其次|接下来)'
const BEGINS_WITH_VERB = new RegExp(
  `^(?:(?:通过|使用|利用|用|从|根据)[^，,。；]{0,12}?)?${DOES}[^，,。；]*[，,；]?\\s*${SEQUENCE}`,
  'u',
)
const BEGINS_WITH_SEQUENCE_AND_VERB = new RegExp(
  `^${SEQUENCE}[，,、]?\\s*(?:对|把|将|在|从|用)?[^，,。；]{0,6}?${DOES}`,
  'u',
)
const BEGINS_WITH_SEQUENCE = new RegExp(`^${SEQUENCE}`, 'u')
const GOES_ON_WITH_VERB = new RegExp(`[，,；;。]\\s*${SEQUENCE}\\s*(?:${LOOKS_INTO})`, 'u')
/** What happens between events that nobody orders. */
const EVENTS =
  /导致|造成|引起|引发|致使|使得|竞态|竞争|并发|死锁|乱序|时序|覆盖|丢失|脏读|幻读|不一致|过期|失效|超时/u
