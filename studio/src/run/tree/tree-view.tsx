/** The tree of a run: a drawing that can be moved and zoomed, and a tree for the keyboard and for screen readers. */
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { BlockState } from 'thinkon/protocol'
import type { Moment, RunLog } from '../../data/run-log.ts'
import { Button } from '../../parts/button.tsx'
import { useCommands } from '../../parts/commands.ts'
import { usePreferences, useWords } from '../../preferences.ts'
import { type Rect, useCamera } from './camera.ts'
import { Card } from './card.tsx'
import { cardTexts } from './card-texts.ts'
import { CARD, edgesOf, type Folds, layOut, type Placed } from './layout.ts'
import { TREE_WORDS } from './words.ts'
import './tree.css'

interface Props {
  log: RunLog
  moment: Moment
  selected: string | null
  onSelect(path: string): void
}

/** What is drawn around what is seen, in parts of it: so far one can move before more is drawn. */
const MARGIN = 0.5
/** Below this, texts can't be read, and are left out. */
const FAR = 0.45

export function TreeView({ log, moment, selected, onSelect }: Props) {
  const words = useWords(TREE_WORDS)
  const { lang } = usePreferences()
  const frame = useRef<HTMLDivElement>(null)
  const world = useRef<HTMLDivElement>(null)
  const [folds, setFolds] = useState<Folds>(new Map())
  const [drawn, setDrawn] = useState<Rect & { isFar: boolean }>({
    left: 0,
    top: 0,
    right: 2000,
    bottom: 1500,
    isFar: false,
  })
  const { state } = moment
  const { version } = log
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state is changed in place; its version says when.
  const layout = useMemo(() => layOut(state, folds), [state, version, moment.seq, folds])

  const [follows, setFollows] = useState(true)
  const stopFollowing = () => setFollows(false)
  const camera = useCamera(
    frame,
    world,
    () => {
      const seen = camera.seen()
      const isFar = camera.scale < FAR
      setDrawn((now) => (isFar === now.isFar && isInside(seen, now) ? now : { ...grown(seen), isFar }))
    },
    stopFollowing,
  )
  const isIn = ({ x, y }: Placed) =>
    x < drawn.right && x + CARD.width > drawn.left && y < drawn.bottom && y + CARD.height > drawn.top
  const seen = layout.nodes.filter(isIn)
  const edges = useMemo(() => edgesOf(layout, drawn), [layout, drawn])

  const latest = useRef(layout)
  latest.current = layout
  const fold = useCallback((path: string) => {
    const isFolded = (latest.current.byPath.get(path)?.hidden ?? 0) > 0
    setFolds((now) => new Map(now).set(path, !isFolded))
  }, [])
  const show = (path: string) => {
    const place = layout.byPath.get(path)
    if (place === undefined) return
    camera.show({ left: place.x, top: place.y, right: place.x + CARD.width, bottom: place.y + CARD.height })
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when another one is chosen.
  useEffect(() => {
    if (selected !== null) show(selected)
  }, [selected])

  const isLive = state.outcome === null && moment.seq === log.events.length
  const written = isLive && follows && selected === null ? newestAtWork(state.blocks) : null
  // biome-ignore lint/correctness/useExhaustiveDependencies: when another block writes, or it stands elsewhere.
  useEffect(() => {
    if (written !== null) show(written)
  }, [written, layout])

  useCommands([
    ...(isLive ? [{ id: 'tree-follow', name: words.follow, key: 'f', run: () => setFollows(!follows) }] : []),
    { id: 'tree-fit', name: words.fit, key: '0', run: () => camera.fit(layout.width, layout.height) },
    { id: 'tree-in', name: words.zoomIn, key: '+', run: () => camera.zoom(1.25) },
    { id: 'tree-out', name: words.zoomOut, key: '-', run: () => camera.zoom(0.8) },
  ])

  const press = (event: KeyboardEvent) => {
    const isFolded = selected !== null && (layout.byPath.get(selected)?.hidden ?? 0) > 0
    const next = moved(event.key, selected, layout.nodes, state.blocks)
    if (isFolded && event.key === 'ArrowRight') {
      event.preventDefault()
      fold(selected)
    } else if (next !== null) {
      event.preventDefault()
      onSelect(next)
    } else if (selected !== null && (event.key === ' ' || event.key === 'Enter')) {
      event.preventDefault()
      fold(selected)
    }
  }
  return (
    <div className="tree" ref={frame}>
      <div
        ref={world}
        className={drawn.isFar ? 'tree-world tree-far' : 'tree-world'}
        role="tree"
        tabIndex={0}
        aria-label={words.tree}
        aria-activedescendant={selected === null ? undefined : `block-${selected}`}
        onKeyDown={press}
      >
        <svg className="tree-edges" width={layout.width} height={layout.height} aria-hidden="true">
          <path d={edges} />
        </svg>
        {seen.map(({ path, x, y, hidden }) => {
          const block = state.blocks.get(path) as BlockState
          return (
            <Card
              key={path}
              {...cardTexts(block, moment, log, lang)}
              x={x}
              y={y}
              level={path.split('-').length}
              hidden={hidden}
              hasChildren={block.children.length > 0}
              isSelected={path === selected}
              foldLabel={words.unfold}
              onSelect={onSelect}
              onFold={fold}
            />
          )
        })}
      </div>
      <div className="tree-tools">
        {isLive && (
          <Button look="quiet" icon="play" aria-pressed={follows} onClick={() => setFollows(!follows)}>
            {words.follow}
          </Button>
        )}
        <Button look="quiet" icon="plus" aria-label={words.zoomIn} onClick={() => camera.zoom(1.25)} />
        <Button look="quiet" icon="fold" aria-label={words.zoomOut} onClick={() => camera.zoom(0.8)} />
        <Button
          look="quiet"
          icon="fit"
          aria-label={words.fit}
          onClick={() => camera.fit(layout.width, layout.height)}
        />
      </div>
    </div>
  )
}

/** Where something is being done; the block that began last, if there are several. */
function newestAtWork(blocks: ReadonlyMap<string, BlockState>): string | null {
  let newest: string | null = null
  for (const { path, openSteps, outcome } of blocks.values())
    if (outcome === null && openSteps > 0) newest = path
  return newest
}

/** Which block a key leads to: up and down among what is shown, left to the parent, right to the first child. */
function moved(
  key: string,
  selected: string | null,
  nodes: readonly Placed[],
  blocks: ReadonlyMap<string, BlockState>,
): string | null {
  const at = nodes.findIndex(({ path }) => path === selected)
  if (at === -1) return /^Arrow|^Home$/.test(key) ? (nodes[0]?.path ?? null) : null
  switch (key) {
    case 'ArrowDown':
      return nodes[at + 1]?.path ?? null
    case 'ArrowUp':
      return nodes[at - 1]?.path ?? null
    case 'ArrowLeft':
      return nodes[at]?.parent ?? null
    case 'ArrowRight':
      return blocks.get(selected as string)?.children[0] ?? null
    case 'Home':
      return nodes[0]?.path ?? null
    case 'End':
      return nodes.at(-1)?.path ?? null
    default:
      return null
  }
}

function isInside(inner: Rect, outer: Rect): boolean {
  return (
    inner.left >= outer.left &&
    inner.top >= outer.top &&
    inner.right <= outer.right &&
    inner.bottom <= outer.bottom
  )
}

function grown({ left, top, right, bottom }: Rect): Rect {
  const [dx, dy] = [(right - left) * MARGIN, (bottom - top) * MARGIN]
  return { left: left - dx, top: top - dy, right: right + dx, bottom: bottom + dy }
}
