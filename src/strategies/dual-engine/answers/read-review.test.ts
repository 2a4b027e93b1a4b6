import { describe, expect, it } from 'vitest'
import { readPlanReview, readTaskReview } from './read-review.ts'

describe('what a person says about a plan', () => {
  it.each([
    ['continue', { choice: 'continue' }],
    ['Yes', { choice: 'continue' }],
    ['ok.', { choice: 'continue' }],
    ['y', { choice: 'continue' }],
    ['继续', { choice: 'continue' }],
    ['好的。', { choice: 'continue' }],
    ['', { choice: 'continue' }],
    ['Go ahead!', { choice: 'continue' }],
    ['end', { choice: 'end' }],
    ['结束', { choice: 'end' }],
    ['go back to the first idea', { choice: 'revise', words: 'go back to the first idea' }],
    ['ok but drop the last task', { choice: 'revise', words: 'ok but drop the last task' }],
    ['yes: and add tests', { choice: 'revise', words: 'yes: and add tests' }],
    ['stop using the shell', { choice: 'revise', words: 'stop using the shell' }],
    ['end with a summary task', { choice: 'revise', words: 'end with a summary task' }],
    ['rename 1-2', { choice: 'edit', edits: [{ do: 'rename', task: '1-2', name: '' }] }],
    [{ choice: 'continue', words: 'fine' }, { choice: 'continue' }],
    ['unclear: what is c?', { choice: 'revise', words: 'unclear: what is c?' }],
    ['incomplete: tests: unit and e2e', { choice: 'revise', words: 'incomplete: tests: unit and e2e' }],
    ['不完整：缺少测试', { choice: 'revise', words: '不完整：缺少测试' }],
    ['put the tests first, please', { choice: 'revise', words: 'put the tests first, please' }],
    ['remove 1-2', { choice: 'edit', edits: [{ do: 'remove', task: '1-2' }] }],
    ['删除 1-2、1-3', { choice: 'edit', edits: ['1-2', '1-3'].map((task) => ({ do: 'remove', task })) }],
    ['remove 1-2 t7', { choice: 'edit', edits: ['1-2', 't7'].map((task) => ({ do: 'remove', task })) }],
    ['remove write the tests', { choice: 'edit', edits: [{ do: 'remove', task: 'write the tests' }] }],
    ['rename 1-2: tidy up', { choice: 'edit', edits: [{ do: 'rename', task: '1-2', name: 'tidy up' }] }],
    ['rename 1-2 tidy up', { choice: 'edit', edits: [{ do: 'rename', task: '1-2', name: 'tidy up' }] }],
    ['subtasks 1-1, 1-3: by module', { choice: 'subtasks', tasks: ['1-1', '1-3'], words: 'by module' }],
    ['{"edits":[{"do":"remove","task":"1-1"}]}', { choice: 'edit', edits: [{ do: 'remove', task: '1-1' }] }],
    [
      { choice: 'subtasks', tasks: ['1-1'] },
      { choice: 'subtasks', tasks: ['1-1'], words: '' },
    ],
    [
      { choice: 'revise', words: 'shorter' },
      { choice: 'revise', words: 'shorter' },
    ],
    ['{ that is no JSON', { choice: 'revise', words: '{ that is no JSON' }],
  ])('%j', (said, review) => expect(readPlanReview(said)).toEqual(review))
})

describe('what a person says about a task that has ended', () => {
  it.each([
    ['continue', { choice: 'continue' }],
    ['', { choice: 'continue' }],
    ['adjust: skip the rest', { choice: 'adjust', words: 'skip the rest' }],
    ['调整：先做第三个', { choice: 'adjust', words: '先做第三个' }],
    ['deeper: by year', { choice: 'deeper', words: 'by year' }],
    ['inaccurate: it is 14', { choice: 'inaccurate', words: 'it is 14' }],
    ['不准确：应为 14', { choice: 'inaccurate', words: '应为 14' }],
    ['end', { choice: 'end' }],
    ['now do the tests', { choice: 'adjust', words: 'now do the tests' }],
    ['continue without the tests', { choice: 'adjust', words: 'continue without the tests' }],
    ['stop writing to /tmp', { choice: 'adjust', words: 'stop writing to /tmp' }],
    [{}, { choice: 'continue' }],
    [
      { choice: 'rethink', words: 'why?' },
      { choice: 'adjust', words: 'why?' },
    ],
    [
      { choice: 'inaccurate', words: 'why?' },
      { choice: 'inaccurate', words: 'why?' },
    ],
  ])('%j', (said, review) => expect(readTaskReview(said)).toEqual(review))
})
