import { describe, expect, it } from 'vitest'
import { checkByProgram } from './check-by-program.ts'
import { demandsOf } from './demands-of.ts'

const words = (n: number) => Array.from({ length: n }, (_, i) => `word${i}`).join(' ')
const hans = (n: number) => '山'.repeat(n)
const bullets = (n: number) => Array.from({ length: n }, (_, i) => `- point ${i} is made here`).join('\n')
const sentences = (n: number) => Array.from({ length: n }, (_, i) => `Point ${i} matters.`).join(' ')
const paragraphs = (n: number) => Array.from({ length: n }, () => 'Some prose here. And more.').join('\n\n')

/** A goal, a result that fits, and one that does not. */
const DEMANDS: readonly (readonly [goal: string, fits: string, breaks: string])[] = [
  // Words and characters.
  ['Summarise the plot of Hamlet in at most 200 words.', words(200), words(230)],
  ['Explain photosynthesis in no more than 50 words', words(48), words(80)],
  ['Describe the product in under 100 words.', words(90), words(140)],
  ['Write a 200-word summary of the French Revolution.', words(230), words(900)],
  ['Write a 500 word essay on rivers', words(450), words(120)],
  ['Write an essay of about 300 words on trust.', words(280), words(700)],
  ['Draft a press release of at most 1,000 words.', words(990), words(1_500)],
  ['Summarise the meeting. Keep it under 120 words.', words(100), words(170)],
  ['Describe the city. The answer must be at most 40 words.', words(40), words(60)],
  ['Describe the city (max 40 words).', words(39), words(60)],
  ['Describe the city, 40 words maximum.', words(39), words(60)],
  ['Describe the city in 40 words or less.', words(39), words(60)],
  ['Describe the city in exactly six words.', words(6), words(7)],
  ['Write between 100 and 150 words on bees.', words(120), words(400)],
  ['Write a decision memo (600–800 words) for the CTO.', words(700), words(1_500)],
  ['Write an email (max. 150 words) to a customer.', words(150), words(250)],
  ['写一份决策备忘录，800到1000字，包含成本和风险。', hans(900), hans(2_000)],
  ['Write at least 300 words about glaciers.', words(320), words(100)],
  ['Explain entropy in at most 280 characters.', 'x'.repeat(280), 'x'.repeat(400)],
  ['What is entropy, in at most 20 words?', words(20), words(60)],
  ['Write a one-page memo on remote work.', words(600), words(1_500)],
  ['Decide where to host the service. The memo must fit on one page.', words(600), words(1_500)],
  ['写一段介绍杭州的文字，不超过300字。', hans(290), hans(400)],
  ['请用200字以内概括《红楼梦》的情节', hans(190), hans(320)],
  ['写一篇800字的作文，题目自拟', hans(800), hans(200)],
  ['介绍量子计算，控制在500字左右', hans(520), hans(1_200)],
  ['介绍黄山，不少于500字。', hans(520), hans(200)],
  ['总结这次会议，最多一百字。', hans(95), hans(160)],
  ['用一页纸说明为什么要迁移', hans(900), hans(3_000)],
  ['用不超过 50 个字回答：什么是通货膨胀？', hans(48), hans(90)],
  ['请在200字内回答：什么是熵？', hans(190), hans(300)],
  // Sentences, paragraphs, lines.
  ['Explain why the sky is blue in two sentences.', sentences(2), sentences(5)],
  ['Write three sentences about cats.', sentences(3), sentences(6)],
  ['Answer in one sentence: what is a monad?', sentences(1), sentences(4)],
  ['In three paragraphs, describe the causes of the war.', paragraphs(3), paragraphs(6)],
  ['Write exactly two paragraphs on sleep.', paragraphs(2), paragraphs(5)],
  ['Write a four-line poem about rain.', 'a b\nc d\ne f\ng h', 'a\nb\nc\nd\ne\nf\ng'],
  ['用三句话解释什么是区块链', '一是账本。二是共识。三是加密。', '一。二。三。四。五。'],
  ['请用一句话总结相对论。', '时空会弯曲。', '时空会弯曲。光速不变。质能等价。'],
  ['分三段介绍故宫', '甲段。\n\n乙段。\n\n丙段。', '甲段。\n\n乙段。\n\n丙段。\n\n丁段。\n\n戊段。'],
  // Items.
  ['Summarise the report in exactly three bullet points.', bullets(3), bullets(5)],
  ['Give three bullet points of at most 15 words.', bullets(3), bullets(5)],
  ['Give me five bullet points on safety.', bullets(5), 'Safety is important.'],
  ['List 5 ideas for a birthday party', bullets(5), bullets(7)],
  ['Suggest three short names for the tool.', '1. Ant\n2. Bee\n3. Cat', '1. Ant\n2. Bee\n3. Cat\n4. Dog'],
  ['Give at least four reasons to exercise.', bullets(6), bullets(2)],
  ['列出五条节能建议', '1. 甲\n2. 乙\n3. 丙\n4. 丁\n5. 戊', '1. 甲\n2. 乙\n3. 丙'],
  ['给出三个要点', '- 甲\n- 乙\n- 丙', '- 甲\n- 乙\n- 丙\n- 丁'],
  // Form.
  ['Return the three largest cities as JSON.', '["Tokyo","Delhi","Shanghai"]', 'Tokyo, Delhi and Shanghai'],
  ['List the planets in JSON format.', '```json\n["Mars"]\n```', '- Mars'],
  ['Extract the names. Reply with valid JSON only.', '{"names":[]}', 'The names are: none'],
  ['列出三大城市，以JSON格式输出', '["东京"]', '东京、德里、上海'],
  ['List the planets as CSV.', 'name,size\nMars,2', 'Mars is small'],
  ['Compare tea and coffee as a Markdown table.', '| a | b |\n|---|---|\n| 1 | 2 |', 'Tea is milder.'],
  ['Compare the three options in a table.', 'a | b\n--- | ---\n1 | 2', 'Option A is best.'],
  ['用表格对比茶和咖啡', '| 茶 | 咖啡 |\n|---|---|\n| 温和 | 强烈 |', '茶更温和。'],
  [
    'How old is the universe? Answer with only the number.',
    '13.8',
    'The universe is about 13.8 billion years old.',
  ],
  [
    '太阳系有几颗行星？只回答数字。',
    '8',
    '太阳系一共有八颗行星，分别是水星、金星、地球、火星、木星、土星、天王星、海王星，过去还有一颗冥王星。',
  ],
  ['Is 91 prime? Answer yes or no.', 'No.', '91 has the divisors 7 and 13.'],
  ['Write a short note to the team in plain text.', 'Hello all', '# Hello\n**all**'],
  // Values.
  ['Compute 12 * (3 + 4)', 'The result is 84.', 'The result is 74.'],
  ['What is 1/3 + 1/6?', 'It is 0.5', 'It is 0.6'],
  ['What is 2/3?', 'About 0.667', 'About 0.5'],
  ['Compute 1000 * 1000', '1,000,000', '100,000'],
  ['计算 3 的平方加 4 的平方', '结果是 25', '结果是 24'],
  ['Compute 2 + 3 and 4 * 5', '5 and 20', '5 and 21'],
  // Language.
  [
    '为什么天空是蓝色的？请解释。',
    '因为瑞利散射。',
    `The sky is blue because of the scattering of light by molecules of the air. ${sentences(3)}`,
  ],
  [
    'Explain why the sky is blue.',
    sentences(3),
    '天空之所以是蓝色的，是因为空气分子对短波光的散射更强，这称为瑞利散射。',
  ],
  [
    'Summarise the idea of 无为 and answer in English.',
    sentences(3),
    '无为是道家的核心思想，意思是不妄为，顺应自然，而不是什么都不做。',
  ],
]

