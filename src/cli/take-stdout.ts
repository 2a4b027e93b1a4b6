import { Writable } from 'node:stream'

/**
 * Takes stdout for a protocol: only what is written to the returned stream gets there. Whatever else prints, our own commands, a model, a
 * tool or a configuration of the user, prints to stderr from now on.
 */
export function takeStdout(): Writable {
  const { stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr)
  return new Writable({ write: (chunk, encoding, done) => void write(chunk, encoding, done) })
}
