/** The texts of the frame around all views. */
export const FRAME_WORDS = {
  en: {
    studio: 'Thinkon Studio',
    runs: 'Runs',
    compare: 'Compare',
    commands: 'Commands',
    theme: { system: 'Theme: as the system', light: 'Theme: light', dark: 'Theme: dark' },
    language: '切换为中文',
    skip: 'Skip to the content',
    notThere: 'There is nothing at this address.',
    toRuns: 'All runs',
    broken: 'The page has met an error of its own.',
    again: 'Draw it again',
  },
  zh: {
    studio: 'Thinkon Studio',
    runs: '运行',
    compare: '对比',
    commands: '命令',
    theme: { system: '主题：跟随系统', light: '主题：浅色', dark: '主题：深色' },
    language: 'Switch to English',
    skip: '跳到正文',
    notThere: '这个地址没有内容。',
    toRuns: '全部运行',
    broken: '页面自身出错了。',
    again: '重新绘制',
  },
}
