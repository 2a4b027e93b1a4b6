/** Webhooks as the configuration says. Loaded only if there are any. */
import type { Webhooks } from '../server/webhooks/webhooks.ts'
import type { Database } from '../store/postgres/connect.ts'
import type { Setting } from './setting.ts'
import { recordOf } from './telemetry.ts'

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
    const record = recordOf(setting, 'webhooks.db')
    return createWebhooks({ ...given, ...(record !== undefined && { record }) })
  }
  // Several machines serve a cluster: they share the record.
  const { connect } = await import('../store/postgres/connect.ts')
  let database: Database
  const webhooks = createWebhooks({ ...given, record: (text, values) => database.query(text, values) })
  // After the settings were checked: what is wrong with them leaves no connection open.
  database = await connect(cluster.postgres, { maxConnections: 2 })
  return {
    ...webhooks,
    async close() {
      await webhooks.close()
      await database.close()
    },
  }
}
