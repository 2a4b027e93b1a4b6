/**
 * What models that think before they answer may think, in tokens. Providers count it within the cap of a reply, so it comes
 * on top of the cap: otherwise a model would think its answer away. A `thinkingTokens` in the configuration overrides this
 * table; a model that is not in it gets no allowance.
 */
import { undated } from './prices.ts'

export function thinkingOf(model: string): number | undefined {
  const name = bareName(model)
  if (SILENT.test(name)) return undefined
  return THINKING.find(([, names]) => names.test(name))?.[0]
}

/** `openai/gpt-oss-120b`, `deepseek-r1:32b` and `models/Qwen3-8B-Q4.gguf` name a model and more. */
function bareName(model: string): string {
  const name = model.toLowerCase().replace(/\.gguf$/, '')
  return undated(name.slice(name.lastIndexOf('/') + 1))
}

const THINKING: readonly (readonly [tokens: number, names: RegExp])[] = [
  // Those that think long.
  [16_384, /^o[1-9](?:-|$)|^gpt-\d.*-pro\b|^deepseek-(?:r\d|reasoner)|^qwq|-thinking\b/],
  // Those that think unless they are told not to.
  [8_192, /^gpt-(?:[5-9]|oss)|^claude-(?:[a-z]+-)?[5-9](?:-|$)/],
  [8_192, /^gemini-(?:2\.5|[3-9])/],
  [
    8_192,
    /^grok-(?:3-mini|[4-9])|^qwen3|^magistral|\breason(?:er|ing)\b|^glm-(?:4\.[5-9]|[5-9])|^minimax-m\d/,
  ],
]

/** Their relatives that answer at once. */
const SILENT =
  /^gpt-\d[^-]*-chat|^gemini-2\.5-flash-lite|-non-reasoning|-instruct\b|^qwen3-(?:coder|embedding|reranker)/
