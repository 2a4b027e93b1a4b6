/** Whether a text seems to contain a key or a password: what is remembered is shown to models of later runs. */
export function looksSecret(text: string): boolean {
  if (SHAPES.some((shape) => shape.test(text))) return true
  return (text.match(/[A-Za-z0-9+/_=-]{32,}/g) ?? []).some(isRandom)
}

const SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\b(?:sk|pk|rk|gsk|xai|hf)[-_][\w-]{16,}/,
  /\b(?:ghp|gho|ghu|ghs|ghr|github_pat)_\w{16,}/,
  /\bglpat-[\w-]{16,}/,
  /\bxox[abeprs]-[\w-]{10,}/,
  /\bAIza[\w-]{30,}/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\./,
  /\b(?:bearer|basic)\s+[\w.~+/=-]{16,}/i,
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]+:[^\s/@]+@/i,
  // The name of a secret followed by a value; "the password is asked for at login" has none.
  /(?:api[-_ ]?key|access[-_ ]?key|secret|token|passw(?:or)?d|passphrase)["'`]?\s*(?:[:=]|\bis\b:?)\s*["'`]?(?=[^\s"'`]*[\d!@#$%^&*])[^\s"'`]{6,}/i,
  /(?:密码|口令|密钥|令牌)\s*(?:[:=:]|是|为)\s*["'`]?[\x21-\x7e]{6,}/,
]

const MIN_BITS_A_CHAR = 4.2

/** Letters of both cases and digits, with little repetition. A hash in hex does not qualify, nor does a path or a long name. */
function isRandom(word: string): boolean {
  if (!/[a-z]/.test(word) || !/[A-Z]/.test(word) || !/[0-9]/.test(word)) return false
  if (word.split(/[/_=-]/).filter((part) => part.length >= 20).length === 0) return false
  return bitsAChar(word) >= MIN_BITS_A_CHAR
}

function bitsAChar(word: string): number {
  const counts = new Map<string, number>()
  for (const char of word) counts.set(char, (counts.get(char) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / word.length) * Math.log2(count / word.length)
  return bits
}
