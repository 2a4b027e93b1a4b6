/**
 * Every MUST of the document (sections 4, 5, 7 and 8) that a program can check, by name: the section that demands it, and the
 * message for the model. Violations are reported in this order.
 *
 * Not here: text around the object, which is repaired where replies are read; and that a plan stays within the scope of its
 * goal, which only a reader can judge.
 */
interface Rule {
  /** The section of the document, and what it demands, in short. */
  readonly must: string
  /** What is wrong and what to do instead; `found` is what the reply has there. */
  message(where: string, found: string): string
}

const rules = {
  NOT_AN_OBJECT: {
    must: '5: one JSON object',
    message: (_, found) =>
      `The answer is ${found}; answer with one JSON object of type "plan-next" and nothing else.`,
  },
  WRONG_TYPE: {
    must: '5 type: "plan-next" and nothing else',
    message: (_, found) =>
      found === '"plan-return"'
        ? 'The Planner must not answer "plan-return": ending a block is not yours; if you hold the goal for covered, answer with a "plan-next" that plans a closing check.'
        : `"type" is ${found}; it must be "plan-next".`,
  },
  UNKNOWN_PLAN_TYPE: {
    must: '5 plan_type: one of three',
    message: (_, found) => `"plan_type" is ${found}; it must be "PLAN_PROBES", "PLAN_STEPS" or "EXECUTE".`,
  },
  STRUCTURE_FIELD: {
    must: '1, 5: no fields that control structure or places of files',
    message: (where) => `"${where}" is a field of structure, which the runtime alone writes; leave it out.`,
  },
  REWRITES_STATE: {
    must: '7: what is done is not rewritten',
    message: (where) =>
      `"${where}" would change what a block already is; leave it out: "new_block" and "update_plan" are all you may propose.`,
  },
  UNKNOWN_FIELD: {
    must: '5: the fields of the schema only',
    message: (where, found) => `"${where}" is no field of the protocol; ${found}.`,
  },
  MISSING_NEW_BLOCK: {
    must: '5 new_block: an object',
    message: (_, found) => `"new_block" is ${found}; it must be an object with "goal", "plan" and "done".`,
  },
  MISSING_GOAL: {
    must: '5 goal: there',
    message: () =>
      '"new_block.goal" is missing; give the next goal, as a text or with intent, deliverable, metric and constraint.',
  },
  EMPTY_GOAL: {
    must: '5 goal: not empty',
    message: (where) => `"${where}" is empty; say in it what is to be reached.`,
  },
  GOAL_NOT_CORE4: {
    must: '5 goal: a text, or the four fields of Core4',
    message: (where, found) =>
      `"${where}" is ${found}; a goal is one text, or an object of the four texts intent, deliverable, metric and constraint.`,
  },
  PLAN_NOT_TEXTS: {
    must: '5 plan: a list of texts',
    message: (where, found) => `"${where}" is ${found}; the plan must be a list of texts, [] with EXECUTE.`,
  },
  EMPTY_ITEM: {
    must: '4.5: each item can be a goal of its own',
    message: (where) => `"${where}" is empty; leave it out or say what it is.`,
  },
  DUPLICATE_ITEM: {
    must: '4.4: hypotheses can be told apart; a step is not done twice in a row',
    message: (where, found) => `"${where}" says the same as ${found}; say it once, or say what is different.`,
  },
  MISSING_DONE: {
    must: '5 done: there',
    message: () => '"new_block.done" is missing; it must be [].',
  },
  DONE_NOT_EMPTY: {
    must: '5 done: empty at first',
    message: (_, found) => `"new_block.done" is ${found}; a new block has done nothing yet: it must be [].`,
  },
  EXECUTE_WITH_PLAN: {
    must: '4.4, 5 plan: [] with EXECUTE',
    message: (_, found) =>
      `EXECUTE came with a plan of ${found}; what one call of an executor covers has "plan": [], anything else is PLAN_STEPS.`,
  },
  TOO_FEW_ITEMS: {
    must: '4.4: 3 to 7 items',
    message: (_, found) =>
      `The plan has ${found}; give 3 to 7, or answer EXECUTE if one call of an executor covers the goal.`,
  },
  TOO_MANY_ITEMS: {
    must: '4.4: 3 to 7 items',
    message: (_, found) => `The plan has ${found}; give 3 to 7 and leave what is finer to the blocks below.`,
  },
  PLAN_MIXED: {
    must: '4.4: hypotheses and steps are not mixed; PLAN_PROBES where they would be',
    message: (_, found) =>
      `The plan mixes steps and hypotheses (${found}); answer as PLAN_PROBES with hypotheses only: evidence comes before steps.`,
  },
  PROBE_HAS_SEQUENCE_WORD: {
    must: '4.4: hypotheses without sequence words',
    message: (where, found) =>
      `"${where}" has the sequence word ${found}; a hypothesis claims what is the case and can be refuted: put it as a claim, without an order of doing.`,
  },
  STEP_HAS_GUESS_WORD: {
    must: '4.4: steps without guess words',
    message: (where, found) =>
      `"${where}" has the guess word ${found}; a step says what is to be done: say it without guessing, or answer as PLAN_PROBES if evidence is missing.`,
  },
  SUCCESS_SIGNAL_NOT_TEXT: {
    must: '5 success_signal: a text',
    message: (_, found) => `"success_signal" is ${found}; it must be one text, or be left out.`,
  },
  EXECUTE_WITHOUT_CALL: {
    must: '5 executor_call: there with EXECUTE',
    message: (_, found) =>
      `EXECUTE came with ${found} as "executor_call"; give one with command, inputs and expected_observations.`,
  },
  CALL_WITHOUT_EXECUTE: {
    must: '5 executor_call: with EXECUTE only',
    message: (_, found) =>
      `${found} came with an "executor_call"; leave it out, or answer EXECUTE with "plan": [].`,
  },
  CALL_INCOMPLETE: {
    must: '5 executor_call: command, inputs, expected_observations',
    message: (where, found) => `"${where}" is ${found}.`,
  },
  CALL_UNKNOWN_EXECUTOR: {
    must: '5 executor_call: no tool that is not there',
    message: (where, found) => `"${where}" calls no executor that there is: ${found}`,
  },
  UPDATE_PLAN_NOT_TEXTS: {
    must: '5 update_plan: a list of texts',
    message: (where, found) =>
      `"${where}" is ${found}; "update_plan" must be a list of texts, or be left out to keep the plan as it is.`,
  },
  THINKON_PATH: {
    must: '7: no paths under .thinkon/',
    message: (where) => `"${where}" has a path under ".thinkon/", which is the runtime's own; leave it out.`,
  },
  TIMESTAMP: {
    must: '8: no timestamps in goal and plan',
    message: (where, found) =>
      `"${where}" has the timestamp ${found}; say it without: the same context must give the same plan.`,
  },
  RANDOM_TEXT: {
    must: '8: nothing random in goal and plan',
    message: (where, found) =>
      `"${where}" has ${found}, which looks random; say it without: the same context must give the same plan.`,
  },
  REPEATS_FAILED_BLOCK: {
    must: '7: not the same block after it failed',
    message: () =>
      'This very block was tried and failed; split it into finer steps, probe why with new hypotheses, or go another way.',
  },
  REPEATS_FAILED_PLAN: {
    must: '4.4: not the same items after they failed',
    message: () =>
      'A plan of these very items was tried and failed; give finer steps, new hypotheses, or a way to more evidence.',
  },
  REPEATS_FAILED_COMMAND: {
    must: '4.4: not the same command after it failed',
    message: () =>
      'This very command with these inputs was tried and failed; split the goal into steps, probe why it failed, or call something else.',
  },
} satisfies Record<string, Rule>

export type ViolationName = keyof typeof rules

export const VIOLATIONS: Readonly<Record<ViolationName, Rule>> = rules
