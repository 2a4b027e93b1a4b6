/** What the model of the screens writes: an essay in three parts at once, the last of which asks its reader first. */
import type { Lang } from '../src/views/words.ts'

export interface Story {
  goal: string
  /** How much it writes in a tenth of a second. */
  pieceChars: number
  charsPerToken: number
  reply(input: { goal: string; todo: readonly string[] | string }): unknown
}

interface Essay extends Pick<Story, 'goal' | 'pieceChars' | 'charsPerToken'> {
  plan: readonly string[]
  parts: readonly { goal: string; text: string }[]
  ask: { text: string; choices: readonly string[] }
}

const ESSAYS: Record<Lang, Essay> = {
  en: {
    goal: 'Write a short essay on lighthouses, with one true story',
    pieceChars: 9,
    charsPerToken: 4,
    plan: [
      'The paragraph on how a lighthouse works',
      'The paragraph on a keeper, with a true story',
      'The closing paragraph, which moves the reader',
      'read it aloud once',
    ],
    parts: [
      {
        goal: 'The paragraph on how a lighthouse works',
        text: 'A lamp, a lens and a clockwork to turn them: a lighthouse is a machine for being seen. In 1822 Fresnel cut the glass into rings, and a flame no larger than a hand could be seen from twenty miles away.',
      },
      {
        goal: 'The paragraph on a keeper, with a true story',
        text: 'Ida Lewis rowed out of Lime Rock for the first time at fifteen, and pulled four boys out of the harbour at Newport.\n\nShe kept the light for fifty-four years:\n\n- wound the clockwork every few hours, at night, in storms\n- trimmed the wick at midnight, so that it would not smoke before dawn\n- rowed out whenever somebody called, and saved eighteen people, the last of them when she was sixty-three\n\nThe papers called her the bravest woman in America. She said that anyone would have gone, and that the boat was heavy. When she died, the bells of all the ships in the harbour were rung through the night.',
      },
      { goal: 'The closing paragraph, which moves the reader', text: '' },
    ],
    ask: { text: 'Which tone should the close have?', choices: ['dry', 'warm', 'as the story'] },
  },
  zh: {
    goal: '写一篇关于灯塔的短文，讲一个真实的故事',
    pieceChars: 3,
    charsPerToken: 1.5,
    plan: ['写一段灯塔怎样发光', '写一段守塔人的真实故事', '写打动读者的结尾', '最后朗读一遍'],
    parts: [
      {
        goal: '写一段灯塔怎样发光',
        text: '一盏灯、一面透镜、一套让它们转动的钟表机构：灯塔是一台为了被看见而造的机器。一八二二年，菲涅耳把玻璃切成一圈圈棱镜，手掌大的火焰二十海里外也能看见。',
      },
      {
        goal: '写一段守塔人的真实故事',
        text: '艾达·刘易斯十五岁第一次从石灰岩礁划船出去，在纽波特港救起四个男孩。\n\n她守灯五十四年：\n\n- 每隔几个小时给钟表机构上一次弦，夜里也要，风暴中也要\n- 半夜修剪灯芯，好让它天亮前不冒烟\n- 有人呼救就划船出去，一生救起十八个人，最后一个是在她六十三岁那年\n\n报纸说她是美国最勇敢的女人。她说换了谁都会去，只是船有点重。她去世的那一夜，港里所有的船都为她敲钟。',
      },
      { goal: '写打动读者的结尾', text: '' },
    ],
    ask: { text: '结尾用什么语气？', choices: ['平实', '温暖', '与故事一致'] },
  },
}

export function storyOf(lang: Lang): Story {
  const { parts, plan, ask, ...essay } = ESSAYS[lang]
  return {
    ...essay,
    reply({ goal, todo }) {
      const part = parts.find((one) => one.goal === goal)
      if (part?.text === '') return { do: 'ask', question: ask }
      if (part !== undefined) return { do: 'return', result: part.text }
      return todo.length === 0
        ? { do: 'plan', todo: plan }
        : { do: 'call', goals: parts.map((one) => one.goal) }
    },
  }
}
