/**
 * The words that distinguish hypotheses from steps: sequence words, which a hypothesis must not have, and guess words, which a
 * step must not have. As data, with the reason for each entry's form. The document names 先/再/然后/第一步/接下来 and
 * 可能/也许/原因/假设; the others are their closest relatives in Chinese and English.
 *
 * A word counts for what it does in its item. Sequence words count where they order what is to be done; a hypothesis may be about the order
 * of events, such as a race (orders.ts). English guess words don't count in a step that puts something down ("Document that callers may
 * pass null"): there they are the matter, and no guess. The Chinese ones are named by the document, and always count.
 *
 * What is not a word here, on purpose: a list number ("1.", "①", "假设1："), which models put before anything; 之后, 最终, "after",
 * "before" and "last", which tell of events ("after the upgrade every login fails") more often than of a plan; 估计,
 * "possible" and "potential", which are as often the matter itself ("estimate the effort", "all possible moves").
 */
import { languageOf } from '../../../protocol/index.ts'
import { isDoing, ORDER, START } from './orders.ts'

export interface Word {
  readonly word: string
  /** A regular expression, where the word as it stands would not do. */
  readonly form?: string
  /** Longer words and phrases that hold the word and mean something else, as regular expressions. */
  readonly except?: readonly string[]
  readonly caseSensitive?: true
  /** It may tell the order of events as well: it counts where the item orders what is to be done. */
  readonly isOfEvents?: true
  readonly why: string
}

