/** What a client may be given, as tables. What its methods are given is checked by the service, except for what its addresses are made of. */
import {
  type Arguments,
  amount,
  anything,
  type Fields,
  fields,
  func,
  must,
  text,
} from '../protocol/check-arguments.ts'
import type { ClientOptions } from './api.ts'

const URL_NEEDED = 'the address of the service, as thinkon serve prints it'

export const CREATE_CLIENT: Arguments = {
  checks: {
    options: fields(
      {
        url: must('an address', (value) => typeof value === 'string' || value instanceof URL),
        token: text,
        fetch: func(),
        retryMs: amount(),
        giveUpMs: amount(),
        silenceMs: amount(),
        views: anything,
      } satisfies Fields<ClientOptions>,
      { needs: { url: URL_NEEDED } },
    ),
  },
  needs: { options: `{ url }: ${URL_NEEDED}` },
}

/** An id of any other kind would become an address of something else. */
export const A_RUN: Arguments = {
  checks: { run: must('a text that is not empty', (id) => typeof id === 'string' && !/^\.{0,2}$/.test(id)) },
  needs: { run: "the run's id" },
}
