/**
 * Every MUST of the document that a program can check, by name: above it the section that demands it and what it demands, in
 * short; then the message for the model. Violations are reported in this order.
 *
 * Not here: text around the object, which is repaired where replies are read; and that a plan stays within the scope of its
 * goal, which only a reader can judge.
 */
export const VIOLATIONS = {
  // 5: one JSON object
  NOT_AN_OBJECT: (_, found) =>
    `The answer is ${found}; answer with one JSON object of type "plan-next" and nothing else.`,
  // 5 type: "plan-next" and nothing else
  WRONG_TYPE: (_, found) =>
    found === '"plan-return"'
      ? 'The Planner must not answer "plan-return": ending a block is not yours; if you hold the goal for covered, answer with a "plan-next" that plans a closing check.'
      : `"type" is ${found}; it must be "plan-next".`,
  // 5 plan_type: one of three
  UNKNOWN_PLAN_TYPE: (_, found) =>
    `"plan_type" is ${found}; it must be "PLAN_PROBES", "PLAN_STEPS" or "EXECUTE".`,
  // 1, 5: no fields that control structure or places of files
  STRUCTURE_FIELD: (where) =>
    `"${where}" is a field of structure, which the runtime alone writes; leave it out.`,
  // 7: what is done is not rewritten
  REWRITES_STATE: (where) =>
    `"${where}" would change what a block already is; leave it out: "new_block" and "update_plan" are all you may propose.`,
  // 5: the fields of the schema only
  UNKNOWN_FIELD: (where, found) => `"${where}" is no field of the protocol; ${found}.`,
  // 5 new_block: an object
  MISSING_NEW_BLOCK: (_, found) =>
    `"new_block" is ${found}; it must be an object with "goal", "plan" and "done".`,
  // 5 goal: there
  MISSING_GOAL: () =>
    '"new_block.goal" is missing; give the next goal, as a text or with intent, deliverable, metric and constraint.',
  // 5 goal: not empty
  EMPTY_GOAL: (where) => `"${where}" is empty; say in it what is to be reached.`,
  // 5 goal: a text, or the four fields of Core4
  GOAL_NOT_CORE4: (where, found) =>
    `"${where}" is ${found}; a goal is one text, or an object of the four texts intent, deliverable, metric and constraint.`,
  // 5 plan: a list of texts
  PLAN_NOT_TEXTS: (where, found) =>
    `"${where}" is ${found}; the plan must be a list of texts, [] with EXECUTE.`,
  // 4.5: each item can be a goal of its own
  EMPTY_ITEM: (where) => `"${where}" is empty; leave it out or say what it is.`,
  // 4.4: hypotheses can be told apart; a step is not done twice in a row
  DUPLICATE_ITEM: (where, found) =>
    `"${where}" says the same as ${found}; say it once, or say what is different.`,
  // 5 done: there
  MISSING_DONE: () => '"new_block.done" is missing; it must be [].',
  // 5 done: empty at first
  DONE_NOT_EMPTY: (_, found) =>
    `"new_block.done" is ${found}; a new block has done nothing yet: it must be [].`,
  // 4.4, 5 plan: [] with EXECUTE
  EXECUTE_WITH_PLAN: (_, found) =>
    `EXECUTE came with a plan of ${found}; what one call of an executor covers has "plan": [], anything else is PLAN_STEPS.`,
  // 4.4: 3 to 7 items
  TOO_FEW_ITEMS: (_, found) =>
    `The plan has ${found}; give 3 to 7, or answer EXECUTE if one call of an executor covers the goal.`,
  // 4.4: 3 to 7 items
  TOO_MANY_ITEMS: (_, found) =>
    `The plan has ${found}; give 3 to 7 and leave what is finer to the blocks below.`,
  // 4.4: hypotheses and steps are not mixed; PLAN_PROBES where they would be
  PLAN_MIXED: (_, found) =>
    `The plan mixes steps and hypotheses (${found}); answer as PLAN_PROBES with hypotheses only: evidence comes before steps.`,
  // 4.4: hypotheses without sequence words
  PROBE_HAS_SEQUENCE_WORD: (where, found) =>
    `"${where}" has the sequence word ${found}; a hypothesis claims what is the case and can be refuted: put it as a claim, without an order of doing.`,
  // 4.4: steps without guess words
  STEP_HAS_GUESS_WORD: (where, found) =>
    `"${where}" has the guess word ${found}; a step says what is to be done: say it without guessing, or answer as PLAN_PROBES if evidence is missing.`,
  // 5 success_signal: a text
  SUCCESS_SIGNAL_NOT_TEXT: (_, found) => `"success_signal" is ${found}; it must be one text, or be left out.`,
  // 5 executor_call: there with EXECUTE
  EXECUTE_WITHOUT_CALL: (_, found) =>
    `EXECUTE came with ${found} as "executor_call"; give one with command, inputs and expected_observations.`,
  // 5 executor_call: with EXECUTE only
  CALL_WITHOUT_EXECUTE: (_, found) =>
    `${found} came with an "executor_call"; leave it out, or answer EXECUTE with "plan": [].`,
  // 5 executor_call: command, inputs, expected_observations
  CALL_INCOMPLETE: (where, found) => `"${where}" is ${found}.`,
  // 5 executor_call: no tool that is not there
  CALL_UNKNOWN_EXECUTOR: (where, found) => `"${where}" calls no executor that there is: ${found}`,
  // 5 update_plan: a list of texts
  UPDATE_PLAN_NOT_TEXTS: (where, found) =>
    `"${where}" is ${found}; "update_plan" must be a list of texts, or be left out to keep the plan as it is.`,
  // 7: no paths under .thinkon/
  THINKON_PATH: (where) =>
    `"${where}" has a path under ".thinkon/", which is the runtime's own; leave it out.`,
  // 8: no timestamps in goal and plan
  TIMESTAMP: (where, found) =>
    `"${where}" has the timestamp ${found}; say it without: the same context must give the same plan.`,
  // 8: nothing random in goal and plan
  RANDOM_TEXT: (where, found) =>
    `"${where}" has ${found}, which looks random; say it without: the same context must give the same plan.`,
  // 7: not the same block after it failed
  REPEATS_FAILED_BLOCK: () =>
    'This very block was tried and failed; split it into finer steps, probe why with new hypotheses, or go another way.',
  // 4.4: not the same items after they failed
  REPEATS_FAILED_PLAN: () =>
    'A plan of these very items was tried and failed; give finer steps, new hypotheses, or a way to more evidence.',
  // 4.4: not the same command after it failed
  REPEATS_FAILED_COMMAND: () =>
    'This very command with these inputs and expectations was tried and failed; split the goal into steps, probe why it failed, or call something else.',
  // 6: a goal like one that failed is split
  REPEATS_FAILED_GOAL: (_, found) =>
    `A similar goal was tried and failed: ${found}; split it into finer steps, probe why it failed, or go another way with another goal.`,
} satisfies Readonly<Record<string, Message>>

/** What is wrong and what to do instead; `found` is what the reply has there. */
export type Message = (where: string, found: string) => string

export type ViolationName = keyof typeof VIOLATIONS