export const SEQUENCE_WORDS: readonly Word[] = [
  {
    word: '先',
    isOfEvents: true,
    except: [
      '先进先出|后进先出|先来先服务|先到先得',
      '先进(?!行|入|去|来|一步)',
      '[优事原祖预领率抢首]先',
      '先(?:前(?!端|往)|后(?!端|台)|例(?!如)|验(?!证)|决(?!定)|生(?!成)|导(?!出|入)|天|锋|于)',
    ],
    why: 'Chinese has no word borders, so the words that hold it are named: 先进 (modern), 优先, 事先, 原先, 先验 and others. They are not there where their second half belongs to the next word: 先进行测试, 先验证, 先生成, 先导出. 先于 and 先后 tell the order of events, which a hypothesis may be about. 首先 has its own entry.',
  },
  { word: '首先', isOfEvents: true, why: 'The full form of 先; nothing else holds it.' },
  { word: '其次', except: ['其次数'], why: 'What follows 首先; 其次数 is 其 + 次数.' },
  {
    word: '再',
    isOfEvents: true,
    except: [
      '不再|一再|可再入',
      '再(?:次|度|见|也|三(?!次)|现(?!有|在))',
      '再生(?!成|产)',
      '再平衡|再造(?!成)|再保险',
    ],
    why: '不再, 再次, 再现, 再生 say "no longer", "again", "reproduce", "regenerate", and no order. 再生 is not one where 生 belongs to the next word (再生成报告).',
  },
  {
    word: '然后',
    isOfEvents: true,
    except: ['[虽仍突当自显既果偶必忽依居竟固]然后'],
    why: 'After 虽, 显, 既 and the like the 然 belongs to them: 虽然后端正常 is 虽然 + 后端.',
  },
  {
    word: '第一步',
    form: '第\\s*[一1]\\s*步|第\\s*[二三四五六七八九十\\d]+\\s*步(?=\\s*[：:，,、是])',
    why: 'The document names 第一步. The later ones count as labels only: 流水线第三步缺少权限 is a claim about a pipeline.',
  },
  {
    word: '步骤一',
    form: '步骤\\s*[一二三四五六七八九十\\d]+(?=\\s*[：:，,、.]|\\s*$)',
    why: 'As a label only, like 第二步：.',
  },
  { word: '接下来', why: 'Named by the document; nothing else holds it.' },
  {
    word: '接着',
    isOfEvents: true,
    except: ['[直连链衔焊]接着'],
    why: 'After 直 or 连 the 接 belongs to them: 连接着, 直接着手.',
  },
  {
    word: '下一步',
    except: ['下一步(?:按钮|操作|链接)'],
    why: 'Except as the name of a button, as wizards have it.',
  },
  { word: '随后', isOfEvents: true, except: ['随后[台端]'], why: 'Another 然后; 随后台启动 is 随 + 后台.' },
  {
    word: '最后',
    isOfEvents: true,
    form: '最后(?=\\s*[，,、：:])',
    why: 'Only where a pause follows: 最后一次提交引入了缺陷 is a claim about the last commit.',
  },
  {
    word: 'first',
    form: `${START}first(?=,|\\s+of\\s+all\\b|\\s+${ORDER})|(?<=\\b(?:we|you|must|should|please)\\s+)first(?=\\s)|(?<=^[\\s\\d.)]*${ORDER}[^.;]*\\s)first(?=\\s*(?:[.,;:!]|$|(?:and|then|before)\\b))`,
    why: 'An adjective more often than not: first name, first row, "First request fails". A sequence word where an order follows it ("First check the logs"), where a pause does, or where it ends an order ("Check the logs first").',
  },
  { word: 'firstly', form: 'firstly|secondly|thirdly|lastly', why: 'Never anything else.' },
  {
    word: 'second',
    form: '(?<=^[\\s\\d.)]*|[.;:!?]\\s*)(?:second|third)(?=,)',
    why: 'At the beginning of a sentence and with a pause: not the unit of time, not "the second request".',
  },
  {
    word: 'then',
    isOfEvents: true,
    except: [
      '(?<=^[\\s\\d.)]*|[:.;,(：，；。]\\s*|\\b(?:that|and)\\s+)(?:if|when|whenever|unless)\\b[^.;。；]*?\\bthen',
      '(?:since|by|until|till|from|back|even)\\s+then',
    ],
    why: 'As a whole word: not in strengthen, lengthen, .then(). "If X, then Y" is how a falsifiable claim is put; "check if X, then Y" is not.',
  },
  {
    word: 'next',
    form: `${START}next(?=,|\\s+${ORDER})|next\\s+steps?(?!\\s+(?:of|in)\\b)`,
    why: 'An adjective more often than not: next page, next hop, the next step of a handshake; and Next.js.',
  },
  {
    word: 'finally',
    form: `${START}finally(?=,|\\s+${ORDER})`,
    why: 'Not the block after try, not "the request that finally fails".',
  },
  {
    word: 'after that',
    isOfEvents: true,
    form: 'after\\s+(?:that|this)(?=,)|afterwards?|thereafter|subsequently',
    why: '"after that" with a pause: "fails after that release" is a claim.',
  },
  {
    word: 'to begin with',
    form: `${START}to\\s+(?:begin|start)\\s+with(?=,)`,
    why: 'At the beginning of a clause and with a pause: not "fails to start with port 80".',
  },
  {
    word: 'step 1',
    form: 'step\\s*(?:\\d+|one|two|three|four|five|six|seven)(?=\\s*[:.,)–—]|\\s+-)',
    why: 'As a label only: "Step 2 of the OAuth flow returns 403" is a claim.',
  },
]

/** Whose rights a text may be about. */
const PEOPLE =
  '(?:admins?|administrators?|anybody|anyone|authors?|callers?|clients?|customers?|editors?|employees?|everybody|everyone|guests?|members?|nobody|operators?|owners?|people|players?|readers?|reviewers?|subscribers?|they|users?|visitors?|who|you)'

/** What a value can be, by specification. */
const VALUED =
  '(?:be|contain|have|hold)\\s+(?:an?\\s+)?(?:absent|blank|duplicate|duplicated|empty|large|left\\s+out|long|missing|negative|nested|nil|none|null|omitted|optional|repeated|undefined|unset|zero)'

