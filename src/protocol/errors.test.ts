import { describe, expect, it } from 'vitest'
import { errorData, ThinkonError } from './errors.ts'

describe('an error', () => {
  it('goes into the journal and comes out again', () => {
    const error = new ThinkonError('MODEL_ERROR', 'too many requests', {
      retryable: true,
      data: { status: 429 },
      cause: new Error('socket'),
    })
    const back = ThinkonError.fromJSON(JSON.parse(JSON.stringify(error)))
    expect(back.toJSON()).toEqual({
      code: 'MODEL_ERROR',
      message: 'too many requests',
      retryable: true,
      data: { status: 429 },
      cause: 'socket',
    })
    expect(ThinkonError.isInstance(back)).toBe(true)
  })

  it('leaves out what it does not have', () => {
    expect(new ThinkonError('LIMIT', 'enough').toJSON()).toEqual({ code: 'LIMIT', message: 'enough' })
  })

  it('is told from others, also across copies of the class', () => {
    const copy = Object.assign(new Error('a copy'), { [Symbol.for('thinkon.error')]: true })
    expect(ThinkonError.isInstance(copy)).toBe(true)
    expect(ThinkonError.isInstance(new Error('plain'))).toBe(false)
    expect(ThinkonError.isInstance({ code: 'LIMIT' })).toBe(false)
  })

  it('is made of anything that can be thrown', () => {
    expect(errorData(new TypeError('no function'), 'TOOL_ERROR')).toEqual({
      code: 'TOOL_ERROR',
      message: 'no function',
    })
    expect(errorData('just text', 'TOOL_ERROR')).toEqual({ code: 'TOOL_ERROR', message: 'just text' })
    expect(errorData(undefined, 'TOOL_ERROR')).toEqual({ code: 'TOOL_ERROR', message: 'undefined' })
    expect(errorData(new ThinkonError('LIMIT', 'enough'), 'TOOL_ERROR').code).toBe('LIMIT')
  })
})
