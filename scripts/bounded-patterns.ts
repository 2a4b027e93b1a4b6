/** Files whose expressions see short texts only: their maximum length, and the place that enforces it. The list must not grow for convenience. */
export const BOUNDED: Readonly<Record<string, { readonly chars: number; readonly where: string }>> = {
  'src/arithmetic/normalise.ts': { chars: 2000, where: 'parseGoal reads goals of up to 2,000 characters' },
  'src/arithmetic/parse-goal.ts': { chars: 2000, where: 'parseGoal reads goals of up to 2,000 characters' },
  'src/arithmetic/parse-puzzle.ts': { chars: 2000, where: 'parseGoal reads goals of up to 2,000 characters' },
  'src/arithmetic/puzzle-answer.ts': { chars: 2000, where: 'MAX_READ' },
  'src/cli/completion/complete.ts': { chars: 200, where: 'the words of our own help' },
  'src/cli/error-words.ts': { chars: 8000, where: 'MAX_CHARS' },
  'src/cli/lab/lab-options.ts': { chars: 200, where: 'the words of our own help' },
  'src/cli/line-editor.ts': { chars: 1000, where: 'a line that a person types' },
  'src/cli/options.ts': { chars: 200, where: 'the words of our own help' },
  'src/cli/tools.ts': { chars: 1000, where: 'the names of our own tools' },
  'src/config/literal-config.ts': { chars: 1000, where: 'a configuration that is trusted' },
  'src/config/schema.ts': { chars: 1000, where: 'a rule of a configuration' },
  'src/kernel/output/with-value.ts': { chars: 100, where: 'MAX_INDENT' },
  'src/models/ai-sdk/context-overflow.ts': { chars: 4000, where: 'MAX_READ' },
  'src/models/embedded/mini/word-problem.ts': { chars: 90, where: 'MAX_CHARACTERS' },
  'src/models/recording/numbered-refs.ts': { chars: 1000, where: 'recordings of tests' },
  'src/models/tools-in-words.ts': { chars: 4000, where: 'MAX_RULE' },
  'src/protocol/patterns/linear-pattern.ts': { chars: 1000, where: 'MAX_MENDED' },
  'src/reply/doubts.ts': { chars: 200, where: 'MAX_BEFORE' },
  'src/reply/lists-in-prose.ts': { chars: 200, where: 'MAX_NEAR' },
  'src/reply/yaml-losses.ts': { chars: 100, where: 'a slice of 100 characters' },
  'src/strategies/auto/goal-words.ts': { chars: 6000, where: 'instructionOf in needs.ts' },
  'src/strategies/best-of/verify.ts': { chars: 1000, where: 'MAX_READ' },
  'src/strategies/closing/files.ts': { chars: 8000, where: 'instructionsOf: 8,000 characters' },
  'src/strategies/closing/instructions.ts': { chars: 8000, where: 'MAX_READ_CHARS' },
  'src/strategies/closing/items.ts': { chars: 8000, where: 'instructionsOf: 8,000 characters' },
  'src/strategies/closing/length.ts': { chars: 8000, where: 'instructionsOf: 8,000 characters' },
  'src/strategies/dual-engine/answers/read-review.ts': {
    chars: 8000,
    where: 'it matches any text that is not empty',
  },
  'src/strategies/dual-engine/embedded.ts': { chars: 4000, where: 'MAX_READ' },
  'src/strategies/planner/rules/orders.ts': { chars: 4000, where: 'MAX_READ here and in words.ts' },
  'src/strategies/planner/rules/words.ts': { chars: 4000, where: 'MAX_READ' },
  'src/strategies/tree-of-thoughts/domains/operation-line.ts': { chars: 1000, where: 'MAX_LINE' },
  'src/tools/approval/named-paths.ts': { chars: 8000, where: 'it matches whatever begins so' },
  'src/tools/approval/policy.ts': { chars: 1000, where: 'a rule of a configuration' },
  'src/tools/executors/observation-phrases.ts': {
    chars: 1000,
    where: 'MAX_OBSERVATION_CHARS in observations.ts',
  },
  'src/tools/executors/observations.ts': { chars: 1000, where: 'MAX_OBSERVATION_CHARS' },
  'src/tools/executors/presence.ts': { chars: 1000, where: 'MAX_OBSERVATION_CHARS in observations.ts' },
  'src/tools/glob-overlap.ts': { chars: 1000, where: 'MAX_LENGTH' },
  'src/views/reason-phrases.ts': { chars: 8000, where: 'MAX_CHARS in reason-words.ts' },
}

/** Expressions, by their beginnings, that the check reports and that are linear: a loop ends before the next place where the expression could begin. */
export const LINEAR: Readonly<Record<string, readonly string[]>> = {
  // A comment without an end goes to the end of the text.
  'src/config/module-positions.ts': [String.raw`\/\/[^\n]*|`, String.raw`(?:\s+|\/\/[^\n]*|`],
  // The loop consists of slashes, and the expression begins with a slash and a letter.
  'src/models/measure-window.ts': [String.raw`\/v1\/*$`],
  // The loops contain no slash, no hyphen; a key without an end goes to the end of the text.
  'src/models/secret-values.ts': [String.raw`:\/\/([^\s/`, '-----BEGIN '],
  'src/models/secrets.ts': [String.raw`(:\/\/[^\s/`, '-----BEGIN '],
  'src/tools/builtin/key-lines.ts': ['-----BEGIN '],
  'src/tools/memory/triage.ts': ['-----BEGIN ', String.raw`(?<![\w-])eyJ`],
  // The loop contains no parenthesis.
  'src/strategies/closing/count.ts': [String.raw`\]\([^()`],
  // It begins at the beginning of the text only, and its loop ends at the end of it.
  'src/strategies/planner/sections.ts': [String.raw`^<(data-\w+)`],
  // Words, and at most two loops of white space.
  'src/reply/corrections.ts': [String.raw`\b(?:hold on|h+m+`, String.raw`\b(?:instead of|rather`],
  'src/strategies/closing/format.ts': [String.raw`\b(?:not|never|no|don't`],
  // From the beginning of a name only.
  'src/tools/approval/launchers/runners.ts': ['^(PATH|HOME|'],
}
