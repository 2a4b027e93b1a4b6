/** What `thinkon init` asks and says, in English and Chinese. */
import type { Lang } from '../../views/words.ts'
import type { Approving } from './config-text.ts'

const en = {
  written: (file: string) => `written: ${file}`,
  nothing: 'nothing was written',
  notFolder: (folder: string) => `the workspace ${folder} is not a folder`,
  otherConfig: (file: string) =>
    `${file} is the configuration of this folder already; change it, or remove it first`,
  inPackage: (file: string) => `${file} (its key "thinkon")`,
  exists: (file: string) => `${file} exists already; --force overwrites it`,
  overwrite: (file: string) => `${file} exists already. Overwrite it?`,
  which: (hint: string) => `Which model? (${hint})`,
  later: 'openai:…, anthropic:…, google:…, ollama:…; Enter: later',
  noOffers: 'No key is set, and no server answers on this machine.',
  whyVariable: 'from THINKON_MODEL',
  whyKey: (key: string) => `${key} is set`,
  whyServer: (name: string, url: string) => `${name} answers at ${url}`,
  whereRuns: (store: string) => `Where are runs kept? (${store})`,
  approvals: [
    ['ask', 'tools may read; for anything else you are asked'],
    ['write', 'they may also write files in this folder'],
    ['read-only', 'they may read, and nothing else'],
  ] satisfies [Approving, string][] as readonly (readonly [Approving, string])[],
  whichApproval: 'What may tools do? (1: ask)',
  noApproval: (text: string, names: readonly string[]) => `"${text}" is none of 1, 2, 3, ${names.join(', ')}`,
  noModel:
    'No model is set yet: set a key such as OPENAI_API_KEY, or start Ollama, and run thinkon init --force again.',
  next: [
    'Next:',
    '  thinkon doctor              checks that a run could start',
    '  thinkon run "<your goal>"   shows first what the configuration may do, and asks whether you trust it',
  ] as readonly string[],
}

export type InitWords = typeof en

const zh: InitWords = {
  written: (file) => `已写入：${file}`,
  nothing: '没有写入任何内容',
  notFolder: (folder) => `工作区 ${folder} 不是文件夹`,
  otherConfig: (file) => `${file} 已经是这个文件夹的配置；请修改它，或先删除它`,
  inPackage: (file) => `${file}（其中的键 "thinkon"）`,
  exists: (file) => `${file} 已存在；--force 会覆盖它`,
  overwrite: (file) => `${file} 已存在。要覆盖吗？`,
  which: (hint) => `用哪个模型？（${hint}）`,
  later: 'openai:…、anthropic:…、google:…、ollama:…；按 Enter 以后再定',
  noOffers: '没有设置密钥，本机也没有应答的服务。',
  whyVariable: '来自 THINKON_MODEL',
  whyKey: (key) => `已设置 ${key}`,
  whyServer: (name, url) => `${name} 在 ${url} 应答`,
  whereRuns: (store) => `运行保存在哪里？（${store}）`,
  approvals: [
    ['ask', '工具可以读取；其他操作都会先问您'],
    ['write', '还可以在这个文件夹中写文件'],
    ['read-only', '只能读取'],
  ],
  whichApproval: '工具可以做什么？（1: ask）',
  noApproval: (text, names) => `“${text}”不是 1、2、3、${names.join('、')} 之一`,
  noModel:
    '还没有设置模型：请设置 OPENAI_API_KEY 之类的密钥，或启动 Ollama，然后再运行 thinkon init --force。',
  next: [
    '接下来：',
    '  thinkon doctor           检查能否运行',
    '  thinkon run "<目标>"     先列出配置允许做什么，并问您是否信任它',
  ],
}

export function initWords(lang: Lang): InitWords {
  return lang === 'zh' ? zh : en
}
