/** The words, English and Chinese, by which the rules know what a goal needs and what kind it is. Strong signs only. */

const EXTENSION =
  'csv|tsv|jsonl?|ya?ml|toml|xml|md|txt|log|pdf|docx?|xlsx?|py|m?js|tsx?|jsx|c|cc|cpp|h|hpp|rs|go|java|kt|rb|php|swift|sh|sql|html?|css|ini|cfg|conf|lock|ipynb|parquet|zip|gz|db|sqlite|png|jpe?g|svg'
/** Names of technologies look like files. */
const NO_FILE = '(?:node|vue|next|nuxt|react|express|three|d3|angular|ember|backbone|socket|deno|chart)\\.js'
const FILE_NAME = new RegExp(
  `(?<![\\w.@/])(?!${NO_FILE}\\b)[\\w~./*-]*[\\w*\\p{L}-]\\.(?:${EXTENSION})(?![\\w.]*\\w)`,
  'iu',
)

/** Files by name. */
export const FILE_NAMES: readonly RegExp[] = [
  FILE_NAME,
  /(?<![\w/.])(?:\.{1,2}|~)?\/?(?:src|docs?|tests?|lib|scripts|app|logs?|config|bin|packages|public|assets)\/[\w.*-]*/i,
  /(?<![\w:/.])[a-z_][\w.-]*\/(?=[\s,.;:)]|$)/i,
]

/** Files that are pointed at. */
export const FILES: readonly RegExp[] = [
  /(?:\b(?:in|under|below|of|inside)|[在把看读])\s*`?(?:src|docs|tests?|lib|scripts|logs)\b/i,
  /\b(?:this|our|my|the|your)\s(?:\w+\s)?(?:repo|repository|code ?base|workspace|source code|working (?:tree|directory))\b/i,
  /\b(?:this|the current|my)\s(?:folder|directory|file|script|module|notebook|spreadsheet|package|source|function|class)\b/i,
  /\bthe\s(?:\S+\s)?(?:(?:folder|directory)(?! structure)|logs?|log files?|readme|dockerfile|makefile|changelog|lock ?file|module)\b|\b(?:TODOs?|TODO comments)\b/i,
  /\b(?:usages?|callers?|references|occurrences) (?:of|to) `?(?!an?\b|the\b)\w|\b(?:unused|outdated|missing) (?:dependencies|imports|exports|packages)\b/i,
  /\bthis project\b|\bin (?:the|our|my) project\b|\b(?:all|every|each|which|how many) (?:\w+ )?files?\b/i,
  /(?:这个|该|本|当前|整个|我们的?|此)(?:仓库|项目|工程|目录|文件|文件夹|代码|脚本|工作区)/,
  /(?:仓库|项目|工程|目录|文件夹?|代码库?|日志|源码|脚本)(?:里|中|下|内)|代码库|源码|源代码|把(?:整个)?(?:项目|代码|仓库|工程)/,
  /(?:所有|哪些|几个|多少个?|最大的)文件|代码行数|(?:错误|报错|访问|运行|系统|最近的?)日志|(?:这个|该)(?:函数|方法|类|模块|接口|组件)|依赖(?:里|中|包)/,
]

const PROGRAM = '(?:npm|pnpm|yarn|npx|pip|python3?|node|cargo|go|make|docker|git|pytest|bash|sh|mvn|gradle)'

