export const STATUS_WORDS = {
  en: {
    todo: 'to do',
    running: 'running',
    waiting: 'waiting',
    stopped: 'stopped',
    completed: 'completed',
    partial: 'partial',
    skipped: 'skipped',
    failed: 'failed',
    cancelled: 'cancelled',
  },
  zh: {
    todo: '待办',
    running: '进行中',
    waiting: '等待中',
    stopped: '已停止',
    completed: '已完成',
    partial: '部分完成',
    skipped: '已跳过',
    failed: '失败',
    cancelled: '已取消',
  },
}