/** Their words look like demands, and are not. Neither a short result nor a long one is refused. */
const NO_DEMANDS: readonly string[] = [
  'Explain the 200 word limit of tweets.',
  'Why is an abstract limited to 250 words?',
  'Why must a tweet have at most 280 characters?',
  'Explain why a tweet must have at most 280 characters.',
  'Explain how Hemingway told a story in six words.',
  'Summarise this 200-word abstract.',
  'Proofread the text "Write it in at most 20 words." and list the errors.',
  'Translate “summarise in three sentences” into French.',
  'Write a function that returns the list as JSON.',
  'Write a script to save the results to out.csv and explain it.',
  'Explain how a log is read, and write it as in notes.md.',
  'Write a script that should read the log, and save it to out.csv.',
  'Explain how to write logs to app.log.',
  'How do I store this in a table?',
  'Explain the three laws of thermodynamics.',
  'Write a report with a title of at most 8 words.',
  'Give three advantages and list two risks of remote work.',
  'Write a guide; each section should have two paragraphs.',
  'Count the words in this text: one two three words.',
  'Write a Python function to parse CSV lines of at most 80 characters.',
  '列出三个优点和两个缺点',
  'Give three advantages and two risks.',
  'Convert the JSON in config.json to YAML.',
  'Parse 5 lines of the log.',
  'Summarise the following article:\n\nWrite no more than 10 words. Reply in JSON.',
  'Improve this prompt:\n```\nAnswer in one sentence.\n```',
  'Do not use JSON for the configuration; explain why.',
  'Is a page of 500 words too long?',
  'Tell me about the movie with the two words in its title.',
  'Describe Node.js and when to use it.',
  'A man says three words in ten sentences; what riddle is this from?',
  'Write about the 5 stages of grief and how they were found.',
  '列出 docs 目录下所有超过 200 行的文件',
  '找出不超过 3 行的函数',
  'List all files of more than 200 lines in docs.',
  'Find the functions with at least 50 lines.',
  'Delete all lines over 80 characters.',
  'Rename variables shorter than three characters.',
  'Show me every paragraph of at least 100 words.',
  'Give me two sentences on each of the five options.',
  'Write two lines to the team about the outage.',
  'Write a table of contents for the book.',
  'Write a Python script to sort a list, at most 20 lines.',
  '写一段排序的代码，不超过20行',
  '解释微博的140字限制',
  '为什么推特限制在280字以内？',
  '写一份报告，每段不超过100字。',
  '写一篇文章，标题不超过20字。',
  '写一个函数，返回JSON格式的数据',
  '如何用表格展示数据？',
  '翻译“请用三句话回答”',
  '什么是五个一工程？',
  '他写了三行代码，问题出在哪里？',
]

