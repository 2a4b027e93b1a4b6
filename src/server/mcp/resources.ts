/** Runs as resources: `thinkon://runs`, `thinkon://runs/<run>`, and its tree. */
import {
  type CompleteResult,
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  type ReadResourceResult,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server'
import { goalTitle, ThinkonError } from '../../protocol/index.ts'
import type { Door } from './door.ts'
import { treeOf } from './look-tools.ts'
import { reportOf, rowReport } from './run-report.ts'
import { RUN_URI, RUNS } from './run-uri.ts'

const JSON_TYPE = 'application/json'
/** Per page of the list. */
const PAGE = 50

export const TEMPLATES: ListResourceTemplatesResult = {
  resourceTemplates: [
    {
      name: 'run',
      title: 'A run',
      uriTemplate: `${RUNS}/{run}`,
      description: 'Its status, goal, result, open questions and usage.',
      mimeType: JSON_TYPE,
    },
    {
      name: 'tree',
      title: 'The tree of a run',
      uriTemplate: `${RUNS}/{run}/tree`,
      description: 'What was worked on, block by block, as text.',
      mimeType: 'text/plain',
    },
  ],
}

/** The cursor is the number of runs before the page: new ones move the others back, and one may be listed twice. */
export async function listResources({ service }: Door, cursor = '0'): Promise<ListResourcesResult> {
  const from = /^\d{1,9}$/.test(cursor) ? Number(cursor) : 0
  const rows = await service.engine.list({ limit: from + PAGE + 1 })
  const page = rows.slice(from, from + PAGE)
  const all = { uri: RUNS, name: 'runs', title: 'All runs, newest first', mimeType: JSON_TYPE }
  const resources = page.flatMap(({ id, goal, status, changedAt }) => {
    const title = goalTitle(goal, 80)
    const annotations = { lastModified: changedAt }
    const uri = `${RUNS}/${id}`
    return [
      { uri, name: id, title, description: `Run ${id}: ${status}`, mimeType: JSON_TYPE, annotations },
      {
        uri: `${uri}/tree`,
        name: `${id}/tree`,
        title: `${title} (tree)`,
        mimeType: 'text/plain',
        annotations,
      },
    ]
  })
  return {
    resources: [...(from === 0 ? [all] : []), ...resources],
    ...(rows.length > from + PAGE && { nextCursor: String(from + PAGE) }),
  }
}

export async function readResource(door: Door, uri: string): Promise<ReadResourceResult> {
  const { engine } = door.service
  if (uri === RUNS) return contents(uri, JSON_TYPE, json((await engine.list({ limit: 500 })).map(rowReport)))
  const [, run, tree] = RUN_URI.exec(uri) ?? []
  if (run === undefined)
    throw new ResourceNotFoundError(uri, `there is no resource ${uri}: runs are ${RUNS}/<run>`)
  try {
    if (tree !== undefined) return contents(uri, 'text/plain', (await treeOf(door, run)).text)
    return contents(uri, JSON_TYPE, json(reportOf(await engine.outline(run))))
  } catch (thrown) {
    if (ThinkonError.isInstance(thrown) && thrown.code === 'UNKNOWN_RUN')
      throw new ResourceNotFoundError(uri, thrown.message)
    throw thrown
  }
}

/** The ids of runs that begin like this. */
export async function completeRun({ service }: Door, begin: string): Promise<CompleteResult> {
  const rows = await service.engine.list({ limit: 500, ...(begin !== '' && { search: begin }) })
  const values = rows.map(({ id }) => id).filter((id) => id.startsWith(begin))
  return { completion: { values: values.slice(0, 100), total: values.length, hasMore: values.length > 100 } }
}

function contents(uri: string, mimeType: string, text: string): ReadResourceResult {
  return { contents: [{ uri, mimeType, text }] }
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
