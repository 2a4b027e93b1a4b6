import { expect, it } from 'vitest'
import { cleanText, escapeJson, showHidden } from './terminal-text.ts'

const ESC = '\u001b'
const ST = `${ESC}\\`

it.each([
  ['a colour', `a${ESC}[31mb${ESC}[0mc`, 'abc'],
  ['a colour with colons', `${ESC}[38:2::255:0:0mred`, 'red'],
  ['a private mode', `${ESC}[?1049hb${ESC}[?25l`, 'b'],
  ['clearing the screen', `${ESC}[2J${ESC}[Hb`, 'b'],
  ['a report of the cursor', `${ESC}[6nb`, 'b'],
  ['CSI of eight bits', 'a\u009b2Jb', 'ab'],
  ['CSI that does not end', `a${ESC}[12;3`, 'a'],
  ['CSI inside CSI', `${ESC}[3${ESC}[31m1mb`, '1mb'],
  ['a sequence that removing another would make', `${ESC}${ESC}[31m[2Jb`, '[2Jb'],
  ['a title', `a${ESC}]0;root@host\u0007b`, 'ab'],
  ['a title ended by ST', `a${ESC}]2;x${ST}b`, 'ab'],
  ['a title of eight bits', 'a\u009d0;x\u009cb', 'ab'],
  ['a title that does not end hides nothing', `a${ESC}]0;rest`, 'a0;rest'],
  ['a title does not reach the next line', `${ESC}]0;x\nnext\u0007`, '0;x\nnext'],
  ['a link', `${ESC}]8;;https://evil.example${ST}text${ESC}]8;;${ST}`, 'text'],
  ['the clipboard', `${ESC}]52;c;cm0gLXJm\u0007b`, 'b'],
  ['a picture', `${ESC}Pq#0;2;0;0;0${ST}b`, 'b'],
  ['a query of the terminfo', `${ESC}P+q544e${ST}b`, 'b'],
  ['APC, PM and SOS', `${ESC}_Gx${ST}${ESC}^y${ST}${ESC}Xz${ST}b`, 'b'],
  ['DCS of eight bits', 'a\u0090q\u009cb', 'ab'],
  ['a reset', `${ESC}cb`, 'b'],
  ['another set of characters', `${ESC}(0b`, 'b'],
  ['shift out', 'a\u000eb\u000f', 'ab'],
  ['saving the cursor', `${ESC}7b${ESC}8`, 'b'],
  ['ESC alone', `a${ESC}`, 'a'],
  ['CR over a line', 'rm -rf /\rls       ', 'rm -rf /ls       '],
  ['CR LF', 'a\r\nb', 'a\nb'],
  ['backspaces', 'bad\b\b\bgood', 'badgood'],
  ['a bell', 'a\u0007b', 'ab'],
  ['NUL and DEL', 'a\u0000b\u007fc', 'abc'],
  ['vertical tab and form feed', 'a\u000bb\u000cc', 'abc'],
  ['NEL and other C1', 'a\u0085b\u0084c', 'abc'],
  ['overrides of the direction', 'a\u202ecod.exe\u202c b\u2066c\u2069', 'acod.exe bc'],
  ['half a character', 'a\ud83db\udc00', 'a\ufffdb\ufffd'],
])('removes %s', (_, text, clean) => {
  expect(cleanText(text)).toBe(clean)
  expect(cleanText(clean)).toBe(clean)
})

it.each([
  'tab\tand\nlines',
  'Zürich 中文 👩‍👩‍👧 עברית العربية',
  '[31m is not a sequence',
  'e\u0301',
  'a\u200bb\ufeffc',
])('leaves %j as it is', (text) => expect(cleanText(text)).toBe(text))

it('leaves nothing that a terminal acts on, whatever control characters are mixed', () => {
  const parts = [
    ESC,
    '[',
    ']',
    'P',
    '\\',
    '\u0007',
    '\u009b',
    '\u009d',
    '\u009c',
    ';',
    '0',
    'm',
    '\r',
    '\u202e',
    'x',
  ]
  let seed = 7
  const next = () => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31)
  for (let i = 0; i < 20_000; i++) {
    const text = Array.from({ length: 12 }, () => parts[next() % parts.length]).join('')
    expect(cleanText(text)).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
  }
})

it('takes time in proportion to the text', () => {
  for (const part of [`${ESC}]`, `${ESC}[`, `${ESC}[1;`, `${ESC}P\n`, '\u009d', `${ESC} `])
    expect(cleanText(part.repeat(200_000))).not.toContain(ESC)
})

it('JSON says the same, without a character that a terminal acts on', () => {
  const value = { '\u009b2J': 'a\u007f\u0085\u202e\u2066b\u001b[31m\ud800 中文' }
  const json = escapeJson(JSON.stringify(value))
  expect(json).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
  expect(JSON.parse(json)).toEqual(value)
})

it('shows what is hidden, where a person decides by it', () => {
  expect(showHidden('a\u001b[31m\u202e\u200b\ue000\u2028中\n')).toBe(
    'a\\u{1b}[31m\\u{202e}\\u{200b}\\u{e000}\\u{2028}中\\u{a}',
  )
  expect(showHidden('a\n\tb\r', '\n\t')).toBe('a\n\tb\\u{d}')
})
