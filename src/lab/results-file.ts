/** The file of a lab's results: a first line that says of which lab, then one line for each run as soon as it is checked. */
import { randomBytes } from 'node:crypto'
import { appendFileSync, existsSync, truncateSync } from 'node:fs'
import { readFileText } from '../files/open-file.ts'
import { PRIVATE_FILE, replaceFile } from '../files/private-files.ts'
import { isObject, parseJson, ThinkonError, type Usage } from '../protocol/index.ts'
import { type LabResult, labResultsIn } from '../views/lab-results.ts'
import { fingerprintOf, type Plan } from './plan.ts'

export interface ResultsFile {
  readonly path: string
  /** Begins the ids of its runs. */
  readonly lab: string
  /** Those of earlier sittings first. */
  readonly results: LabResult[]
  readonly lost: LostRun[]
  append(result: LabResult): void
  appendLost(lost: LostRun): void
}

/** A run that was left under way and begun anew: what it had spent. */
export interface LostRun {
  readonly type: 'lost'
  readonly run: string
  readonly usage: Usage
}

interface Head {
  readonly type: 'lab'
  readonly version: 1
  readonly lab: string
  readonly seed: string
  readonly settings: readonly string[]
  readonly models: readonly string[]
  readonly tasks: number
  readonly repeats: number
  readonly plan: string
}

/** Goes on with the file if it is of the same lab; `overwrite` begins anew. Throws BAD_INPUT if it is of another. */
export function openResults(path: string, plan: Plan, overwrite: boolean): ResultsFile {
  const head = headOf(plan)
  if (overwrite || !existsSync(path)) {
    replaceFile(path, `${JSON.stringify(head)}\n`)
    return file(path, head.lab, '')
  }
  const text = readFileText(path)
  const known = parseJson(text.split('\n')[0] ?? '')
  if (!isObject(known) || known.type !== 'lab' || typeof known.lab !== 'string')
    throw bad(`${path} is not a file of results of a lab`)
  if (known.plan !== head.plan)
    throw bad(`${path} has the results of another lab: ${difference(known, head)}`)
  // A line that a kill has cut off counts for nothing, and must not run into the next.
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  if (whole.length < text.length) truncateSync(path, Buffer.byteLength(whole))
  return file(path, known.lab, whole)
}

function file(path: string, lab: string, text: string): ResultsFile {
  const results = labResultsIn(text)
  const lost = text.split('\n').map(parseJson).filter(isLost)
  const write = (line: object) => appendFileSync(path, `${JSON.stringify(line)}\n`, { mode: PRIVATE_FILE })
  return {
    path,
    lab,
    results,
    lost,
    append(result) {
      write(result)
      results.push(result)
    },
    appendLost(one) {
      write(one)
      lost.push(one)
    },
  }
}

function isLost(value: unknown): value is LostRun {
  return isObject(value) && value.type === 'lost' && isObject(value.usage)
}

function headOf(plan: Plan): Head {
  return {
    type: 'lab',
    version: 1,
    lab: `lab-${randomBytes(4).toString('hex')}`,
    seed: plan.seed,
    settings: plan.settings.map(({ name }) => name),
    models: plan.models,
    tasks: plan.tasks.length,
    repeats: plan.repeats,
    plan: fingerprintOf(plan),
  }
}

const COMPARED = ['seed', 'settings', 'models', 'tasks', 'repeats'] as const

function difference(known: Record<string, unknown>, head: Head): string {
  const field = COMPARED.find((name) => JSON.stringify(known[name]) !== JSON.stringify(head[name]))
  return field === undefined
    ? 'its tasks or limits differ'
    : `its ${field}: ${JSON.stringify(known[field])}, not ${JSON.stringify(head[field])}`
}

function bad(message: string): ThinkonError {
  return new ThinkonError('BAD_INPUT', `${message}; choose another file with --out, or --force overwrites it`)
}
