/**
 * Backslashes that nobody doubled: JSON reads the beginning of \frac, \times and C:\new as a form feed, a tab and a line break. What
 * can't be meant as such a character gets its backslash back; what can be read both ways is refused.
 */

/**
 * A text as it was decoded, with the backslashes that were meant; null if it can be read two ways. `stray` are the words after
 * backslashes that JSON does not know (`alpha` of \alpha): they show that this text does not double its backslashes.
 */
export function withBackslashes(text: string, stray: readonly string[] = []): string | null {
  if (stray.length === 0 && !CONTROL.test(text)) return text
  const marks = [...text.matchAll(MARK)].map((match) => markOf(match, text))
  const isLatex = stray.length > 0 && stray.every((word) => LATEX.has(word)) && isMath(stray)
  const isOther = stray.length > 0 && !isLatex
  const shown = marks.filter(({ kind }) => kind === 'literal')
  const hasPaths = isOther || shown.some(({ word }) => !isCommand(word))
  const hasLatex = isLatex || shown.some(({ word }) => isCommand(word))
  const isUnclear = ({ kind }: Mark) =>
    kind === 'unclear' ||
    ((kind === 'escape' || kind === 'plain') && hasPaths) ||
    (kind === 'either' && (hasPaths || hasLatex))
  if (marks.some(isUnclear) || (isOther && marks.some(({ word }) => /^[nrt]/.test(word)))) return null
  const literal = new Map(shown.map(({ at, word }) => [at, word]))
  return text.replace(MARK, (all, _, at: number) => (literal.has(at) ? `\\${literal.get(at)}` : all))
}

/** Brackets alone are those of a formula only in pairs: \( and \). One of them may be a pattern's. */
function isMath(stray: readonly string[]): boolean {
  const count = (word: string) => stray.filter((one) => one === word).length
  const isPaired = count('(') === count(')') && count('[') === count(']') && count('{') === count('}')
  return isPaired || stray.some((word) => /^[a-z]/i.test(word))
}

export const UNCLEAR_BACKSLASHES =
  'a text has backslashes that can be read two ways; write \\\\ for each backslash that is meant'

const CONTROL = /[\b\f]|[\r\n\t][a-z]/i
const MARK = /\r\n|[\b\f\r\n\t]([a-z]*)/gi
const LETTERS: Record<string, string> = { '\b': 'b', '\f': 'f', '\r': 'r', '\n': 'n', '\t': 't' }

interface Mark {
  readonly at: number
  /** The letter of the escape and those that follow it. */
  readonly word: string
  /** `plain`: followed by no letter. `escape`: what JSON says. `either`: a short command, or a line that begins with its rest. */
  readonly kind: 'literal' | 'plain' | 'escape' | 'either' | 'unclear'
}

function markOf(match: RegExpExecArray, text: string): Mark {
  const { 0: all, 1: rest = '', index: at } = match
  const letter = LETTERS[all[0] as string] as string
  const word = letter + rest
  return { at, word, kind: all === '\r\n' ? 'plain' : kindOf(letter, word, text, at) }
}

