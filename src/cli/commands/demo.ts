/**
 * Shows what strategies make of a model that errs: each goal asked once, then through a strategy. The runs are real ones in the store, of
 * embedded:mini, whatever is configured: a first run never costs money.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunOutcome } from '../../engine.ts'
import { type Line, segment } from '../../views/line.ts'
import { textWidth, wrapProse } from '../../views/text-width.ts'
import { type Lang, wordsOf } from '../../views/words.ts'
import type { CommandCall, CommandRun } from '../command.ts'
import { SCENES, type Scene, SEED } from '../demo/scenes.ts'
import { verdictOn } from '../demo/verdict.ts'
import { DEMO_WORDS } from '../demo/words.ts'
import { driveRun } from '../drive-run.ts'
import { localeLang } from '../locale.ts'
import { langOption } from '../options.ts'
import type { Output } from '../output.ts'
import { type Session, withSession } from '../session.ts'
import { prepareStore, readSetting } from '../setting.ts'

const MODEL = 'embedded:mini'
/** How much longer a call takes, and how long an answer stands, where somebody watches. */
const CALL_MS = 120
const PAUSE_MS = 600
const LABEL_CELLS = 15

export const demo: CommandRun = async (call) => {
  const { values, out } = call
  const setting = await readSetting(values)
  const lang = langOption(values) ?? setting.loaded.config.lang ?? localeLang()
  out.lang = lang
  prepareStore(setting)
  const words = DEMO_WORDS[lang]
  const show: Show = { ...call, lang, print: (lines) => out.json || out.printLines(lines) }
  const model = out.live ? `${MODEL}#${CALL_MS}` : MODEL
  return withSession(
    values,
    async (session) => {
      const slowed = out.live ? [words.slowed(String(CALL_MS / 1_000))] : []
      show.print(fitted([words.what, ...slowed].join(lang === 'zh' ? '\n' : ' '), out))
      for (const [i, scene] of SCENES.entries()) {
        const code = await play(scene, i + 1, { ...show, session })
        if (code !== 0) return code
      }
      show.print([[], ...fitted(asCalledHere(words.end), out), [], [segment(words.next, 'strong')]])
      show.print(
        words.commands.map(([what, command]) => [
          padded(`  ${what}`, 26, 'dim'),
          segment(asCalledHere(command)),
        ]),
      )
      return 0
    },
    model,
  )
}

interface Show extends Pick<CommandCall, 'values' | 'out'> {
  lang: Lang
  /** Not where JSON is read. */
  print(lines: readonly Line[]): void
}

/** One goal, asked both ways; an exit code that is not 0 if it was stopped. */
async function play(scene: Scene, n: number, show: Show & { session: Session }): Promise<number> {
  const { lang, out, print } = show
  const words = DEMO_WORDS[lang]
  const goal = scene.goal[lang]
  const title = [segment(`${n}  `, 'active'), segment(goal, 'strong')]
  print([[], title, []])
  const direct = await ask(goal, 'best-of', { ...show, isShown: false })
  if (typeof direct === 'number') return direct
  const once = verdictLine(words.once, goal, direct, lang)
  const how = [segment(`   ${words.how[scene.strategy]}`)]
  print([once])
  if (out.live) await sleep(PAUSE_MS)
  const isShown = show.values.quiet !== true
  if (isShown) print([[], how, []])
  const below = [title, [], once, [], how, []]
  const reasoned = await ask(goal, scene.strategy, { ...show, isShown, below })
  if (typeof reasoned === 'number') return reasoned
  print([...(isShown ? [[]] : []), verdictLine(words.by(scene.strategy), goal, reasoned, lang)])
  if (out.live) await sleep(PAUSE_MS)
  return 0
}

/** The outcome; or the exit code, if the run was left before it had one. */
async function ask(
  goal: string,
  strategy: 'best-of' | Scene['strategy'],
  { out, session, lang, isShown, below = [] }: Show & { session: Session; isShown: boolean; below?: Line[] },
): Promise<RunOutcome | number> {
  let outcome: RunOutcome | undefined
  const { engine, workspace } = session
  const code = await driveRun({
    out,
    session,
    lang,
    yes: false,
    quiet: !isShown,
    below,
    async begin({ onEvent }) {
      const options = strategy === 'best-of' ? { samples: 1 } : {}
      const run = await engine.start(goal, {
        strategy,
        options,
        seed: SEED,
        workspace,
        ...(onEvent && { onEvent }),
      })
      run.outcome.then(
        (ended) => (outcome = ended),
        () => {},
      )
      return run
    },
  })
  return outcome ?? code
}

/** Who says what, and whether it is right. */
function verdictLine(label: string, goal: string, { result, usage }: RunOutcome, lang: Lang): Line {
  const { isRight, said, problem } = verdictOn(goal, result)
  const note = isRight ? wordsOf(lang).calls(usage.calls) : problem
  return [
    padded(`   ${label}`, LABEL_CELLS),
    segment(isRight ? '✓ ' : '✗ ', isRight ? 'good' : 'bad'),
    segment(said, 'strong'),
    segment(` · ${note}`, isRight ? 'dim' : 'warn'),
  ]
}

function padded(text: string, cells: number, tone: 'plain' | 'dim' = 'plain') {
  return segment(text + ' '.repeat(Math.max(1, cells - textWidth(text))), tone)
}

/** A terminal would break the lines anywhere. */
function fitted(text: string, out: Output): Line[] {
  return wrapProse(text, out.width() - 1)
    .split('\n')
    .map((line) => [segment(line)])
}

/** In its own checkout npm would install the package anew for npx, and does not, as `.npmrc` says. */
function asCalledHere(text: string): string {
  return process.env.npm_lifecycle_event === 'start'
    ? text.replaceAll('npx thinkon', 'node bin/thinkon')
    : text
}