export const COMMANDS: readonly RegExp[] = [
  /\b(?:re-?)?(?:run|execute|launch)\s(?:`|(?:the|all|this|our|my|its|a|that|it|them|these)\s)(?:\w+\s){0,2}(?:tests?|suite|benchmarks?|script|build|linter|lint|command|program|server|migrations?|app|query|code|it|example)/i,
  new RegExp(`\\b(?:run|execute|with|using)\\s\`?${PROGRAM}\\b`, 'i'),
  new RegExp(`\`${PROGRAM}\\s[^\`]+\``, 'i'),
  /\b(?:npm|pnpm|yarn|pip|cargo|make|git|docker) (?:run|test|install|build|status|log|push|pull|commit|diff|ps)\b/i,
  /(?<!\bwhy )\b(?:do|does|did|are|is|will|have)\b[^.?!]{0,40}\b(?:tests?|builds?|ci|pipeline|lint(?:er)?|type ?check)\b[^.?!]{0,24}\b(?:pass|passing|fail|failing|green|red|succeed|broken)/i,
  /\b(?:does|will|can) (?:it|this|the (?:\w+ )?(?:code|project|app|program|site|package)) (?:still )?(?:build|compile|run|start|type ?check)\b/i,
  /\b(?:install|deploy|compile|restart|commit|push)\s(?:the|this|all|our|my|it|every|dependencies|packages)\b/i,
  /\b(?:the|all|our|my) (?:\w+ )?(?:tests?|ci|build|pipeline) (?:to )?(?:pass|green|work|run)\b|\b(?:which|what|are there|how many)\b.{0,20}\b(?:tests? (?:are|is|were|fail)|skipped tests|failing tests|commits|merge conflicts)\b/i,
  /\b(?:unit|integration|end-to-end) tests for\b|\btest coverage\b|\bis installed\b|\b(?:on|in) this branch\b|\bthe (?:staged|latest|last|recent) (?:changes|commits?)\b/i,
  /\bon this (?:machine|computer|server|system|host)\b|\bdisk space\b|\bwhich process\b|\bport \d{2,5}\b|\buncommitted\b|\b(?:which|what) branch\b/i,
  /(?:运行|执行|跑)(?:一下|一遍|一次|下|这个|所有|全部|整个)?\s*(?:单元|集成|回归)?(?:测试|脚本|命令|基准|程序|构建|用例|`|[a-z][\w./-]*)/i,
  /测试.{0,8}(?:通过|失败|挂|报错|过得去|过吗)|(?:编译|构建).{0,6}(?:通过|成功|失败|报错|得过)|能.{0,4}(?:编译|构建)/,
  /安装(?:依赖|一下|这个)|部署(?:到|这|应用|一下)|提交(?:代码|改动|更改|这)|重启(?:服务|一下)/,
  /(?:最近|上)一?次提交|提交(?:记录|历史)|数据库里|单元测试/,
  /端口.{0,8}(?:占用|进程)|磁盘(?:空间|占用|还)|内存占用|哪个进程|\bgit\b.{0,12}(?:提交|分支|历史|改)|当前分支/i,
]

export const URL = /\bhttps?:\/\/\S+/i

export const NETWORK: readonly RegExp[] = [
  URL,
  /\b(?:download|scrape|crawl)\b/i,
  /\b(?:ping|reachable|is (?:up|down|online))\b/i,
  /\bfetch\b.{0,40}\b(?:page|site|url|api|feed|web)/i,
  /\b(?:latest|newest|current|today'?s|tonight'?s|live)\b.{0,24}\b(?:versions?|releases?|prices?|exchange rate|news|weather|scores?|stock|headlines)\b/i,
  /\b(?:weather|news|price|exchange rate|score)\b.{0,30}\b(?:today|tonight|right now|now|tomorrow)\b/i,
  /\b(?:search|look|check|browse|find|google)\b.{0,40}\b(?:online|on the (?:web|internet)|the web|the internet)\b/i,
  /下载(?!速度|量)|抓取|爬取|上网|联网|网上|在线(?:查|搜)|查(?:一下|查|询)?.{0,16}(?:票|航班|快递|营业时间)|搜索一下|谷歌|百度一下/,
  /(?:今天|今晚|明天|现在|目前|最新|实时|当前|此刻).{0,12}(?:天气|汇率|股价|新闻|版本|比分|行情|气温|油价|票房|多少钱|下雨|下雪|几度)/,
  /(?:最新|实时|当前|今日)(?:的)?.{0,6}(?:价格|售价|排名)/,
  /(?:天气|汇率|股价|新闻|比分|油价).{0,6}(?:今天|现在|目前|最新)|(?:官网|网页|网站)上?.{0,6}(?:写|说|有|内容)/,
]

/** Asks for words about a thing, not for the thing. */
export const HOW_TO =
  /^\W*(?:how (?:do|does|can|should|would|could) (?:i|you|we|one|people|someone)\b|how to\b|what (?:is|are|'s) (?:an?|the (?:difference|purpose|point|meaning))\b|what does .{1,40} (?:mean|stand for)\b|how does .{1,40} work\b|what is .{1,30} (?:for|used for)\W*$|(?:explain|describe)\b.{0,20}\b(?:difference|concept|idea)|define\b)|什么是|(?:是什么|是干什么用?的|什么意思|什么用|什么作用)[?？]?\s*$|有(?:什么|何|哪些)(?:区别|不同|优缺点)|怎么(?!样|回事|都|还|又|会)|怎样|如何/i

/** The thing is here, and not in general. */
export const HERE =
  /\b(?:this|our|my|current)\s(?:\w+\s)?(?:repo|repository|code ?base|project|folder|directory|file|script|code|workspace|branch)\b|(?:这个|该|本|当前|我们的?|此)(?:仓库|项目|工程|目录|文件|文件夹|代码|脚本|分支)|(?:仓库|项目|代码库|目录|文件夹)(?:里|中|下)/i

const OWN = "(?:the|our|my|this|its|that|`[^`]+`|\\w+'s)"
const TECHNICAL =
  '(?:tests?|builds?|ci|pages?|sites?|log-?in|server|service|apis?|endpoints?|apps?|quer(?:y|ies)|database|scripts?|deploy\\w*|pipeline|functions?|parser|tokenizer|code|checkout|requests?|process|worker|jobs?|import|cache|queue|website|container|compiler|program|command|npm test)'
const FAILS =
  '(?:fail|crash|error|exception|hang|slow|leak|time[sd]? ?out|timeout|500|502|503|broken|break|bug|flaky|stuck|wrong|regress|grow|stopped working|not work|doesn.t work|won.t)'

export const TROUBLE: readonly RegExp[] = [
  new RegExp(
    `\\b(?:why|diagnose|debug|troubleshoot|investigate|track down|root cause|find (?:out )?(?:the|what)|figure out)\\b.{0,40}${OWN}?.{0,20}\\b${OWN}\\s(?:\\S+\\s){0,3}${TECHNICAL}\\b.{0,60}${FAILS}`,
    'i',
  ),
  new RegExp(
    `\\b(?:diagnose|debug|troubleshoot|track down|root cause|find (?:out )?(?:the|what))\\b.{0,40}${FAILS}.{0,40}\\b${TECHNICAL}\\b`,
    'i',
  ),
  new RegExp(`\\b(?:debug|troubleshoot)\\s${OWN}\\s`, 'i'),
  new RegExp(
    `\\b${OWN}\\s(?:\\S+\\s){0,3}${TECHNICAL}\\b.{0,40}\\b${FAILS}.{0,60}\\b(?:why|reason|cause|what is (?:going on|wrong|happening)|what's (?:going on|wrong|happening)|find out|look into)\\b`,
    'i',
  ),
  /(?:查明|排查|定位|调试|诊断|根因).{0,24}(?:接口|登录|服务|构建|测试|页面|首页|网页|脚本|程序|系统|线上|CI|请求|内存|任务|报错|故障|代码|查询|数据库|进程|崩溃|部署)/i,
  /(?:接口|登录|服务|构建|测试|页面|首页|网页|脚本|程序|系统|线上|CI|请求|任务|查询|数据库|进程|部署).{0,24}(?:报错|失败|崩溃|变慢|很慢|卡死|卡住|泄漏|超时|异常|在涨|上涨|打不开|无法|挂了?|[45]\d\d).{0,30}(?:查|修好|修复|看看|找出|排查|定位|为什么|为何|原因|怎么回事|哪里的?问题|根因)/i,
  /(?:为什么|为何).{0,20}(?:接口|登录|服务|构建|测试|页面|首页|网页|脚本|程序|CI|请求|部署).{0,16}(?:报错|失败|崩溃|变慢|慢|卡|泄漏|超时|异常|挂)/i,
]

/** A cause is to be found. */
export const INVESTIGATION =
  /\b(?:root cause|diagnose|debug|troubleshoot|investigate|track down|find (?:out )?(?:the cause|why|what)|figure out why|why (?:is|are|does|do|did|has|have|was|were|won't|doesn't|isn't))\b|查明|根因|排查|定位|诊断|调试|为什么|为何|什么原因|哪里的?问题|怎么回事/i
/** A cause is to be found by thinking: the signs are in the goal. */
export const DIAGNOSIS =
  /\b(?:most )?likely (?:cause|reason|explanation)|\bpossible causes?\b|\bwhat (?:could|might) (?:be )?(?:the cause|cause|causing|wrong)|\b(?:root cause|diagnose)\b|可能.{0,6}(?:原因|问题|毛病)|根因|诊断/i

const CHANGE =
  '(?:fix|add|rename|update|upgrade|bump|remove|delete|replace|change|convert|refactor|move|implement|patch|edit|modify|clean up|correct|extend|support|introduce|split|extract)'
const CODE =
  '(?:flags?|commands?|functions?|class(?:es)?|modules?|endpoints?|tests?|components?|dependenc(?:y|ies)|imports?|config(?:uration)?|buttons?|page|bug|type|types|parser|handler|api|route|schema|migration|warnings?|lint|option|field|column|code)'
const CHANGE_ZH =
  '(?:修复|修好|修一下|修改|改掉|重命名|更新|升级|添加|增加|加上|加一个|删除|删掉|替换|重构|改成|改为|移动|迁移|转换|实现|拆分|补上|补充|换成|换掉)'

/** Changes to what is there. */
export const CHANGES: readonly RegExp[] = [
  new RegExp(`^\\W*(?:please )?${CHANGE}\\b|\\b(?:and|then) (?:then )?${CHANGE}\\b`, 'i'),
  /[,;.] ?(?:please )?fix (?:it|this|that|them)\b/i,
  /^\W*(?:make|get)\b.{0,40}\b(?:pass|green|work|compile|build)\b|^\W*write\b.{0,30}\btests\b/i,
  new RegExp(CHANGE_ZH),
]

export const CODE_CHANGE: readonly RegExp[] = [
  new RegExp(
    `^\\W*(?:please )?${CHANGE}\\s(?:(?:the|our|this|all|every|its|any)\\b.{0,60}\\b${CODE}\\b|.{0,60}\\b(?:to|in|of|from) (?:the|our|this|all|every) (?:\\S+ ){0,3}${CODE}\\b)`,
    'i',
  ),
  /\b(?:across|throughout) (?:the|our|this) (?:project|code ?base|repo|app)\b|\bbug in\b/i,
  new RegExp(
    `${CHANGE_ZH}.{0,30}(?:函数|方法|接口|组件|测试|模块|依赖|配置|按钮|页面|命令|参数|字段|类型|报错|bug|issue|错误|空指针|代码|eslint|引用|选项|脚本)`,
    'i',
  ),
]

const PRODUCT =
  '(?:app|application|system|web ?site|website|web app|service|platform|game|tool|library|cli|code ?base|repo|repository|dashboard|bot|back ?end|front ?end|plugin|extension|server|api|compiler|interpreter)'

export const LARGE_WORK: readonly RegExp[] = [
  new RegExp(
    `\\b(?:build|develop|create|implement|make|program|code)\\s(?:me )?(?:an?|the|our|my)\\s(?:\\S+\\s){0,4}${PRODUCT}\\b`,
    'i',
  ),
  new RegExp(
    `\\b(?:migrate|port|rewrite|refactor|convert|document|modernise|modernize|restructure)\\s(?:the|our|this|my)\\s(?:\\S+\\s){0,2}(?:${PRODUCT}|project)\\b`,
    'i',
  ),
  new RegExp(`\\bwrite an? (?:complete|full|whole)\\s(?:\\S+\\s){0,4}${PRODUCT}\\b`, 'i'),
  /\bset up an?\b.{0,30}\b(?:monorepo|project|repository|pipeline|workflow|server|environment)\b/i,
  /(?:(?:开发|搭建|实现|构建|制作|编写)(?:出|好)?|(?:写|做)(?:一个|一套|一款|个|完整的?))[^，。；,;]{0,16}(?:应用|系统|网站|平台|工具|游戏|后端|前端|小程序|程序(?!员)|机器人|插件|脚手架)/,
  /(?:重构|迁移|改造|重写|把).{0,4}(?:整个|全部|所有).{0,6}(?:项目|代码库|代码|仓库|系统|工程)/,
  /(?:一套|完整的?|全部).{0,8}(?:开发者?文档|技术文档|API ?文档|测试套件)/i,
]

/** A text or value that ends in a file. */
export const SAVES =
  /\b(?:create|write|save|append|put|store|output)\b.{0,80}\b(?:to|into|in|as|with|called|named|file)\b|写(?:入|进|到|成)|保存|存(?:到|为|成|进)|生成.{0,10}文件|创建/i

export const ALTERNATIVES =
  /\b(?:slogan|headline|tagline|motto|brainstorm|catchphrase)\b|\b(?:come up with|suggest|think of|invent|propose|find|need|give me)\b.{0,30}\b(?:names?|titles?|ideas|options|alternatives|concepts|metaphors?)\b|\b(?:best|several|different|five|ten|three|some|\d+) (?:of )?(?:ideas|options|alternatives|names|titles)\b|\b(?:two|three|four|five|six|ten|\d+|several|different) (?:\w+ ){0,2}(?:concepts|ideas|lines|versions|variants|titles|slogans|drafts)\b|\bideas for\b|^\W*(?:names?|titles?) for\b|\bways (?:to|an?|the|we|for)\b.{0,60}\b(?:could|can|might)\b|口号|标语|广告语|(?:起|取)(?:个|一个|几个|什么)?名|店名|头脑风暴|想(?:出|一|几|些|十|五|三|\d)?.{0,12}(?:名字|点子|主意|创意|方案|标题|口号)|(?:几个|多个|最好的|一些).{0,8}(?:方案|标题|名字|点子|创意)/i

export const LONG_TEXT =
  /\b(?:write|draft|compose|prepare|author)\b.{0,60}\b(?:essay|article|blog ?post|story|novel|chapter|white ?paper|report|memo|script|speech|talk|proposal|guide|tutorial|handbook|business plan|screenplay|review|brief)\b|^\W*(?:(?:an?|the) (?:\S+ ){0,2})?(?:essay|article|blog post|story|novel|memo|report|white ?paper)\b|(?:写|撰写|创作|起草|编写|拟).{0,40}(?:文章|论文|小说|故事|长文|作文|报告|计划书|演讲稿|方案书|剧本|散文|评论|教程|指南|备忘录|策划)/i

/** A text or a piece of code, in one go. */
export const SHORT_TEXT =
  /^\W*(?:(?:please|can you|could you|help me|i want you to|i need you to)\s)*(?:help me )?(?:translate|rewrite|rephrase|paraphrase|shorten|summari[sz]e|proofread|reword|correct|write|draft|compose|describe|structure|pretend|imagine|recommend|suggest|name|convert|give|turn|plan|improve|outline|discuss|argue)\b|^\W*(?:implement|develop|create|code|write|give me) an? (?:\S+ ){0,3}(?:program|function|method|regular expression|regex|algorithm|class|data structure|query|snippet|script|one-liner)\b|\b(?:write|draft|compose)\b.{0,30}\b(?:e-?mail|message|haiku|poem|limerick|letter|note|tweet|caption|reply|sentence|paragraph|joke|toast|invitation|bio|melody)\b|翻译|译成|缩写|改写|润色|概括|总结|缩成|推荐|改得|讲(?:一|个).{0,10}(?:故事|笑话)|(?:列|制定|安排|做)(?:一)?(?:个|份).{0,12}(?:计划|清单|方案|安排|日程)|^(?:请|帮我|请帮我|麻烦)?(?:给.{1,8})?(?:写|拟|编|起草|撰写)/i

export const PUZZLE =
  /\b(?:sudoku|\w+[ -]queens|queens on a|crossword|cryptarithm|magic square|river[- ]crossing|jugs?|tower of hanoi|knight'?s tour)\b|数独|八皇后|皇后问题|幻方|过河|填字|汉诺塔/i

/** Several steps of reasoning. */
export const REASONING =
  /\b(?:prove|disprove|show that|derive|deduce|probability|odds of|expected (?:value|number)|solve (?:for|the equation)|integrate|differentiate|derivative|integral|in how many ways|find the (?:value|sum|product|area|length|distance|angle)|reason(?:ing)? (?:it out|step)|step[- ]by[- ]step|twice as|times as (?:old|many|much|long)|if all|estimate (?:how|the number))\b|^\W*solve\b|证明|求证|求\s*[a-z(]|求(?:解|出|函数|方程|导|积分|极限|和|最|前|.{1,12}的(?:和|值|积|面积|长度|解))|概率|期望值|方程|推理|(?:真话|说谎|假话)|最(?:大|小)值|推导|逐步|鸡兔|百分之几|各(?:有|是)?多少/i

/** A question or a request to explain. */
export const QUESTION =
  /^\W*(?:what|who|whom|whose|when|where|which|why|how|is|are|was|were|does|do|did|can|could|should|would|will|has|have|in (?:what|which)|at what|explain|define|describe|name the|tell me|list)\b|[?？]\s*$|\bhow (?:to|do i|can i)\b|什么|为何|是否|是不是|有没有|能否|谁|哪|多少|几(?:个|年|月|天|岁|次|种|号|点)|怎么|怎样|如何|吗|呢|区别|解释|介绍|说明|讲讲|说说|告诉我/i