function kindOf(letter: string, word: string, text: string, at: number): Mark['kind'] {
  // Nobody means a backspace, or a form feed or a carriage return in the middle of a line.
  if (letter === 'b') return 'literal'
  if (word.length === 1) return 'plain'
  const before = text.slice(Math.max(0, at - 120), at)
  // Programs have lines that begin with eq.
  if (word === 'neq' && !/[ $(){}\d]$/.test(before)) return 'unclear'
  if (letter === 'f' || COMMANDS.has(word)) return 'literal'
  if (letter === 'r') return 'unclear'
  if (DRIVE.test(before)) return driveKind(word, text)
  if (WORD_COMMANDS.has(word)) return 'either'
  if (!SHORT_COMMANDS.has(word)) return 'escape'
  const isTan = letter === 't' && (text[at + word.length] === '{' || /[ (=+{]$/.test(before))
  return isTan || before.endsWith('$') ? 'literal' : 'either'
}

/** `C:`, and folders below it. */
const DRIVE = /(?:^|[^a-z\d])[a-z]:(?:[\b\f\r\n\t\\][\w.-]{0,60}){0,10}$/i

/** A well-known folder, or a text that is nothing but a path, as far as one can see. */
function driveKind(word: string, text: string): Mark['kind'] {
  if (FOLDERS.has(word.toLowerCase())) return 'literal'
  return text.length < 300 && /^[a-z]:(?:[\b\f\r\n\t\\][^\s\\\b]*)*$/i.test(text) ? 'unclear' : 'escape'
}

function isCommand(word: string): boolean {
  return [COMMANDS, SHORT_COMMANDS, WORD_COMMANDS, LATEX].some((words) => words.has(word))
}

/** Where a drive letter stands before them: what is left of them without their first letter is no word. */
const FOLDERS = new Set(
  'new node nodejs notes net network nginx npm nas names temp tmp test tests tools target table tables templates tasks text texts themes tutorial tutorials'.split(
    ' ',
  ),
)

/** Commands of LaTeX whose rest (`imes`, `abla`) is no word. */
const COMMANDS = new Set(
  [
    'times theta textbf textit textrm texttt textsf textstyle textcolor tfrac tbinom tanh tilde triangle triangleq',
    'triangleleft triangleright therefore thicksim thickapprox thinspace twoheadrightarrow',
    'nabla neq notin not newline newcommand nleq ngeq ngtr nsubseteq nsupseteq natural nearrow',
    'nwarrow nolimits nonumber negthinspace',
    'rho right rightarrow rightleftharpoons rightharpoonup rightharpoondown rangle rceil rfloor rm ref rbrace rbrack rvert rVert',
    'rtimes root raisebox renewcommand rule risingdotseq',
  ].flatMap((line) => line.split(' ')),
)

/** Those whose rest may begin a line: `\nu`, `\tan`. */
const SHORT_COMMANDS = new Set('tan to top tau text tag nu ne ni neg'.split(' '))

/** Those whose rest is a word: `\nexists` is a sign of logic, and a line that begins with "exists". */
const WORD_COMMANDS = new Set(
  'nless nmid nparallel nexists ncong nsim nprec nsucc nleftarrow nrightarrow'.split(' '),
)

/** Commands that JSON knows no escape for, or that begin with \b and \f. */
const LATEX = new Set(
  [
    'alpha gamma delta epsilon varepsilon zeta eta iota kappa lambda mu xi pi sigma phi varphi chi psi omega upsilon vartheta',
    'Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega Upsilon cdot cdots ldots dots vdots ddots sqrt sum prod int iint oint',
    'lim limits sin cos cot sec csc sinh cosh arcsin arccos arctan log ln exp max min sup inf det dim gcd mod pmod le leq ge geq',
    'll gg approx equiv sim simeq cong propto pm mp div ast star circ cup cap subset subseteq supset supseteq in emptyset',
    'varnothing exists infty partial hbar ell Re Im angle perp parallel mid langle lceil lfloor left leftarrow leftrightarrow',
    'Leftarrow Rightarrow Leftrightarrow implies iff mapsto hat vec dot ddot overline underline overbrace underbrace widehat',
    'mathbb mathbf mathcal mathrm mathit mathfrak mathsf operatorname end quad qquad left item label cite section usepackage',
    'documentclass dfrac cfrac choose pmatrix land lor lnot oplus otimes setminus prime color mathop displaystyle stackrel',
    'overset underset xrightarrow vert Vert lvert lbrace hline hspace vspace cases phantom substack square checkmark dagger',
    'beta bar begin binom big Big bigg bigl bigr boxed bot bmod bmatrix because bullet bigcup bigcap bigoplus bf boldsymbol',
    'frac forall flat fbox footnote',
    ...[...'()[]{},;:!%$&_#|^'],
  ].flatMap((line) => line.split(' ')),
)
