// What `npm run bench -- game24` is made of, on a recording by hand; and on the real one where it is there.
import { describe, expect, it } from 'vitest'
import { recordedFigures } from '../../bench/game24.ts'
import { measurePace } from '../../bench/game24-pace.ts'
import {
  PROGRAM_SEARCHES,
  quadruples,
  REVISED_SEARCHES,
  solvableQuadruples,
  solveByPrograms,
} from '../../bench/game24-programs.ts'
import {
  adaptiveSearch,
  loadRecording,
  ownSearch,
  paperSearch,
  type RecordedPuzzle,
  recordingPath,
  searchAll,
  searchRecorded,
  threeTrees,
} from '../../bench/game24-recording.ts'
import { SMALL_RECORDING } from './small-recording.ts'

const DOUBLED = SMALL_RECORDING['1 1 4 6'] as RecordedPuzzle
const MISJUDGED = SMALL_RECORDING['2 3 4 5'] as RecordedPuzzle

describe("the paper's search on a recording", () => {
  it('ends with the recorded candidates; a line that comes twice in a layer is asked about once and is worth nothing', async () => {
    const found = await searchRecorded('1 1 4 6', DOUBLED, paperSearch(2))
    expect(found).toMatchObject({ solved: true, final: DOUBLED.final })
    // The root, its right line and its wrong sum (which was never expanded), then two parents in each layer.
    expect(found).toMatchObject({ proposals: 1 + 2 + 2 + 2, unrecorded: 1, values: 2 + 3 + 2 + 2 })
  })

  it('loses what the values misjudge, and what is only said to be right', async () => {
    const found = await searchRecorded('2 3 4 5', MISJUDGED, paperSearch(2))
    expect(found).toMatchObject({ solved: false, final: MISJUDGED.final })
  })
})

describe("Thinkon's own search on a recording", () => {
  it('drops wrong sums, asks about each state once, and about none of two numbers', async () => {
    const found = await searchRecorded('1 1 4 6', DOUBLED, ownSearch(2, 'sequential'))
    expect(found).toMatchObject({ solved: true, proposals: 2, values: 1, unrecorded: 0 })
  })

  it('does not depend on opinions about states that a program can settle', async () => {
    const found = await searchRecorded('2 3 4 5', MISJUDGED, ownSearch(1, 'sequential'))
    expect(found).toMatchObject({ solved: true, proposals: 2, values: 2 })
  })

  it('is spared the other parents by a certain state under the best, unless a layer is expanded at once', async () => {
    const sequential = await searchRecorded('2 3 4 5', MISJUDGED, ownSearch(2, 'sequential'))
    const concurrent = await searchRecorded('2 3 4 5', MISJUDGED, ownSearch(2, 'concurrent'))
    expect([sequential.solved, sequential.proposals]).toEqual([true, 2])
    expect([concurrent.solved, concurrent.proposals]).toEqual([true, 3])
  })
})

describe('the figures', () => {
  it('are by search and beam, and tell of states that were never recorded', async () => {
    const { figures, lines } = await recordedFigures(SMALL_RECORDING)
    expect(figures).toMatchObject({
      paper: { 1: { solved: 1 }, 3: { solved: 1 }, 5: { solved: 1 }, 8: { solved: 1 } },
      own: { 1: { solved: 2, proposals: 4, values: 3, unrecorded: 0 }, 5: { solved: 2 } },
      ownConcurrent: { 1: { solved: 2 }, 5: { solved: 2, unrecorded: expect.any(Number) } },
      adaptive: { 1: { solved: 2 }, 5: { solved: 2 } },
      trees: { 1: { solved: 2 }, 5: { solved: 2 } },
    })
    expect(lines.join('\n')).toContain('for states that were never recorded')
  })

  it('say where the recording belongs when it is not there', async () => {
    expect(loadRecording('/nowhere/game24-gpt4.json')).toBeNull()
    const { figures, lines } = await recordedFigures(null)
    expect(figures).toEqual({ missing: recordingPath() })
    expect(lines.join('\n')).toContain('THINKON_FIXTURES')
  })
})

describe('program agents', () => {
  it('have 1,362 of 1,820 quadruples of 1 to 13 to solve', () => {
    expect([solvableQuadruples().length, quadruples(13).length]).toEqual([1_362, 1_820])
  })

  it('solve every small one breadth-first and depth-first, and those that need fractions', async () => {
    const hard = [
      [3, 3, 8, 8],
      [1, 5, 5, 5],
      [4, 4, 10, 10],
    ]
    const puzzles = [...solvableQuadruples(4), ...hard]
    for (const search of [PROGRAM_SEARCHES.bfs, PROGRAM_SEARCHES.dfs]) {
      const found = await solveByPrograms(puzzles, search)
      expect(found.solved, search.search).toBe(puzzles.length)
      expect(found.expanded, search.search).toBeGreaterThan(3 * puzzles.length)
    }
  })

  it('that propose few moves solve more when failed paths are revised', async () => {
    const puzzles = solvableQuadruples(6)
    const never = await solveByPrograms(puzzles, REVISED_SEARCHES.never)
    const ten = await solveByPrograms(puzzles, REVISED_SEARCHES.ten)
    expect(never.solved).toBeLessThan(puzzles.length)
    expect(ten.solved).toBeGreaterThan(never.solved)
  })

  it('do not solve what has no solution', async () => {
    expect(await solveByPrograms([[1, 1, 1, 1]], PROGRAM_SEARCHES.bfs)).toMatchObject({ solved: 0 })
  })
})

it('a search with a slow model makes the same calls as the one by hand', async () => {
  expect(await measurePace(1)).toMatchObject({ calls: 68, ratio: expect.any(Number) })
})

const recording = loadRecording()

describe.skipIf(recording === null)(
  `GPT-4's recording (${recordingPath()}; skipped when it is not there)`,
  () => {
    it("gives 69 of 100 and the recorded frontiers with the paper's search", async () => {
      expect(await searchAll(recording ?? {}, paperSearch(5))).toEqual({
        solved: 69,
        proposals: 1_600,
        values: 8_397,
        unrecorded: 0,
        asRecorded: 100,
      })
    })

    it('search goals: at least 76 with the own search, at most 700 requests for proposals and 3,000 for values', async () => {
      const { solved, proposals, values } = await searchAll(recording ?? {}, ownSearch(5, 'sequential'))
      expect(solved).toBeGreaterThanOrEqual(76)
      expect(proposals).toBeLessThanOrEqual(700)
      expect(values).toBeLessThanOrEqual(3_000)
    })

    it('adaptive width solves more than a fixed one of about as many requests; three trees more than one', async () => {
      const adaptive = await searchAll(recording ?? {}, adaptiveSearch(5))
      const three = await searchAll(recording ?? {}, ownSearch(3, 'concurrent'))
      const four = await searchAll(recording ?? {}, ownSearch(4, 'concurrent'))
      const share = (adaptive.proposals - three.proposals) / (four.proposals - three.proposals)
      expect(adaptive.solved).toBeGreaterThan(three.solved + share * (four.solved - three.solved))
      const trees = await searchAll(recording ?? {}, threeTrees(3))
      expect(trees.solved).toBeGreaterThan(three.solved)
    })
  },
)
