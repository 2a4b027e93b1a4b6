// A person as the model, in the page: the request as a model gets it, the form of its schema, calls of tools, and plain text.
import type { Page } from 'playwright-core'
import { afterAll, afterEach, expect, it } from 'vitest'
import type { Strategy } from '../../src/kernel/strategy.ts'
import type { ModelReply } from '../../src/protocol/index.ts'
import { calculateTool } from '../../src/tools/builtin/calculate.ts'
import { closeBrowser, endAll, openStudio, type Studio } from './open-studio.ts'

afterEach(endAll)
afterAll(closeBrowser)

/** Everything that a form has fields for. */
const SCHEMA = {
  type: 'object',
  properties: {
    title: { type: 'string', description: 'What it is called' },
    pages: { type: 'integer' },
    price: { type: ['number', 'null'] },
    isNew: { type: 'boolean' },
    kind: { enum: ['poem', 'novel'] },
    tags: { type: 'array', items: { type: 'string' } },
    chapters: { type: 'array', items: { $ref: '#/$defs/chapter' } },
    ending: {
      anyOf: [
        { type: 'object', properties: { as: { const: 'open' } }, required: ['as'] },
        {
          type: 'object',
          properties: { as: { const: 'happy' }, why: { type: 'string' } },
          required: ['as', 'why'],
        },
      ],
    },
    notes: { type: 'object', properties: { by: { type: 'string' } }, required: ['by'] },
    anything: {},
  },
  required: ['title', 'pages', 'isNew', 'kind', 'chapters', 'ending'],
  $defs: {
    chapter: {
      type: 'object',
      properties: { name: { type: 'string' }, parts: { type: 'array', items: { $ref: '#/$defs/chapter' } } },
      required: ['name'],
    },
  },
}

/** Asks its model for a book, and gives back what it got. */
const books: Strategy = {
  name: 'books',
  version: 1,
  options: (given) => given,
  async solve(context) {
    const request = { kind: 'books/write', version: 1, role: 'act', schema: SCHEMA } as const
    const messages = [
      { role: 'system', content: 'You know all books.' },
      { role: 'user', content: 'Which is the best?' },
    ] as const
    const { value } = (await context.one(context.model({ ...request, messages }))) as ModelReply
    return JSON.stringify(value)
  },
}

async function open(
  goal: string,
  strategy: string,
  locale = 'en',
): Promise<{ studio: Studio; page: Page; run: string }> {
  const engine = { model: 'person', strategies: [books], tools: [calculateTool()] }
  const studio = await openStudio({ engine })
  const response = await studio.post('/api/runs', { goal, strategy })
  const { run } = (await response.json()) as { run: string }
  const page = await studio.open(`/runs/${run}`, { locale })
  page.setDefaultTimeout(15_000)
  return { studio, page, run }
}

const EXACT = { exact: true } as const
const bar = (page: Page) => page.locator('.waiting')
const ended = (page: Page, word: string) => page.locator('.run-head .pill', { hasText: word }).waitFor()

async function resultOf({ service }: Studio, run: string): Promise<string | undefined> {
  return (await service.engine.state(run)).outcome?.result
}

it('is filled in as a form, by keys and clicks: what is missing is said, and lists, parts and unions are there', async () => {
  const { studio, page, run } = await open('A book', 'books')
  const card = bar(page)
  await card.getByText('You are the model: answer books/write').last().waitFor()
  await card.getByText('You know all books.').waitFor()
  await card.getByText('Which is the best?').waitFor()
  await card.getByLabel('title', EXACT).fill('Middlemarch')
  await card.getByLabel('pages', EXACT).fill('many')
  await card.getByRole('button', { name: 'Answer', ...EXACT }).click()
  await card.getByText('Something is missing: see the marked fields.').waitFor()
  await card.getByText('This is no number.').waitFor()
  expect(await card.getByText('This is needed.').count()).toBe(3)
  await card.getByLabel('pages', EXACT).fill('880')
  // By keys alone: a choice is made with the arrows.
  await card.getByLabel('isNew', EXACT).focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await card.getByLabel('kind', EXACT).selectOption('novel')
  await card.getByLabel('price', EXACT).selectOption('number')
  await card.getByLabel('number', EXACT).fill('12.5')
  await card.getByRole('button', { name: 'Add to tags' }).click()
  await card.getByLabel('tags 1', EXACT).fill('Victorian')
  await card.getByRole('button', { name: 'Add to tags' }).click()
  await card.getByRole('button', { name: 'Remove tags 2' }).click()
  await card.getByRole('button', { name: 'Add to chapters' }).click()
  const chapter = card.getByRole('group', { name: 'chapters 1' })
  await chapter.getByLabel('name', EXACT).fill('Miss Brooke')
  await chapter.getByRole('button', { name: 'Add to parts' }).click()
  await chapter.getByRole('group', { name: 'parts 1' }).getByLabel('name', EXACT).fill('Prelude')
  await card.getByLabel('ending', EXACT).selectOption({ label: 'as: "happy"' })
  await card.getByLabel('why', EXACT).fill('they marry\nat last')
  await card.getByRole('button', { name: 'Fill in notes' }).click()
  await card.getByLabel('by', EXACT).fill('George Eliot')
  await card.getByLabel('anything', EXACT).fill('[1, 2]')
  await card.getByRole('button', { name: 'Answer', ...EXACT }).click()
  await ended(page, 'completed')
  expect(JSON.parse((await resultOf(studio, run)) as string)).toEqual({
    title: 'Middlemarch',
    pages: 880,
    price: 12.5,
    isNew: false,
    kind: 'novel',
    tags: ['Victorian'],
    chapters: [{ name: 'Miss Brooke', parts: [{ name: 'Prelude' }] }],
    ending: { as: 'happy', why: 'they marry\nat last' },
    notes: { by: 'George Eliot' },
    anything: [1, 2],
  })
  expect(studio.problems).toEqual([])
}, 60_000)

