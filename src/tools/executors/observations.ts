/**
 * Checks a plan's `expected_observations` as far as code can: exit code, files, output. The result is met or unmet only if a
 * phrase matches as a whole and has one reading; everything else is unknown, and left to a model.
 */
import { lstat } from 'node:fs/promises'
import type { ToolIo } from '../../kernel/tool.ts'
import { errorText } from '../../protocol/index.ts'
import { LinearPattern } from '../../protocol/patterns/linear-pattern.ts'
import { toolError } from '../define-tool.ts'
import { insideWorkspace, readInside, type WorkspacePath } from '../workspace.ts'
import type { ExecutorResult } from './executor.ts'
import {
  BETWEEN_CLAUSES,
  CHINESE,
  type Check,
  ENGLISH,
  OUTPUTS,
  type TextCheck,
} from './observation-phrases.ts'
import { plainText, presenceOf } from './presence.ts'

export type ObservationResult = 'met' | 'unmet' | 'unknown'

interface Finding {
  readonly verdict: ObservationResult
  /** Why, in a few words. */
  readonly evidence: string
  /** The expected text is not quoted: where it ends is uncertain. */
  readonly open?: boolean
}

/** What an executor gave: one that is no process has no exit code. */
export type Observable = Omit<ExecutorResult, 'exitCode'> & Partial<Pick<ExecutorResult, 'exitCode'>>

export interface Observed extends Omit<Finding, 'open'> {
  readonly observation: string
}

/** One after another: "the file contains …" refers to the file named before. Never rejects. */
export async function checkObservations(
  observations: readonly string[],
  result: Observable,
  where: Pick<Scene, 'workspace' | 'permits'>,
): Promise<Observed[]> {
  const scene: Scene = { result, ...where, file: null, quoted: [] }
  const observed: Observed[] = []
  for (const observation of observations) {
    const { verdict, evidence } = await judge(observation, scene).catch((error) =>
      unknown((error as Error).message),
    )
    observed.push({ observation, verdict, evidence })
  }
  return observed
}

interface Scene {
  readonly result: Observable
  readonly workspace: string
  readonly permits: ToolIo['permits']
  /** The file that was mentioned last. */
  file: string | null
  quoted: string[]
}

const QUOTED = /^\uE000\d+\uE001$/

const MAX_FILE_BYTES = 5_000_000
const MAX_OBSERVATION_CHARS = 1_000

async function judge(observation: string, scene: Scene): Promise<Finding> {
  if (observation.length > MAX_OBSERVATION_CHARS) return unknown('too long to be checked by code')
  const masked = mask(tidy(observation), scene)
  const before = scene.file
  const whole = await judgeClause(masked, scene)
  if (whole?.verdict === 'met' || (whole?.verdict === 'unmet' && !whole.open)) return whole
  const clauses = masked.split(BETWEEN_CLAUSES).filter((clause) => clause !== '')
  if (clauses.length <= 1) return whole ?? unknown('not phrased in a way that code can check')
  scene.file = before
  const parts: Finding[] = []
  for (const clause of clauses)
    parts.push(
      (await judgeClause(tidy(clause), scene)) ??
        unknown(`"${unmask(clause, scene)}" is not checked by code`),
    )
  const all = combined(parts)
  if (all.verdict !== 'unmet' || parts[0]?.verdict === 'unmet') return all
  // "contains a and b": only the first part is a clause. The rest may be about the same thing.
  const isClear = parts.every((part) => part.verdict !== 'unknown') || whole === null
  return isClear ? all : unknown(all.evidence)
}

function combined(findings: readonly Finding[]): Finding {
  const evidence = findings.map((finding) => finding.evidence).join('; ')
  if (findings.some(({ verdict }) => verdict === 'unmet')) return unmet(evidence)
  return findings.every(({ verdict }) => verdict === 'met') ? met(evidence) : unknown(evidence)
}

/** Without bullets, list numbers and the full stop. */
function tidy(text: string): string {
  return text
    .replace(/^\s*(?:[-*•·✓☐]|\[[ x]\]|\d+[.)、）])\s+/u, '')
    .replace(/[\s。！!；;，,]+$|(?<=\S)\.$/u, '')
    .trim()
}

const QUOTES =
  /"([^"]+)"|`([^`]+)`|“([^”]+)”|‘([^’]+)’|「([^」]+)」|『([^』]+)』|《([^》]+)》|(?<=^|[\s：:（(])'([^']+)'(?=$|[\s。.,，;；）)])/gu

function mask(text: string, scene: Scene): string {
  scene.quoted = []
  return text.replace(QUOTES, (_all, ...groups: unknown[]) => {
    const inside = groups.slice(0, 8).find((group) => group !== undefined) as string
    return `\uE000${scene.quoted.push(inside) - 1}\uE001`
  })
}

function unmask(text: string, scene: Scene): string {
  return text.replace(/\uE000(\d+)\uE001/g, (_, at: string) => scene.quoted[Number(at)] ?? '')
}

