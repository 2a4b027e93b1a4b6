export const REQUEST_WORDS = {
  en: {
    same: (n: number) =>
      n === 1 ? '1 message as in the request before' : `${n} messages as in the request before`,
    message: (role: string) =>
      ({ system: 'Rules', user: 'Given', assistant: 'Model', tool: 'Tool result' })[role] ?? role,
    shortened: (n: number) => (n === 1 ? 'shortened in 1 place' : `shortened in ${n} places`),
    data: (from: string) => `data from ${from}`,
    chars: (n: string) => `${n} characters`,
    offered: (n: number) => `${n} tools offered`,
    schema: 'Form of the reply',
  },
  zh: {
    same: (n: number) => `与上一次请求相同的 ${n} 条消息`,
    message: (role: string) =>
      ({ system: '规则', user: '给定内容', assistant: '模型', tool: '工具结果' })[role] ?? role,
    shortened: (n: number) => `${n} 处被缩短`,
    data: (from: string) => `数据：${from}`,
    chars: (n: string) => `${n} 个字符`,
    offered: (n: number) => `提供 ${n} 个工具`,
    schema: '回复的格式',
  },
}
