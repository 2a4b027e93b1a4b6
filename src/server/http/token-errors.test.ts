import { expect, it } from 'vitest'
import { accessOf } from './access.ts'

it.each(['a token that has spaces in it', 'short', ''])(
  'refuses the token "%s", which could not be sent or is guessed',
  (token) => {
    expect(() => accessOf({ tokens: ['a-token-of-this-test', token] })).toThrow(
      'serviceApp: tokens[1] must have at least 16 characters and no spaces',
    )
  },
)

it.each([
  [undefined, 'a token is needed: send it as "Authorization: Bearer <token>"'],
  ['a-token-of-this-test', 'the header Authorization must be "Bearer <token>", and a token has no spaces'],
  ['Bearer two words', 'the header Authorization must be "Bearer <token>", and a token has no spaces'],
  ['Bearer another-token-of-this-test', 'the token in the header Authorization is not one of this service'],
])('says what is wrong with the header %j', async (authorization, message) => {
  const headers = authorization === undefined ? {} : { authorization }
  const request = new Request('http://127.0.0.1/api/runs', { headers })
  const access = accessOf({ tokens: ['a-token-of-this-test'] })
  await expect(access.require(request, 'look')).rejects.toMatchObject({ status: 401, message })
})
