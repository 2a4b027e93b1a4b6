/** Whom `thinkon serve` tells of runs. Nothing is sent. */
import { type ThinkonConfig, WEBHOOK_EVENTS, webhookSettings } from '../../config/index.ts'
import { errorText } from '../../protocol/index.ts'
import { type Finding, finding } from './finding.ts'
import type { DoctorWords } from './words.ts'

export function checkWebhooks({ webhooks = [] }: ThinkonConfig, words: DoctorWords): Finding[] {
  const problem = problemOf(webhooks)
  const rows = webhooks.map(({ url, events = WEBHOOK_EVENTS, content = false }) => {
    // As it is configured: variables are not filled in, and a query may hold a key.
    const address = url.split(/[?#]/)[0]
    const text = [address, events.join(', '), ...(content ? [words.webhookContent] : [])].join(' · ')
    return finding('webhooks', problem === null ? 'good' : 'note', text, {
      data: { url: address, events, content },
    })
  })
  return problem === null ? rows : [...rows, finding('webhooks', 'warn', words.webhooksRefused(problem))]
}

function problemOf(webhooks: NonNullable<ThinkonConfig['webhooks']>): string | null {
  try {
    webhookSettings({ webhooks })
    return null
  } catch (thrown) {
    return errorText(thrown)
  }
}