describe('checkByProgram', () => {
  for (const [goal, fits, breaks] of DEMANDS) {
    it(`checks: ${goal}`, () => {
      expect(checkByProgram(goal, fits)).toEqual([])
      expect(checkByProgram(goal, breaks)).toHaveLength(1)
    })
  }

  for (const goal of NO_DEMANDS) {
    it(`asks for nothing in: ${goal}`, () => {
      expect(demandsOf(goal).filter(({ type }) => type !== 'language')).toEqual([])
    })
  }

  it('says what was asked for and what there is', () => {
    expect(checkByProgram('Explain rain in at most 10 words.', words(30))).toEqual([
      'The goal asks for "at most 10 words"; the result has 30 words.',
    ])
  })
})

describe('files that must exist', () => {
  for (const [goal, paths] of [
    ['Summarise the data and write it to out/report.md.', ['out/report.md']],
    ['Save the list as "results.csv".', ['results.csv']],
    ['Create a file named notes/todo.txt with three items.', ['notes/todo.txt']],
    ['Read data.csv and write the total to total.txt.', ['total.txt']],
    ['Write a plan to `docs/plan.md` and a summary to docs/summary.md', ['docs/plan.md', 'docs/summary.md']],
    ['把结果写入 a.txt', ['a.txt']],
    ['总结 README.md，保存为 out/summary.md', ['out/summary.md']],
    ['Do not write to x.txt.', []],
    ['Read config.json and tell me the port.', []],
    ['Compare Node.js with deno.land', []],
  ] as const) {
    it(`${goal} → ${paths.join(', ') || 'none'}`, () => {
      const found = demandsOf(goal).flatMap((demand) => (demand.type === 'file' ? [demand.path] : []))
      expect(found).toEqual(paths)
    })
  }

  it('leaves the length of the result open where the text goes to a file', () => {
    expect(checkByProgram('Write a 300-word summary to out.md.', 'Written.')).toEqual([])
  })
})
