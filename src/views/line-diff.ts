/** The lines that make one text of another, for people who read what a tool did or would do to a file. */

export interface DiffLine {
  /** `skipped`: lines that are the same in both and not shown; `text` is how many. */
  readonly kind: 'same' | 'added' | 'removed' | 'skipped'
  readonly text: string
}

/** Above this many pairs of lines, what differs is shown as removed and added whole. */
const MAX_PAIRS = 4_000_000
/** Lines around a change that are shown with it. */
const AROUND = 3

/** Only what differs, with a few lines around it. */
export function lineDiff(before: string, after: string): DiffLine[] {
  return withoutFarLines(allLines(linesOf(before), linesOf(after)))
}

function linesOf(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

function allLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  let head = 0
  while (head < before.length && head < after.length && before[head] === after[head]) head++
  let tail = 0
  const most = Math.min(before.length, after.length) - head
  while (tail < most && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  return [
    ...before.slice(0, head).map(line('same')),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(line('same')),
  ]
}

function line(kind: DiffLine['kind']) {
  return (text: string): DiffLine => ({ kind, text })
}

/** By the longest common subsequence. */
function middle(before: readonly string[], after: readonly string[]): DiffLine[] {
  if (before.length === 0 || after.length === 0 || before.length * after.length > MAX_PAIRS)
    return [...before.map(line('removed')), ...after.map(line('added'))]
  const at = commonLengths(before, after)
  const lines: DiffLine[] = []
  let i = 0
  let j = 0
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ kind: 'same', text: before[i] as string })
      i++
      j++
    } else if (i < before.length && (j === after.length || at(i + 1, j) >= at(i, j + 1)))
      lines.push({ kind: 'removed', text: before[i++] as string })
    else lines.push({ kind: 'added', text: after[j++] as string })
  }
  return lines
}

/** The length of the longest common part of what follows line i of one and line j of the other. */
function commonLengths(
  before: readonly string[],
  after: readonly string[],
): (i: number, j: number) => number {
  const width = after.length + 1
  const lengths = new Uint32Array((before.length + 1) * width)
  const at = (i: number, j: number) => lengths[i * width + j] as number
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  return at
}

function withoutFarLines(lines: readonly DiffLine[]): DiffLine[] {
  const isNear = new Uint8Array(lines.length)
  for (const [at, { kind }] of lines.entries())
    if (kind !== 'same') isNear.fill(1, Math.max(0, at - AROUND), at + AROUND + 1)
  const shown: DiffLine[] = []
  let skipped = 0
  const skip = () => {
    if (skipped > 0) shown.push({ kind: 'skipped', text: String(skipped) })
    skipped = 0
  }
  for (const [at, one] of lines.entries()) {
    if (isNear[at] === 0) skipped++
    else {
      skip()
      shown.push(one)
    }
  }
  skip()
  return shown
}
