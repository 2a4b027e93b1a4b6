/**
 * What a call that asks for permission would do to a file, against what the file holds now: whoever decides sees what would be lost, also of
 * files that the run has never read.
 *
 * 1. Only of a call that waits for an answer: no request can name a file.
 * 2. Only of files that the run may read. Of others nothing is told, as if they could not be read.
 */
import { type ApprovalConfig, isObject, type RunState, ThinkonError } from '../protocol/index.ts'
import { decide } from '../tools/approval/decide.ts'
import { parsePolicy } from '../tools/approval/policy.ts'
import { withoutKeyLines } from '../tools/builtin/key-lines.ts'
import { readFileTool } from '../tools/builtin/read-file.ts'
import { readTextFile } from '../tools/builtin/text-file.ts'
import { insideWorkspace } from '../tools/workspace.ts'
import { type FileChange, fileChanges } from '../views/file-changes.ts'
import { openQuestions } from '../views/questions.ts'

/** Null where nothing can be said beyond what the question says itself. */
export async function proposedChanges(
  state: RunState,
  question: number,
  workspace: string | undefined,
): Promise<FileChange[] | null> {
  const permission = [...openQuestions(state)].find(({ id }) => id === question)?.permission
  if (permission === undefined || workspace === undefined) return null
  const { approval = { workspace, asks: 'person' } } = state.config
  const { tool, input } = permission
  if (!isObject(input) || typeof input.path !== 'string') return null
  const text = await textNow(input.path, workspace, approval)
  return text === null
    ? null
    : withoutKeys(
        fileChanges(tool, input, () => text),
        text,
      )
}

/** Empty for a file that is not there. */
async function textNow(path: string, workspace: string, approval: ApprovalConfig): Promise<string | null> {
  const policy = parsePolicy(approval, approval.workspace)
  if (decide(policy, readFileTool(), { path }).verdict !== 'allow') return null
  try {
    return (await readTextFile(await insideWorkspace(workspace, path))).text
  } catch (thrown) {
    return ThinkonError.isInstance(thrown) && thrown.data?.errno === 'ENOENT' ? '' : null
  }
}

/** The difference is that of the real lines; those of a private key are shown to nobody. */
function withoutKeys(changes: readonly FileChange[], text: string): FileChange[] {
  const rows = text.split('\n')
  const shown = new Map(withoutKeyLines(rows).map((row, at) => [rows[at] as string, row]))
  return changes.map((change) => ({
    ...change,
    lines: change.lines.map((line) =>
      line.kind === 'added' ? line : { ...line, text: shown.get(line.text) ?? line.text },
    ),
  }))
}
