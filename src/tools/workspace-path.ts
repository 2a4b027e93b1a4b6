/** A checked path: `real` contains no links, `name` is relative to the workspace, with `/`; `.` is the workspace. */
export interface WorkspacePath {
  readonly root: string
  readonly real: string
  readonly name: string
}
