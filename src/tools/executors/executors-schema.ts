/**
 * The schema of executors.yaml: the source of both the check and `executors.schema.json`, which editors use.
 * `errorMessage` is what both show.
 */
import type { JsonSchema } from '../../schema/check-schema.ts'

const text = { type: 'string', minLength: 1 }
const texts = (description: string) => ({
  description,
  anyOf: [text, { type: 'array', items: text }],
  errorMessage: 'must be a text or a list of texts',
})

const INPUT_TYPES = ['string', 'number', 'integer', 'boolean', 'array']

const names: JsonSchema = {
  pattern: '^[A-Za-z_][A-Za-z0-9_-]*$',
  errorMessage: 'is not a name for an input: use letters, digits, _ and -, not beginning with a digit',
}

const valueWords = {
  enum: { type: 'array', minItems: 1 },
  pattern: { type: 'string' },
  minLength: { type: 'integer', minimum: 0 },
  maxLength: { type: 'integer', minimum: 0 },
  minimum: { type: 'number' },
  maximum: { type: 'number' },
}

const inputWords = {
  type: { enum: INPUT_TYPES },
  description: { type: 'string' },
  default: {},
  ...valueWords,
  items: {
    type: 'object',
    description: 'What each item of a list must be.',
    properties: { type: { enum: ['string', 'number', 'integer'] }, ...valueWords },
    additionalProperties: false,
  },
  minItems: { type: 'integer', minimum: 0 },
  maxItems: { type: 'integer', minimum: 0 },
  format: {
    enum: ['path'],
    description: '`path`: a file or folder; it must be within the workspace, and within `limits.paths`.',
  },
}

const input: JsonSchema = {
  type: 'object',
  properties: inputWords,
  additionalProperties: false,
  errorMessage: `must be a type (${INPUT_TYPES.join(', ')}) or a mapping with one`,
}

const inputsInFull: JsonSchema = {
  type: 'object',
  description: 'A JSON Schema of an object.',
  properties: {
    type: { const: 'object' },
    description: { type: 'string' },
    properties: {
      type: 'object',
      propertyNames: names,
      additionalProperties: { ...input, required: ['type'] },
    },
    required: { type: 'array', items: { type: 'string' } },
    additionalProperties: { const: false },
  },
  additionalProperties: false,
}

const inputsInShort: JsonSchema = {
  type: 'object',
  description:
    'Each input by name, with its type or its schema. Required unless it has `default` or `optional`.',
  propertyNames: names,
  additionalProperties: {
    anyOf: [
      { enum: INPUT_TYPES },
      { ...input, required: ['type'], properties: { ...inputWords, optional: { type: 'boolean' } } },
    ],
    errorMessage: `must be a type (${INPUT_TYPES.join(', ')}) or a mapping with one`,
  },
  errorMessage: 'must be a mapping from names to types or schemas',
}

/** Names with types or schemas, or a complete JSON Schema of an object. */
export const INPUTS: JsonSchema = {
  if: { type: 'object', required: ['type'], properties: { type: { const: 'object' } } },
  // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
  then: inputsInFull,
  else: inputsInShort,
}

const executor: JsonSchema = {
  type: 'object',
  required: ['id'],
  properties: {
    id: {
      type: 'string',
      pattern: '^[a-z][a-z0-9_-]{0,47}$',
      description: 'Its name in plans. `shell` sets the limits of the generic one, and needs no command.',
      errorMessage:
        'must be a name of at most 48 lower-case letters, digits, - and _, beginning with a letter',
    },
    description: { ...text, description: 'What it does, for the Planner.' },
    command: {
      ...text,
      description: 'The shell command. {{name}} is an input, quoted as one word: don’t put quotes around it.',
      errorMessage: 'must be a text: the command, with {{name}} where an input belongs',
    },
    inputs: INPUTS,
    guarantees: texts('What is true after it ran, for the Planner.'),
    limits: {
      description: 'What it can’t do, in words; or the limits to enforce.',
      anyOf: [
        text,
        { type: 'array', items: text },
        {
          type: 'object',
          properties: {
            output: {
              description: 'How much of stdout and of stderr is kept: bytes, or like 64KB, 1MB.',
              anyOf: [
                { type: 'integer', minimum: 1000, maximum: 16_000_000 },
                { type: 'string', pattern: '^\\d+ ?(B|KB|KiB|MB|MiB)$' },
              ],
              errorMessage: 'must be a number of bytes from 1000 to 16000000, or like 64KB, 1MB',
            },
            paths: {
              description:
                'Folders or files, relative to the workspace, that inputs of format `path` must be within.',
              type: 'array',
              minItems: 1,
              items: text,
              errorMessage: 'must be a list of paths relative to the workspace',
            },
            notes: texts('What else it can’t do, in words.'),
          },
          additionalProperties: false,
        },
      ],
      errorMessage: 'must be texts, or a mapping of output, paths and notes',
    },
    side_effects: {
      description:
        '`none` (it only reads), `files` (it writes in the workspace), `network`, or anything else. Decides which permission it needs.',
      anyOf: [
        { enum: ['none', 'files', 'network'] },
        text,
        {
          type: 'array',
          items: { anyOf: [{ enum: ['files', 'network'] }, text], errorMessage: 'must be a text' },
        },
      ],
      errorMessage: 'must be none, files, network, or a text or list of texts',
    },
    timeout: {
      description: 'The time limit: seconds, or like 500ms, 90s, 5m, 1h.',
      anyOf: [
        { type: 'number', exclusiveMinimum: 0, maximum: 86_400 },
        { type: 'string', pattern: '^\\d+(\\.\\d+)? ?(ms|s|m|h)$' },
      ],
      errorMessage: 'must be a number of seconds above 0 and of at most 86400, or like 500ms, 90s, 5m, 1h',
    },
    cwd: { ...text, description: 'The folder it runs in, relative to the workspace.' },
    env: {
      description: 'Names of environment variables that it sees besides PATH, HOME, LANG, TERM and TMPDIR.',
      type: 'array',
      items: {
        type: 'string',
        pattern: '^[A-Za-z_][A-Za-z0-9_]*$',
        errorMessage: 'must be the name of an environment variable, without its value',
      },
      errorMessage: 'must be a list of names of environment variables',
    },
    idempotent: {
      type: 'boolean',
      description:
        'Running it twice has the same effect as once: it is run again if the process died in the middle.',
    },
    sandbox: { type: 'boolean', description: 'false: it runs outside the sandbox, even if there is one.' },
  },
  additionalProperties: false,
  errorMessage: 'must be a mapping with id, description, command, …',
}

export const EXECUTOR_LIST: JsonSchema = {
  type: 'array',
  items: executor,
  errorMessage: 'must be a list of executors',
}

export const EXECUTORS_FILE: JsonSchema = {
  type: 'object',
  required: ['executors'],
  properties: {
    version: { const: 1 },
    shell: {
      type: 'boolean',
      description: 'false: no generic shell, only the executors of this file.',
    },
    executors: EXECUTOR_LIST,
  },
  additionalProperties: false,
  errorMessage: 'must be a mapping with executors, or a list of executors',
}

/** The schema for editors, which is the content of `executors.schema.json`. */
export const executorsSchema: JsonSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Executors of Thinkon (.thinkon/executors/executors.yaml)',
  anyOf: [EXECUTORS_FILE, EXECUTOR_LIST],
}
