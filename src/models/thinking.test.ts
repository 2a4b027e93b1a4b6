import { expect, it } from 'vitest'
import { thinkingOf } from './thinking.ts'

it.each([
  'o1',
  'o3-mini',
  'o4-mini-2025-04-16',
  'gpt-5',
  'gpt-5-mini',
  'gpt-5.2-pro',
  'gpt-6-sol',
  'gpt-oss:20b',
  'openai/gpt-oss-120b',
  'claude-opus-5',
  'claude-sonnet-5-5',
  'claude-fable-5-1',
  'gemini-2.5-pro',
  'gemini-3-flash-preview',
  'deepseek-reasoner',
  'deepseek-r1:32b',
  'deepseek-ai/DeepSeek-R1-Distill-Qwen-32B',
  'qwen3:8b',
  'Qwen/Qwen3-235B-A22B-Thinking-2507',
  'models/Qwen3-8B-Q4_K_M.gguf',
  'qwq:32b',
  'grok-4',
  'grok-4-fast-reasoning',
  'grok-3-mini',
  'magistral-small',
  'kimi-k2-thinking',
])('%s has an allowance for thinking', (model) => {
  expect(thinkingOf(model)).toBeGreaterThanOrEqual(8_192)
})

it.each([
  'gpt-4o',
  'gpt-4.1-mini',
  'gpt-5-chat-latest',
  'gpt-5.2-chat-latest',
  'claude-opus-4-5',
  'claude-sonnet-4-6',
  'claude-3-haiku',
  'gemini-2.0-flash',
  'gemini-2.5-flash-lite',
  'deepseek-chat',
  'qwen2.5:7b',
  'qwen3-coder:30b',
  'Qwen3-30B-A3B-Instruct-2507',
  'grok-3',
  'grok-4-fast-non-reasoning',
  'llama3.2',
  'mistral-large',
  'fake',
])('%s has none', (model) => {
  expect(thinkingOf(model)).toBeUndefined()
})