/** Things of a kind, in what is made for them ("a retry for requests that may time out"); not what is looked for, nor "the handler that may crash". */
const OF_A_KIND =
  '(?:(?<!\\b(?:[Cc]heck|[Hh]unt|[Ll]ook|[Ss]can|[Ss]earch)(?:ing)?\\s+)for|against|[Hh]andle|[Ss]upport)\\s+(?!(?:all\\s+)?(?:its|our|the|these|this|those|your)\\b)(?:[\\w-]+\\s+)?[\\w-]+s\\s+(?:that|which)'
const IN_CASE = 'cases?\\s+(?:where|in\\s+which)\\s+(?:an?|any|no|some)\\s+[\\w-]+'

export const GUESS_WORDS: readonly Word[] = [
  {
    word: '可能',
    except: ['不可能|尽可能|成为可能', '(?:所有|全部|一切|每种)可能', '可能性', '[许认]可能'],
    why: '不可能 is certain, 尽可能 (as far as one can) an adverb, 所有可能 an enumeration, 可能性 a quantity; in 许可能否 and 认可能力 the 可 belongs to what is before it.',
  },
  { word: '也许', except: ['也许(?:可证|可协议|诺|多)'], why: '许 may belong to the next word: 也许可证.' },
  { word: '或许', except: ['或许(?:可证|可协议|诺|多)'], why: 'Another 也许; 合同或许可证 is 或 + 许可证.' },
  {
    word: '原因',
    except: ['还原因'],
    why: 'The document forbids it in steps, also as a plain noun: a step that needs a cause has a gap. A heading or file of that name is quoted. 还原因子 is 还原 + 因子.',
  },
  {
    word: '假设',
    except: ['假设检验', '假设(?:备|置|计|施)'],
    why: '假设检验 is a method of statistics; in 假设备 (a fake device) the 设 belongs to the next word.',
  },
  {
    word: '假定',
    except: ['假定(?:义|位|时|制)'],
    why: 'Another 假设; in 假定义 the 定 belongs to the next word.',
  },
  { word: '猜测', except: ['猜测(?:数字|次数)'], why: 'Except in the game of guessing numbers.' },
  { word: '推测', except: ['推测(?:执行|解码)'], why: 'Except speculative execution and decoding.' },
  { word: '怀疑', why: 'What is suspected is to be probed.' },
  { word: '疑似', why: 'What is suspected is to be probed.' },
  { word: '似乎', why: 'Nothing else holds it.' },
  { word: '好像', except: ['好像素'], why: 'In 好像素 the 像 belongs to the next word.' },
  { word: '大概', except: ['大概念'], why: 'In 大概念 the 概 belongs to the next word.' },
  { word: '恐怕', why: 'Nothing else holds it.' },
  { word: '说不定', form: '说不定|没准', why: 'Spoken forms of 也许.' },
  {
    word: 'may',
    form: 'may(?!\\s+(?:\\d|only\\b))|May(?=\\s+(?:be|have|need|fail|cause|contain|also|not)\\b)',
    except: [
      `(?:${PEOPLE}|${OF_A_KIND}|${IN_CASE})\\s+may`,
      'may\\s+(?:I|he|she|they|we|you)',
      `may\\s+(?:also\\s+)?${VALUED}`,
    ],
    caseSensitive: true,
    why: 'With a capital it is the month, unless a verb follows; in capitals it is the word of RFC 2119; "may only", and what people may do, is a right; values that may be null are a specification.',
  },
  {
    word: 'might',
    except: [`might\\s+(?:also\\s+)?${VALUED}`, `(?:${OF_A_KIND}|${IN_CASE})\\s+might`],
    form: 'might|maybe|perhaps|possibly|probably|probable|presumably|supposedly|apparently|conceivably',
    why: 'Adverbs of guessing and nothing else, as whole words: not in mighty.',
  },
  {
    word: 'likely',
    except: ['(?:how|more|less|equally|as)\\s+likely(?:\\s+than)?'],
    why: 'As a whole word: likelihood is a quantity, as "how likely" and "more likely than" are, and unlikely another word.',
  },
  { word: 'seems', form: 'seems?(?=\\s+(?:to|like|that)\\b)', why: 'With what seems to be.' },
  {
    word: 'could be',
    form: 'could\\s+(?:be|have\\s+been)(?=\\s+(?:because|caused|due|that)\\b)|(?<=\\bwhat\\s+)could\\s+be',
    why: 'With what is supposed: not the passive ("so that it could be reused").',
  },
  {
    word: 'guess',
    form: 'guess(?:ing)?(?=\\s+(?:at|that|whether|why|how)\\b)|(?:best|educated|wild)\\s+guess',
    why: 'Not the guess of a player in a game.',
  },
  {
    word: 'suspect',
    form: 'suspect(?:ed|s)?',
    except: ['suspected\\s+(?:duplicates?|spam|fraud|phishing|malware)'],
    why: 'What is suspected is to be probed; suspicious is a finding.',
  },
  {
    word: 'hypothesis',
    form: 'hypothes[ie]s|hypothesi[sz]ed?|hypothetical(?:ly)?',
    except: [
      '(?:null|alternative|research|working|install)\\s+hypothes[ie]s',
      'hypothesis(?:[\\s-]+(?:tests?|testing|strateg\\w+|librar\\w+|package))',
    ],
    why: 'Hypothesis testing is a method of statistics, Hypothesis a testing library.',
  },
  {
    word: 'assume',
    form: 'assum(?:e[sd]?|ing)|(?<=\\b(?:under|on|by|from|with)\\s+(?:(?:the|an|our|this|that)\\s+)?)assumptions?',
    except: ['assum(?:e[sd]?|ing)\\s+(?:the\\s+|an?\\s+)?(?:\\w+\\s+)?roles?'],
    why: 'Except the role that one assumes in a cloud. Assumptions are a guess where something is done under them; they can be listed and checked.',
  },
  { word: 'suppose', form: 'suppos(?:e|ing)', why: 'Not "is supposed to", which says what must be.' },
  {
    word: 'cause',
    form: '(?:the|a|any|each|its|their|root|real|main|likely|possible|underlying)\\s+causes?|causes?(?=\\s+(?:of|for|behind)\\b)',
    except: ['causes?\\s+(?:of\\s+(?:action|concern|death)|for\\s+(?:alarm|concern))'],
    why: 'The noun, as 原因 is one; the verb tells what something does ("edits that cause a rebuild"), and because is another word.',
  },
  {
    word: 'reason',
    form: '(?:the|a|any|each|its|their|real|main|likely|possible)\\s+reason|reason(?=\\s+(?:for|why|of|behind|that)\\b)|reasons(?=\\s+(?:behind|why)\\b)',
    except: ['(?:the|a|any|each|its|their)\\s+reasons?\\s+(?:codes?|phrases?|fields?|columns?)'],
    why: 'The noun, as 原因 is one; not the reason phrase of HTTP or a column of that name, not reasons for something, which are arguments.',
  },
]

