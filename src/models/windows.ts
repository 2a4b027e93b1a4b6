/**
 * Context windows of known models in tokens, from the providers' documentation. A `window` in the configuration overrides
 * this table; local servers are asked (measure-window.ts); a model that is in neither has no window here, and the kernel
 * assumes one.
 */
import { undated } from './prices.ts'

export function windowOf(provider: string, model: string): number | undefined {
  const table = WINDOWS[provider] ?? []
  for (const name of [model, undated(model)])
    for (const [window, names] of table) if (names.includes(name)) return window
  return undefined
}

const WINDOWS: Readonly<Record<string, readonly (readonly [window: number, names: readonly string[]])[]>> = {
  openai: [
    [
      1_050_000,
      [
        'gpt-6.1-sol',
        'gpt-6.1-terra',
        'gpt-6-sol',
        'gpt-6-luna',
        'gpt-5.6-sol',
        'gpt-5.6-terra',
        'gpt-5.6-luna',
        'gpt-5.4',
      ],
    ],
    [1_047_576, ['gpt-4.1', 'gpt-4.1-mini', 'gpt-4.1-nano']],
    [400_000, ['gpt-5.4-mini', 'gpt-5.2', 'gpt-5.1', 'gpt-5', 'gpt-5-mini', 'gpt-5-nano']],
    [200_000, ['o1', 'o3', 'o3-mini', 'o4-mini']],
    [128_000, ['gpt-4o', 'gpt-4o-mini']],
  ],
  anthropic: [
    [
      1_000_000,
      [
        'claude-fable-5-1',
        'claude-fable-5',
        'claude-opus-5-5',
        'claude-opus-5',
        'claude-opus-4-8',
        'claude-opus-4-7',
        'claude-opus-4-6',
        'claude-sonnet-5-5',
        'claude-sonnet-5',
        'claude-sonnet-4-6',
        'claude-haiku-5-5',
      ],
    ],
    [
      200_000,
      [
        'claude-opus-4-5',
        'claude-opus-4-1',
        'claude-opus-4-0',
        'claude-opus-4',
        'claude-sonnet-4-5',
        'claude-sonnet-4-0',
        'claude-sonnet-4',
        'claude-haiku-4-5',
        'claude-3-haiku',
      ],
    ],
  ],
  google: [
    [
      1_048_576,
      [
        'gemini-3.8-flash',
        'gemini-3.1-pro-preview',
        'gemini-3-pro-preview',
        'gemini-3-flash-preview',
        'gemini-2.5-pro',
        'gemini-2.5-flash',
        'gemini-2.5-flash-lite',
      ],
    ],
  ],
}
