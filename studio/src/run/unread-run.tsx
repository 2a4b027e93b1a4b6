/** Instead of a run of which nothing has been read: it comes, or cannot be read. */
import type { RunLog } from '../data/run-log.ts'
import { Empty } from '../parts/notice.tsx'
import { useWords } from '../preferences.ts'
import { addressOf } from '../routing.ts'
import { FRAME_WORDS } from '../words.ts'
import { RUN_WORDS } from './words.ts'

export function UnreadRun({ log }: { log: RunLog }) {
  const words = useWords(RUN_WORDS)
  const frame = useWords(FRAME_WORDS)
  const { connection, problem, run } = log
  if (connection === 'lost') return <Empty title={frame.lost} isPage />
  if (connection !== 'missing' && connection !== 'failed') return <Empty title={words.reading} isPage />
  return (
    <Empty title={connection === 'missing' ? words.missing : words.unreadable} isPage>
      <p className="text" role="alert">
        {connection === 'missing' ? run : problem}
      </p>
      <a href={addressOf(['runs'])}>{frame.toRuns}</a>
    </Empty>
  )
}
