// The die problem, thought by thought, as a model might think it: with an error in the second thought that the third finds.

export const DIE_PROBLEM =
  'A fair die is rolled until 3, 4, 5 come up in that order on consecutive rolls. What is the chance that the number of rolls is odd?'

export const DIE_THOUGHTS: readonly string[] = [
  `Here is my first thought.

\`\`\`yaml
current_thinking: |
  What matters is how much of 3, 4, 5 has just come up: nothing (state 0), 3 (state 1), or 3, 4 (state 2).
  Let a, b, c be the chances that the number of rolls still to come is odd, from each of these states.
planning:
  - description: "Model the states"
    status: "Done"
    result: "states 0, 1, 2 with the chances a, b, c"
  - description: "Set up an equation for each state"
    status: "Pending"
    sub_steps:
      - description: "Equation for state 0"
        status: "Pending"
      - description: "Equation for state 1"
        status: "Pending"
      - description: "Equation for state 2"
        status: "Pending"
  - description: "Solve for a"
    status: "Pending"
next_thought_needed: true
\`\`\``,

  `evaluation: "The states are right: nothing else of the past matters."
current_thinking: |
  After one roll the rest must be even, which has the chance 1 minus that of the new state.
  State 0: a 3 leads to state 1, all else back to 0: a = 1/6 (1 - b) + 5/6 (1 - a), so 11a + b = 6.
  State 1: a 4 leads to state 2, all else back to 0: b = 1/6 (1 - c) + 5/6 (1 - a), so 5a + 6b + c = 6.
planning:
  - description: Model the states
    status: Done
    result: states 0, 1, 2 with the chances a, b, c
  - description: Set up an equation for each state
    status: Pending
    sub_steps:
      - description: Equation for state 0
        status: Done
        result: 11a + b = 6
      - description: Equation for state 1
        status: Done
        result: 5a + 6b + c = 6
      - description: Equation for state 2
        status: Pending
  - description: Solve for a
    status: Pending
next_thought_needed: true`,

  `evaluation: |
  The equation for state 0 holds. The one for state 1 does not: a 3 after a 3 stays in state 1, and does not go back to 0.
current_thinking: |
  The equation for state 1 has to be set up again before anything rests on it.
planning:
  - description: Model the states
    status: Done
    result: states 0, 1, 2 with the chances a, b, c
  - description: Set up an equation for each state
    status: Pending
    sub_steps:
      - description: Equation for state 0
        status: Done
        result: 11a + b = 6
      - description: Equation for state 1
        status: Verification Needed
        mark: "a 3 after a 3 was left out: it stays in state 1"
      - description: Equation for state 2
        status: Pending
  - description: Solve for a
    status: Pending
next_thought_needed: true`,

  `evaluation: The doubt was right.
current_thinking: |
  State 1: a 4 leads to 2, a 3 stays, the other four lead to 0: b = 1/6 (1 - c) + 1/6 (1 - b) + 4/6 (1 - a), so 4a + 7b + c = 6.
planning:
  - description: Model the states
    status: Done
    result: states 0, 1, 2 with the chances a, b, c
  - description: Set up an equation for each state
    status: Pending
    sub_steps:
      - description: Equation for state 0
        status: Done
        result: 11a + b = 6
      - description: Equation for state 1
        status: Done
        result: 4a + 7b + c = 6
      - description: Equation for state 2
        status: Pending
  - description: Solve for a
    status: Pending
next_thought_needed: true`,

  JSON.stringify({
    evaluation: 'All six faces are accounted for in state 1 now.',
    current_thinking:
      'State 2: a 5 ends it, and one roll is odd; a 3 leads to 1, the other four to 0: c = 1/6 + 1/6 (1 - b) + 4/6 (1 - a), so 4a + b + 6c = 6.',
    planning: [
      { description: 'Model the states', status: 'Done', result: 'states 0, 1, 2 with the chances a, b, c' },
      {
        description: 'Set up an equation for each state',
        status: 'Done',
        result: '11a + b = 6; 4a + 7b + c = 6; 4a + b + 6c = 6',
        sub_steps: [
          { description: 'Equation for state 0', status: 'Done', result: '11a + b = 6' },
          { description: 'Equation for state 1', status: 'Done', result: '4a + 7b + c = 6' },
          { description: 'Equation for state 2', status: 'Done', result: '4a + b + 6c = 6' },
        ],
      },
      { description: 'Solve for a', status: 'Pending' },
    ],
    next_thought_needed: true,
  }),

  `evaluation: The three equations hold.
current_thinking: |
  b = 6 - 11a, and c = 6 - 4a - 7b = 73a - 36. Into the third: 4a + 6 - 11a + 438a - 216 = 6, so 431a = 216.
planning:
  - description: Model the states
    status: Done
    result: states 0, 1, 2 with the chances a, b, c
  - description: Set up an equation for each state
    status: Done
    result: 11a + b = 6; 4a + 7b + c = 6; 4a + b + 6c = 6
  - description: Solve for a
    status: Done
    result: a = 216/431
next_thought_needed: true`,

  `evaluation: 11 · 216/431 + 210/431 = 6, and the others hold too.
current_thinking: |
  The chance that the number of rolls is odd is 216/431, a little more than a half.
planning:
  - description: Model the states
    status: Done
    result: states 0, 1, 2 with the chances a, b, c
  - description: Set up an equation for each state
    status: Done
    result: 11a + b = 6; 4a + 7b + c = 6; 4a + b + 6c = 6
  - description: Solve for a
    status: Done
    result: a = 216/431
next_thought_needed: false`,
]
