import { expect, it } from 'vitest'
import { ACTIONS } from '../react/actions.ts'
import { view } from './index.ts'

it('streams the fields that the actions have for people', () => {
  const fields = ACTIONS.flatMap(({ streamFields }) => streamFields)
  expect(view.streamFields).toEqual(expect.arrayContaining(fields))
  expect(fields).toContain('plan_request_payload')
})
