import { describe, expect, it } from 'vitest'
import { walk } from '../../../../tests/views/game24-walk.ts'
import { journal } from '../../../../tests/views/journal.ts'
import { plainText } from '../../../views/line.ts'
import { textWidth } from '../../../views/text-width.ts'
import { isMessage } from './fold-thoughts.ts'
import { messageLine } from './message-line.ts'

describe('message lines', () => {
  it('tell who says what to whom, of every type, within the width', () => {
    const messages = walk().events.filter(isMessage)
    expect(new Set(messages.map(({ data }) => data.type)).size).toBe(10)
    const lines = messages.map((event) => plainText([messageLine(event, 125)]))
    expect(lines[0]).toBe(
      '    2  05:06:07.237  1  orchestrator → decomposer     decompose_task        math_reasoning: Make 24 from 4, 9, 10 and 13',
    )
    expect(lines.at(-2)).toContain(
      'synthesizer → explorer        final_solution        ✓ (10 - (13 - 9)) × 4 = 24',
    )
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(125)
  })

  it('tell an error in place of the payload', () => {
    const error = { code: 'EVALUATION_TIMEOUT', message: 'too\nlate', recoverable: true }
    const data = { from: 'evaluator', to: 'explorer', type: 'evaluation_results', task_id: 't', error }
    const [event] = journal().note('1', 'tot/message', data).events.filter(isMessage)
    expect(plainText([messageLine(event!, 120)])).toContain(
      'evaluation_results    EVALUATION_TIMEOUT: too late',
    )
  })
})