/** The words in a plan item, as written; quoted text, code and file names are not read. */
export function sequenceWordsIn(item: string): string[] {
  const text = unquoted(item)
  return wordsIn(text, isDoing(text) ? SEQUENCE_FORMS : ALWAYS_SEQUENCE_FORMS)
}

export function guessWordsIn(item: string): string[] {
  const text = unquoted(item)
  return wordsIn(text, isPutDown(text) ? CHINESE_GUESS_FORMS : GUESS_FORMS)
}

/** A step that puts something down, and not why something is broken: that is to be found first. */
function isPutDown(text: string): boolean {
  return PUTS_DOWN.test(text) && !WHY_BROKEN.test(text)
}

const PUTS_DOWN =
  /^[\s\d.)]*(?:(?:add|include|leave|put)\s+an?\s+(?:caveat|comment|hint|line|note|paragraph|remark|section|sentence|warning)|(?:anticipate|answer|ask|compare|define|describe|discuss|document|draft|enumerate|estimate|explain|forecast|list|mention|name|note|outline|point\s+out|present|quote|record|report|say|specify|spell\s+out|state|summari[sz]e|tell|warn|weigh|write\s+(?:about|down|up))(?=\s+(?:a|about|all|an|any|both|callers?|each|every|for|how|in|it|its|our|readers?|that|the|their|them|these|this|those|users?|what|when|where|whether|which|who|why|your)\b)|write\s+(?:how|that|when|where|which|who|(?:a|an|the)\s+(?:answer|article|chapter|essay|faq|guide|introduction|letter|memo|note|overview|page|paragraph|poem|section|sentence|story|summary|text|tutorial)\b)|[^.;]*\bto\s+(?:mention|note|say|state|warn)\s+that\b)/i
