// The page that shows one run without a service (npm run studio builds its template).
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import { sharedPage } from '../../src/server/studio/shared-page.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { SHIPPED_VIEWS } from '../../src/views.ts'

it.each(['%run%', '%title% and %run%', '$& $1 %run% </script>'])(
  'has the run in it, whatever its goal contains: %s',
  async (goal) => {
    const engine = createEngine({ model: new ScriptedModel(() => ({ do: 'return', result: 'done' })) })
    try {
      const run = await engine.start(goal, { strategy: 'minimal', startedBy: 'service' })
      await run.outcome
      const page = await sharedPage([...(await engine.events(run.id))], new Map(SHIPPED_VIEWS))
      const [, packed = ''] = /id="run">([^<]*)</.exec(page) ?? []
      const text = gunzipSync(Buffer.from(packed, 'base64')).toString()
      expect(text).toContain('run-end')
      expect(text).not.toContain('startedBy')
      expect(page.split(packed)).toHaveLength(2)
    } finally {
      await engine.close()
    }
  },
)
