/** Lines of the terminal, and the person's own editor. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { cleanText } from '../../protocol/index.ts'
import type { EditingAsker } from './answer-request.ts'
import { Back, Left } from './fill-form.ts'

/** A line with only this goes back. */
const BACK = '<'

export interface TerminalAsker extends EditingAsker {
  close(): void
}

/** `onLeave`: Ctrl-C or Ctrl-D was pressed. */
export function terminalAsker(signal: AbortSignal, onLeave: () => void): TerminalAsker {
  const { stdin: input, stdout: output } = process
  let reader: Interface | null = null
  /** Typed or pasted before they were asked for. */
  const typed: string[] = []
  let wake = () => {}
  let hasLeft = false

  const leave = () => {
    hasLeft = true
    wake()
  }
  signal.addEventListener('abort', leave, { once: true })

  /** One for all lines: what is pasted comes at once. */
  function reading(): Interface {
    reader ??= createInterface({ input, output })
      .on('line', (line) => {
        typed.push(line)
        wake()
      })
      .on('SIGINT', leave)
      .on('close', () => reader !== null && leave())
    return reader
  }
  function close(): void {
    const open = reader
    reader = null
    open?.close()
  }

  return {
    close,
    say: (text) => void output.write(`${cleanText(text)}\n`),
    async line(prompt) {
      if (typed.length === 0 && !hasLeft) {
        const lines = reading()
        lines.setPrompt(`${cleanText(prompt)} `)
        lines.prompt()
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      const line = typed.shift()
      if (hasLeft || line === undefined) {
        close()
        if (!signal.aborted) onLeave()
        throw new Left()
      }
      if (line.trim() === BACK) throw new Back()
      return line
    },
    edit(text) {
      close()
      return edit(text)
    },
  }
}

async function edit(text: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-reply-'))
  try {
    const file = join(folder, 'reply.txt')
    writeFileSync(file, text, { mode: 0o600 })
    await run(
      process.env.VISUAL || process.env.EDITOR || (process.platform === 'win32' ? 'notepad' : 'vi'),
      file,
    )
    return readFileSync(file, 'utf8').trimEnd()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The variable may have options in it, as git and others allow. */
function run(editor: string, file: string): Promise<void> {
  const child =
    process.platform === 'win32'
      ? spawn(editor, [file], { stdio: 'inherit' })
      : spawn('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`"${editor}" has ended with ${code}`)),
    )
  })
}