const WHY_BROKEN =
  /\b(?:causes?|reasons?)\b[^.;]*\b(?:bugs?|crash(?:es)?|defects?|errors?|fail(?:s|ed|ing|ures?)?|leaks?|outages?|problems?|time-?outs?)\b/i

/** The rest of an item is not read: no step is this long, and the expressions look back and ahead. */
const MAX_READ = 4_000

const QUOTED = [
  /```[\s\S]*?```|``[^`]*``|`[^`]*`/g,
  /"[^"\n]*"|“[^”\n]*”|‘[^’\n]*’|「[^」\n]*」|『[^』\n]*』|《[^》\n]*》/g,
  // An apostrophe is no quote: one opens after a space and closes before one.
  /(?<![\w'])'[^'\n]+'(?![\w'])/g,
  /\b[a-z][a-z+]*:\/\/[^\s，。；、）)]+/gi,
  // Paths and file names; a Chinese one only after a space, because nothing else shows where it begins.
  /(?<=\s)\p{Script=Han}{1,20}\.[a-z][a-z0-9]{0,5}(?!\w)/gu,
  /(?<![\w.@~/-])[\w.@~-]*\/[\w.@~/-]*/g,
  /(?<![\w.@~-])[\w@~-]*(?:\.[\w-]+)*\.[a-z0-9]{1,8}(?![\w-])/g,
]

/** The text with a placeholder for everything quoted, so that the words around it do not join. */
export function unquoted(text: string): string {
  return QUOTED.reduce((left, quoted) => left.replace(quoted, ' ☐ '), text.slice(0, MAX_READ))
}

function wordsIn(text: string, forms: readonly RegExp[]): string[] {
  return [...new Set(forms.flatMap((form) => found(text, form)))]
}

/** Exceptions are matched first and not captured, so that the search continues after them. */
function matcher({ word, form = word, except = [], caseSensitive }: Word): RegExp {
  const isEnglish = languageOf(word) === 'en'
  const whole = (part: string) => (isEnglish ? `(?<![\\w.$@#/-])(?:${part})(?![\\w(-]|\\.\\w)` : part)
  const parts = [...except.map(whole), `(${whole(form)})`]
  return new RegExp(parts.join('|'), isEnglish && !caseSensitive ? 'giu' : 'gu')
}

function found(text: string, form: RegExp): string[] {
  return [...text.matchAll(form)].flatMap(([, word]) => (word === undefined ? [] : [word]))
}

const SEQUENCE_FORMS = SEQUENCE_WORDS.map(matcher)
const ALWAYS_SEQUENCE_FORMS = SEQUENCE_WORDS.filter(({ isOfEvents }) => !isOfEvents).map(matcher)
const GUESS_FORMS = GUESS_WORDS.map(matcher)
const CHINESE_GUESS_FORMS = GUESS_WORDS.filter(({ word }) => languageOf(word) === 'zh').map(matcher)
