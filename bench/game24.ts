/**
 * The Game of 24. With GPT-4's recorded proposals and values: the paper's search and Thinkon's own. With programs as agents:
 * every solvable puzzle of 1 to 13. With a slow model: the time of a search apart from waiting.
 */
import { measurePace } from './game24-pace.ts'
import {
  type Expansions,
  PROGRAM_SEARCHES,
  REVISED_SEARCHES,
  solvableQuadruples,
  solveByPrograms,
} from './game24-programs.ts'
import {
  adaptiveSearch,
  loadRecording,
  ownSearch,
  paperSearch,
  type Recording,
  recordingPath,
  type SearchOptions,
  searchAll,
  type Tally,
  threeTrees,
} from './game24-recording.ts'
import type { Figures } from './index.ts'

export const about = 'the Game of 24: searches on recorded values, with programs, and against the clock'

/** The last one needs states that were never recorded. */
const BEAMS = [1, 3, 5, 8]

export async function run(): Promise<Figures> {
  // First, while the heap is small: what is in memory later would distort the times.
  const pace = await measurePace()
  const recorded = await recordedFigures(loadRecording())
  const puzzles = solvableQuadruples()
  const bfs = await solveByPrograms(puzzles, PROGRAM_SEARCHES.bfs)
  const dfs = await solveByPrograms(puzzles, PROGRAM_SEARCHES.dfs)
  const revision: Record<string, Expansions> = {}
  for (const [times, search] of Object.entries(REVISED_SEARCHES))
    revision[times] = await solveByPrograms(puzzles, search)
  return {
    figures: { ...recorded.figures, programs: { bfs, dfs }, revision, ...pace },
    lines: [
      ...recorded.lines,
      ...Object.entries({ bfs, dfs }).map(
        ([name, found]) =>
          `programs, ${name.toUpperCase()}: ${found.solved} of ${found.puzzles} solved and verified; ` +
          `${found.expandedMean} nodes expanded on average, ${found.expandedMost} at most`,
      ),
      ...Object.entries(revision).map(
        ([times, found]) =>
          `programs, three moves each, failed paths revised ${times}: ${found.solved} of ${found.puzzles} solved; ` +
          `${found.expandedMean} nodes expanded on average`,
      ),
      `${pace.calls} calls of 20 ms: in memory ${pace.ratio} × by hand (goal 1.04), ` +
        `with the journal (FULL) ${pace.journalRatio} ×`,
    ],
  }
}

export async function recordedFigures(recording: Recording | null): Promise<Figures> {
  if (recording !== null) return onRecording(recording)
  const missing = recordingPath()
  return {
    figures: { missing },
    lines: [
      `recorded values: skipped, there is no ${missing}`,
      'put game24-gpt4.json there, or set THINKON_FIXTURES to its folder',
    ],
  }
}

async function onRecording(recording: Recording): Promise<Figures> {
  const paper = await byBeam(recording, paperSearch)
  const own = await byBeam(recording, (beam) => ownSearch(beam, 'sequential'))
  const ownConcurrent = await byBeam(recording, (beam) => ownSearch(beam, 'concurrent'))
  const adaptive = await byBeam(recording, adaptiveSearch)
  const trees = await byBeam(recording, threeTrees)
  const frontiers = paper['5']?.asRecorded ?? 0
  const of = Object.keys(recording).length
  return {
    figures: {
      paper: shown(paper),
      own: shown(own),
      ownConcurrent: shown(ownConcurrent),
      adaptive: shown(adaptive),
      trees: shown(trees),
      frontiersAsRecorded: frontiers,
    },
    lines: [
      `recorded values, ${of} puzzles: solved, requests for proposals, requests for values`,
      ...linesOf('paper', paper),
      ...linesOf('own, one parent at a time', own),
      ...linesOf('own, a layer at once', ownConcurrent),
      ...linesOf('own, a layer at once, adaptive width', adaptive),
      ...linesOf('own, three trees', trees),
      `paper, beam 5: ${frontiers} of ${of} end with the recorded candidates`,
    ],
  }
}

async function byBeam(
  recording: Recording,
  search: (beam: number) => SearchOptions,
): Promise<Record<string, Tally>> {
  const found: Record<string, Tally> = {}
  for (const beam of BEAMS) found[beam] = await searchAll(recording, search(beam))
  return found
}

/** `unrecorded`: how many proposals were requested for states that the recording does not have. */
function shown(tallies: Readonly<Record<string, Tally>>): object {
  return Object.fromEntries(
    Object.entries(tallies).map(([beam, { solved, proposals, values, unrecorded }]) => [
      beam,
      { solved, proposals, values, unrecorded },
    ]),
  )
}

function linesOf(name: string, tallies: Readonly<Record<string, Tally>>): string[] {
  return Object.entries(tallies).map(([beam, { solved, proposals, values, unrecorded }]) => {
    const mark = unrecorded === 0 ? '' : ` (${unrecorded} for states that were never recorded)`
    return `${name}, beam ${beam}: ${solved}, ${proposals}${mark}, ${values}`
  })
}
