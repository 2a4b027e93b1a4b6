/** Webhooks as the configuration says. Loaded only if there are any. */
import type { Webhooks } from '../server/webhooks/webhooks.ts'
import type { Setting } from './setting.ts'
import { recordBeside } from './telemetry.ts'

/** Null if none are configured. */
export async function webhooksFor(
  setting: Setting,
  onProblem?: (message: string) => void,
): Promise<Webhooks | null> {
  const { webhooks: receivers = [] } = setting.loaded.config
  if (receivers.length === 0) return null
  const { createWebhooks } = await import('../server/webhooks/webhooks.ts')
  const given = { receivers, ...(onProblem && { onProblem }) }
  const { cluster } = setting
  if (cluster === null) {
    const record = recordBeside(setting, 'webhooks')
    return createWebhooks({ ...given, ...(record !== undefined && { record }) })
  }
  // Several machines serve a cluster: they share the record.
  const { connect } = await import('../store/postgres/connect.ts')
  const database = await connect(cluster.postgres, { maxConnections: 2 })
  const webhooks = createWebhooks({ ...given, record: (text, values) => database.query(text, values) })
  return {
    ...webhooks,
    async close() {
      await webhooks.close()
      await database.close()
    },
  }
}