/** The first phrase that matches and can be judged; null if none matches. */
async function judgeClause(clause: string, scene: Scene): Promise<Finding | null> {
  let undecided: Finding | null = null
  const isChinese = /\p{Script=Han}/u.test(clause.replace(/\uE000\d+\uE001/g, ''))
  for (const { check, pattern } of isChinese ? CHINESE : ENGLISH) {
    const match = pattern.exec(clause)
    if (match === null) continue
    const groups = match.groups ?? {}
    const finding = await judgeMatch(check, groups, scene)
    if (finding.verdict !== 'unknown')
      return { ...finding, open: groups.text !== undefined && !QUOTED.test(groups.text) }
    undecided ??= finding
  }
  return undecided
}

type Groups = Readonly<Record<string, string | undefined>>

function judgeMatch(check: Check, groups: Groups, scene: Scene): Finding | Promise<Finding> {
  const { result } = scene
  switch (check) {
    case 'exit-is':
      return exit(result, (code) => code === Number(groups.number))
    case 'exit-zero':
      return exit(result, (code) => code === 0)
    case 'exit-nonzero':
      return exit(result, (code) => code !== 0)
    case 'file-exists':
      return eachFile(groups, scene, (kind) => kind !== 'none')
    case 'folder-exists':
      return eachFile(groups, scene, (kind) => kind === 'folder')
    case 'file-missing':
      return eachFile(groups, scene, (kind) => kind === 'none')
    case 'output-json':
      return isJson(groups, result)
    case 'output-none':
      return isNone(outputOf(groups, scene))
  }
  const judge = TEXT_JUDGES[check.replace(/^(?:file|output)-/, '') as TextCheck]
  if (check.startsWith('output-')) return judge(outputOf(groups, scene), groups, scene, result.truncated)
  return fileText(groups, scene, (text) => judge(text, groups, scene, false))
}

/** For the text of a file or of the output, of which a part may be cut. */
const TEXT_JUDGES: Readonly<Record<TextCheck, typeof contains>> = {
  contains,
  lacks: (...given) => not(contains(...given)),
  is: equals,
  matches,
  empty: (text) => decide(text.trim() === '', lengthText(text)),
  'not-empty': (text) => decide(text.trim() !== '', lengthText(text)),
}

function exit(result: Observable, fits: (code: number | null) => boolean): Finding {
  const { exitCode: code } = result
  return code === undefined ? unknown('it was no process') : decide(fits(code), exitText(result))
}

function isJson({ out = '' }: Groups, result: Observable): Finding {
  if (result.truncated) return unknown('the output is cut')
  try {
    JSON.parse(/stderr/i.test(out) ? result.stderr : result.stdout)
    return met('it is JSON')
  } catch (error) {
    return unmet(`it is not JSON: ${(error as Error).message}`)
  }
}

/** A search that finds nothing prints nothing, or says so in its own words. */
function isNone(output: string): Finding {
  return output.trim() === '' ? met('there is no output') : unknown(lengthText(output))
}

const met = (evidence: string): Finding => ({ verdict: 'met', evidence })
const unmet = (evidence: string): Finding => ({ verdict: 'unmet', evidence })
const unknown = (evidence: string): Finding => ({ verdict: 'unknown', evidence })
const decide = (holds: boolean, evidence: string): Finding => (holds ? met(evidence) : unmet(evidence))
const lengthText = (text: string) => (text.trim() === '' ? 'it is empty' : `it has ${text.length} characters`)

function exitText({ exitCode, signal, timedOut }: Observable): string {
  if (timedOut) return 'it was stopped because it timed out'
  return exitCode === null ? `it was ended by ${signal ?? 'a signal'}` : `the exit code is ${exitCode}`
}

function not({ verdict, evidence }: Finding): Finding {
  if (verdict === 'unknown') return unknown(evidence)
  return { verdict: verdict === 'met' ? 'unmet' : 'met', evidence }
}

function outputOf({ out }: Groups, { result }: Scene): string {
  const streams = OUTPUTS.find(([word]) => out !== undefined && word.test(out))?.[1] ?? ['stdout', 'stderr']
  return streams.map((stream) => result[stream]).join('\n')
}

// Words that describe something rather than quote it: "contains the result" names no text to look for.
const DESCRIBING =
  /^(?:an?|the|some|all|any|no|valid|correct|expected|正确|相应|对应|所有|一个|有效|预期|完整)\b|^(?:正确|相应|对应|所有|一个|有效|预期|完整)/iu

