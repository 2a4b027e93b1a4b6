import type { LeafProblem } from '../../views/schema-nodes.ts'
import type { Lang } from '../../views/words.ts'

interface PersonWords {
  head(path: string, text: string): string
  ways: Record<Way, string>
  choose: string
  back: string
  lines: string
  problems: Record<LeafProblem | 'noChoice' | 'noYesNo' | 'noText', string>
  kinds: Record<'text' | 'number' | 'whole' | 'json', string>
  leaveOut: string
  ends: string
  which: string
  fillIn(name: string): string
  another(name: string): string
  tool: string
  anotherCall: string
  send: string
  noEditor(why: string): string
  answeredElsewhere: string
  sent: string
}

/** How the reply is given. */
export type Way = 'form' | 'tool' | 'text' | 'editor'

export const PERSON_WORDS: Record<Lang, PersonWords> = {
  en: {
    head: (path, text) => `═══ block ${path} · ${text} ═══`,
    ways: {
      form: 'fill in a form',
      tool: 'call a tool',
      text: 'type the reply',
      editor: 'write it in $EDITOR',
    },
    choose: 'Answer as the model',
    back: 'A line with only < comes back here; Ctrl-C leaves, and the run can be resumed.',
    lines: 'Type the reply; a line with only . ends it.',
    problems: {
      notANumber: 'This is no number.',
      notWhole: 'This must be a whole number.',
      notJson: 'This is no JSON.',
      noChoice: 'Type one of the numbers.',
      noYesNo: 'Type y or n.',
      noText: 'Say something first.',
    },
    kinds: { text: 'text', number: 'number', whole: 'whole number', json: 'JSON' },
    leaveOut: 'Enter leaves it out',
    ends: 'Enter ends the list',
    which: 'which?',
    fillIn: (name) => `Fill in ${name}? [y/N]`,
    another: (name) => `An item of ${name}? [y/N]`,
    tool: 'Which tool?',
    anotherCall: 'Another call? [y/N]',
    send: 'Enter sends it, e edits it in $EDITOR, < comes back',
    noEditor: (why) => `The editor can't be used: ${why}. Set $EDITOR, or type the reply.`,
    answeredElsewhere: 'It was answered elsewhere.',
    sent: 'Sent.',
  },
  zh: {
    head: (path, text) => `═══ 块 ${path} · ${text} ═══`,
    ways: { form: '填写表单', tool: '调用工具', text: '直接输入回答', editor: '在 $EDITOR 里写' },
    choose: '以模型的身份回答',
    back: '只输入 < 回到这里；Ctrl-C 离开，运行之后可以继续。',
    lines: '请输入回答；只有 . 的一行表示结束。',
    problems: {
      notANumber: '不是数字。',
      notWhole: '必须是整数。',
      notJson: '不是合法的 JSON。',
      noChoice: '请输入其中一个编号。',
      noYesNo: '请输入 y 或 n。',
      noText: '请先输入内容。',
    },
    kinds: { text: '文本', number: '数字', whole: '整数', json: 'JSON' },
    leaveOut: '回车表示不填',
    ends: '回车结束列表',
    which: '哪一种？',
    fillIn: (name) => `填写 ${name}？[y/N]`,
    another: (name) => `添加 ${name} 的一项？[y/N]`,
    tool: '调用哪个工具？',
    anotherCall: '再调用一个？[y/N]',
    send: '回车发送，e 在 $EDITOR 里修改，< 返回',
    noEditor: (why) => `无法使用编辑器：${why}。请设置 $EDITOR，或直接输入回答。`,
    answeredElsewhere: '已在别处回答。',
    sent: '已发送。',
  },
}
