/** How `dual` is drawn: the tasks of its plan below the coordinator's row. */

import type { StrategyView } from '../../../views/strategy-view.ts'
import { steerTask } from './steer-task.ts'
import { tasksDetail } from './task-lines.ts'

export const view: StrategyView = {
  detail: tasksDetail,
  steer: steerTask,
  // The thought of every action, the stream fields of each, and what reflection and compaction write.
  streamFields: [
    'human_readable_thought',
    'plan_request_payload',
    'blueprint_payload',
    'question',
    'goal',
    'result',
    'answer',
    'advice',
    'summary',
  ],
}