// One word that is not a word of a language: a number, a piece of code, a path.
const LITERAL = /^(?=.*[^A-Za-z'-])[\x21-\x7e]+$/

/** `literal`: the text is meant literally. */
function wantedOf({ text = '' }: Groups, scene: Scene): { text: string; literal: boolean } {
  const plain = unmask(text, scene)
  return { text: plain, literal: QUOTED.test(text) || LITERAL.test(plain) }
}

function contains(text: string, groups: Groups, scene: Scene, cut: boolean): Finding {
  const wanted = wantedOf(groups, scene)
  const tag = groups.tag === undefined ? null : /^[A-Za-z][\w-]*$/.exec(wanted.text)
  const found = tag === null ? presenceOf(wanted.text, text) : presenceOf(`<${tag[0]}>`, text)
  if (found === 'there') return met(`${JSON.stringify(wanted.text)} is in it`)
  if (cut) return unknown('the output is cut')
  if (found === 'similar') return unknown(`something like ${JSON.stringify(wanted.text)} is in it`)
  if ((tag !== null || wanted.literal) && !DESCRIBING.test(wanted.text))
    return unmet(`${JSON.stringify(wanted.text)} is not in it`)
  return unknown(`it is not clear whether ${JSON.stringify(wanted.text)} is meant literally`)
}

function equals(text: string, groups: Groups, scene: Scene, cut: boolean): Finding {
  if (cut) return unknown('the output is cut')
  const wanted = wantedOf(groups, scene)
  const same = (one: string) => one.replaceAll('\r\n', '\n').trim()
  // "The output" is what it prints: an additional warning on stderr does not matter.
  const prints = groups.out !== undefined && !/err|错/i.test(groups.out) ? scene.result.stdout : text
  if ([text, prints].some((one) => same(one) === same(wanted.text))) return met('it is that')
  return wanted.literal && plainText(text) !== plainText(wanted.text)
    ? unmet(`it is ${JSON.stringify(same(text).slice(0, 80))}`)
    : unknown('it is something else')
}

function matches(text: string, groups: Groups, scene: Scene, cut: boolean): Finding {
  const given = unmask(groups.text ?? '', scene)
  const [, source = given, flags = ''] = /^\/(.+)\/([imsu]*)$/s.exec(given) ?? []
  try {
    const found = new LinearPattern(source, `m${flags}`).test(text)
    if (!found && cut) return unknown('the output is cut')
    return decide(found, found ? 'it matches' : 'it does not match')
  } catch (error) {
    return unknown(`the expression can't be used: ${errorText(error)}`)
  }
}

interface Looked {
  readonly kind: 'file' | 'folder' | 'none'
  readonly text: string
}

async function eachFile(
  groups: Groups,
  scene: Scene,
  fits: (kind: Looked['kind']) => boolean,
): Promise<Finding> {
  const findings: Finding[] = []
  for (const name of filesOf(groups, scene)) {
    const { kind, text } = await look(name.path, scene)
    // A plain word may not be meant as the name of a file: "the report exists".
    if (name.isPath || kind !== 'none') findings.push(decide(fits(kind), text))
    else findings.push(unknown(`it is not clear whether "${name.path}" is a file`))
    scene.file = name.path
  }
  return combined(findings)
}

async function fileText(
  groups: Groups,
  scene: Scene,
  judgeText: (text: string) => Finding,
): Promise<Finding> {
  const named = groups.same === undefined ? filesOf(groups, scene)[0] : undefined
  const path = named?.path ?? scene.file
  if (path === null || path === undefined) return unknown('it does not say which file is meant')
  const file = await look(path, scene)
  if (named !== undefined && !named.isPath && file.kind === 'none')
    return unknown(`it is not clear whether "${path}" is a file`)
  scene.file = path
  if (file.kind !== 'file') return unmet(file.text)
  const { bytes } = await readInside(await readable(path, scene), MAX_FILE_BYTES)
  const finding = judgeText(bytes.toString('utf8'))
  return { ...finding, evidence: `${path}: ${finding.evidence}` }
}

function filesOf({ files = '' }: Groups, scene: Scene): { path: string; isPath: boolean }[] {
  return files
    .split(/\s*(?:、|，|,|和|及|与|以及|\band\b|&)\s*/iu)
    .filter((name) => name !== '')
    .map((name) => {
      const path = unmask(name, scene)
      return { path, isPath: name !== path || looksLikePath(path) }
    })
}

/** Han characters after an extension are not part of the name: "login.html中的表单". */
function looksLikePath(word: string): boolean {
  return /[./\\]/.test(word) && /[A-Za-z0-9]/.test(word) && !/\.[A-Za-z0-9]+\p{Script=Han}/u.test(word)
}

async function look(path: string, scene: Scene): Promise<Looked> {
  const { real } = await readable(path, scene)
  try {
    const folder = (await lstat(real)).isDirectory()
    return { kind: folder ? 'folder' : 'file', text: `${path} ${folder ? 'is a folder' : 'exists'}` }
  } catch {
    return { kind: 'none', text: `${path} does not exist` }
  }
}

/** Throws where the policy does not let it be read: then nothing is said of it, not even whether it exists. */
async function readable(path: string, { workspace, permits }: Scene): Promise<WorkspacePath> {
  if (permits({ does: 'read', path }) !== 'allow') throw toolError(`${path} may not be read here`)
  return insideWorkspace(workspace, path)
}