it('calls a tool, writes text, is asked again with what was wrong, and two pages see the same', async () => {
  const { studio, page, run } = await open('what is 6 * 7?', 'minimal')
  const other = await studio.open(`/runs/${run}?block=1`)
  const card = bar(page)
  await card.getByRole('tab', { name: 'Call a tool' }).click()
  await card.getByLabel('Tool', EXACT).selectOption('calculate')
  await card.getByRole('button', { name: 'Call it' }).click()
  await card.getByText('This is needed.').waitFor()
  await card.getByLabel('expression', EXACT).fill('6 * 7')
  await card.getByRole('button', { name: 'Add another call' }).click()
  await card.getByLabel('expression', EXACT).fill('1 + 1')
  await card.getByRole('button', { name: 'Make 2 calls' }).click()
  // The results are in the next request, here and there.
  await other.locator('.panel .question').getByText('42').first().waitFor()
  await card.getByText('42').first().waitFor()
  await card.getByRole('tab', { name: 'Text' }).click()
  await card.getByRole('button', { name: 'Answer', ...EXACT }).click()
  await card.getByText('Say something first.').waitFor()
  await card.getByLabel('Reply', EXACT).fill('forty-two')
  await page.keyboard.press('Control+Enter')
  await card.getByText("That reply can't be used: answer minimal/next again").last().waitFor()
  await card.getByText('there is no JSON in it').waitFor()
  await card.getByRole('tab', { name: 'Form' }).focus()
  await page.keyboard.press('ArrowLeft')
  await card.getByLabel('Reply', EXACT).fill('Here: {"do":"return","result":"42"}')
  await card.getByRole('button', { name: 'Answer', ...EXACT }).click()
  await Promise.all([page, other].map((one) => ended(one, 'completed')))
  expect(await resultOf(studio, run)).toBe('42')
  expect(studio.problems).toEqual([])
}, 60_000)

it('forks at a reply that calls a tool: the call can be seen and edited, and the person is asked what comes after it', async () => {
  const { studio, page, run } = await open('what is 6 * 7?', 'minimal')
  const card = bar(page)
  await card.getByRole('tab', { name: 'Call a tool' }).click()
  await card.getByLabel('Tool', EXACT).selectOption('calculate')
  await card.getByLabel('expression', EXACT).fill('6 * 7')
  await card.getByRole('button', { name: 'Call it' }).click()
  await card.getByText('42').first().waitFor()
  const events = [...(await studio.service.engine.events(run))]
  const reply = events.find(({ type }) => type === 'model-end')
  await page.goto(`${studio.url}/#/runs/${run}?at=${reply?.seq}`)
  await page.getByText(`As it was at event ${reply?.seq}`).waitFor()
  await page.keyboard.press('F')
  const field = page.getByLabel('Reply of the model')
  const text = await field.inputValue()
  expect(text).toContain('6 * 7')
  await field.fill(text.replace('6 * 7', '6 * 700'))
  await page.getByRole('button', { name: 'Fork with the edit' }).click()
  await page.getByRole('link', { name: 'Compare with its origin' }).waitFor()
  await card.getByText('4200').first().waitFor()
  expect(studio.problems).toEqual([])
}, 60_000)

it('leaves room for the chosen block on a narrow page', async () => {
  const { studio, page, run } = await open('what is 6 * 7?', 'minimal')
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(`${studio.url}/#/runs/${run}?block=1&tab=events`)
  await page.locator('.panel').waitFor()
  await bar(page).getByRole('tab', { name: 'Text' }).waitFor()
  const box = (selector: string) => page.locator(selector).boundingBox()
  const whole = (await box('.panel')) ?? { y: 0, height: 0 }
  const content = (await box('.panel [role=tabpanel]')) ?? { y: 0 }
  // What is below the tabs: three lines at least.
  expect(whole.y + whole.height - content.y).toBeGreaterThan(60)
  expect(studio.problems).toEqual([])
}, 60_000)

it('is Chinese for who reads Chinese', async () => {
  const { studio, page, run } = await open('六乘七等于多少？', 'minimal', 'zh-CN')
  const card = bar(page)
  await card.getByText('请你充当模型，回答 minimal/next').last().waitFor()
  await card.getByRole('tab', { name: '调用工具' }).click()
  await card.getByLabel('工具', EXACT).waitFor()
  await card.getByRole('tab', { name: '表单' }).click()
  await card.getByRole('button', { name: '回答', ...EXACT }).click()
  await card.getByText('有未填好的内容，见标出的各栏。').waitFor()
  await card.getByLabel('do', EXACT).selectOption('return')
  await card.getByRole('button', { name: '以文本编辑' }).click()
  expect(await card.getByLabel('回答', EXACT).inputValue()).toContain('"do": "return"')
  await card.getByLabel('回答', EXACT).fill('{"do":"return","result":"四十二"}')
  await card.getByRole('button', { name: '回答', ...EXACT }).click()
  await ended(page, '已完成')
  expect(await resultOf(studio, run)).toBe('四十二')
}, 60_000)
