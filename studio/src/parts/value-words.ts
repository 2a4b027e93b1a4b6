import type { ValueProblem } from './value-drafts.ts'

export const VALUE_WORDS = {
  en: {
    value: 'Value',
    yes: 'true',
    no: 'false',
    choose: 'choose…',
    unset: 'left out',
    json: 'As JSON.',
    add: (name: string) => `Add to ${name}`,
    remove: (name: string) => `Remove ${name}`,
    fillIn: (name: string) => `Fill in ${name}`,
    leaveOut: (name: string) => `Leave out ${name}`,
    problems: {
      missing: 'This is needed.',
      notANumber: 'This is no number.',
      notWhole: 'This must be a whole number.',
      notJson: 'This is no JSON.',
    } satisfies Record<ValueProblem, string>,
  },
  zh: {
    value: '值',
    yes: '是（true）',
    no: '否（false）',
    choose: '请选择…',
    unset: '不填',
    json: '以 JSON 填写。',
    add: (name: string) => `为 ${name} 添加一项`,
    remove: (name: string) => `删除 ${name}`,
    fillIn: (name: string) => `填写 ${name}`,
    leaveOut: (name: string) => `不填 ${name}`,
    problems: {
      missing: '必填。',
      notANumber: '不是数字。',
      notWhole: '必须是整数。',
      notJson: '不是合法的 JSON。',
    } satisfies Record<ValueProblem, string>,
  },
}
