/**
 * A program behind the model port that carries out the blueprint `documentation` on TypeScript code. It decides as a language
 * model would have to: from the task and the results of its tool calls alone.
 */
import type { Model } from 'thinkon'
import { messageText } from 'thinkon/protocol'

interface Step {
  readonly params: { readonly tool?: string; readonly params?: { readonly path?: string } }
  readonly data?: string
  readonly failed?: true
}

interface Input {
  readonly goal: string
  readonly task?: string
  readonly name?: string
  readonly history?: readonly Step[]
  readonly done?: readonly string[]
}

interface Match {
  readonly path: string
  readonly line: number
  readonly text: string
}

const EXPORTS = '^export (async )?(function|const|class|interface|type) '
const HEADS = '^/\\*\\* \\S|^ \\* \\S'

export const documenter: Model = {
  id: 'documenter',
  async call(request) {
    const input = request.input as Input
    const prompt = request.messages.map(messageText).join('\n')
    const value = answerOf(request.kind, input, prompt)
    const text = JSON.stringify(value)
    return { text, value, usage: { inputTokens: Math.ceil(prompt.length / 4), outputTokens: text.length } }
  },
}

function answerOf(kind: string, input: Input, prompt: string): unknown {
  if (kind === 'dual/blueprint-params') return { params: paramsIn(input.task ?? input.goal) }
  if (kind === 'dual/decide') return decide(input, rulesIn(prompt))
  if (kind === 'dual/summarize') return { result: (input.done ?? []).join('\n') }
  return { advice: '', spinning: false, summary: '', result: '' }
}

/** "document src/views into docs/views" */
function paramsIn(task: string): Record<string, string> {
  const [, path] = /document (?:the code (?:at|in) )?(\S+)/i.exec(task) ?? []
  const [, out] = /into (\S+)/i.exec(task) ?? []
  return { ...(path && { path }), ...(out && { out }) }
}

interface Rules {
  readonly path: string
  readonly out: string
}

function rulesIn(prompt: string): Rules {
  const [, path = '.'] = /Rules for documenting "([^"]+)"/.exec(prompt) ?? []
  const [, out = 'docs'] = /Write only below "([^"]+)"/.exec(prompt) ?? []
  return { path, out }
}

function decide({ name = '', history = [] }: Input, { path, out }: Rules): unknown {
  const seen = (tool: string) => history.findLast((step) => step.params.tool === tool && !step.failed)
  const sources = { path, glob: '**/*.ts' }
  const search = (pattern: string) => ({ ...sources, pattern, regex: true, max: 1_000 })
  switch (name) {
    case 'Analyse the code': {
      const listed = seen('list_files')
      if (listed === undefined) return use('list_files', sources, 'See what there is.')
      const files = filesIn(listed)
      return finish(
        `${path} has ${files.length} TypeScript files, ${files.filter(isTest).length} of them tests.`,
      )
    }
    case 'Extract the interface': {
      const found = seen('search_files')
      if (found === undefined) return use('search_files', search(EXPORTS), 'Find what is exported.')
      const lines = matchesIn(found).map(
        ({ path: file, line, text }) => `${file}:${line} ${exportName(text)}`,
      )
      return finish(`${lines.length} exports:\n${lines.join('\n')}`)
    }
    case 'Write the overview': {
      const found = seen('search_files')
      if (found === undefined)
        return use('search_files', search(HEADS), 'Read what each file says of itself.')
      return writing(seen('write_file'), `${out}/index.md`, overview(path, matchesIn(found)))
    }
    case 'Write the reference': {
      const found = seen('search_files')
      if (found === undefined) return use('search_files', search(EXPORTS), 'Copy the signatures.')
      return writing(seen('write_file'), `${out}/reference.md`, reference(path, matchesIn(found)))
    }
    case 'Write the guide': {
      const found = seen('search_files')
      if (found === undefined) return use('search_files', search(EXPORTS), 'Find where to begin.')
      const [first] = matchesIn(found).filter(({ text }) => text.includes('function'))
      if (first === undefined) return finish('There is no function to begin with: no guide was written.')
      const read = seen('read_file')
      if (read === undefined) return use('read_file', { path: first.path }, 'Read how it is meant.')
      return writing(seen('write_file'), `${out}/getting-started.md`, guide(first, read))
    }
    case 'Check the documents': {
      const listed = seen('list_files')
      if (listed === undefined) return use('list_files', { path: out, glob: '*.md' }, 'See what was written.')
      const unread = filesIn(listed).find(
        (file) => !history.some(({ params }) => params.tool === 'read_file' && params.params?.path === file),
      )
      if (unread !== undefined) return use('read_file', { path: unread }, `Read ${unread} again.`)
      return finish(`Checked: ${filesIn(listed).join(', ')}`)
    }
    default:
      return finish(`I do not know how to "${name}".`, 'failed')
  }
}

function use(tool: string, params: object, thought: string) {
  return { action: 'require_tool', human_readable_thought: thought, tool, params }
}

function finish(result: string, status = 'completed') {
  return { action: 'finish', human_readable_thought: 'That is all of it.', result, status }
}

function writing(written: Step | undefined, path: string, content: string) {
  if (written === undefined) return use('write_file', { path, content }, `Write ${path}.`)
  return finish(`${path} was written.`)
}

// --- the documents

function overview(path: string, heads: readonly Match[]): string {
  const about = new Map<string, string>()
  for (const { path: file, line, text } of heads)
    if (line <= 2 && !isTest(file) && !about.has(file))
      about.set(file, text.replace(/^\/\*\*|\*\/$|^ \*/g, ''))
  const rows = [...about].map(([file, text]) => `| \`${file}\` | ${text.trim().replaceAll('|', '\\|')} |`)
  return `# ${path}\n\n[Reference](reference.md) · [Getting started](getting-started.md)\n\n| file | what it says of itself |\n|---|---|\n${rows.join('\n')}\n`
}

function reference(path: string, exported: readonly Match[]): string {
  const byFile = new Map<string, string[]>()
  for (const { path: file, line, text } of exported) {
    if (isTest(file)) continue
    const lines = byFile.get(file) ?? []
    byFile.set(file, [...lines, `- line ${line}: \`${text.replace(/ \{$/, '').trim()}\``])
  }
  const parts = [...byFile].map(([file, lines]) => `## ${file}\n\n${lines.join('\n')}\n`)
  return `# Reference of ${path}\n\n${parts.join('\n')}`
}

function guide({ path, text }: Match, read: Step): string {
  const { text: source } = JSON.parse(read.data ?? '{}') as { text: string }
  const [head = ''] = source.split('\n\n')
  return `# Getting started\n\nBegin with \`${exportName(text)}\` in \`${path}\`:\n\n\`\`\`ts\n${text.trim()}\n\`\`\`\n\nThe file begins:\n\n\`\`\`ts\n${head}\n\`\`\`\n`
}

function filesIn({ data = '{}' }: Step): readonly string[] {
  return (JSON.parse(data) as { files?: string[] }).files ?? []
}

function matchesIn({ data = '{}' }: Step): readonly Match[] {
  return (JSON.parse(data) as { matches?: Match[] }).matches ?? []
}

function exportName(text: string): string {
  return /(?:function|const|class|interface|type) (\w+)/.exec(text)?.[1] ?? text.trim()
}

function isTest(file: string): boolean {
  return file.endsWith('.test.ts')
}
