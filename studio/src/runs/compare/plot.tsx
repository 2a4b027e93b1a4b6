/** Quality against what it took: a small mark for each run, a large one for the mean of each group. */
import { useEffect, useRef, useState } from 'react'
import { addressOf } from '../../routing.ts'
import { figureText, qualityText } from './figure-text.ts'
import type { Compared, Group, Measure } from './summary.ts'

const HEIGHT = 280
const LEFT = 40
const RIGHT = 20
const TOP = 20
const BOTTOM = 34

/** A colour and a shape of its own for each, over and over: colour is not all that tells. */
const TONES = ['accent', 'good', 'warn', 'ask', 'bad', 'active'] as const
const SHAPES = [
  'M-1 0a1 1 0 1 0 2 0a1 1 0 1 0 -2 0Z',
  'M-.9 -.9h1.800v1.800h-1.800Z',
  'M0 -1.100L1.100 .9H-1.100Z',
  'M0 -1.200L1.200 0L0 1.200L-1.200 0Z',
  'M0 1.100L1.100 -.9H-1.100Z',
] as const

export function markOf(at: number): { tone: string; shape: string } {
  return { tone: TONES[at % TONES.length] ?? 'accent', shape: SHAPES[at % SHAPES.length] ?? SHAPES[0] }
}

interface Props {
  groups: readonly Group[]
  measure: Measure
  label: string
  names: { readonly x: string; readonly y: string }
}

export function Plot({ groups, measure, label, names }: Props) {
  const { drawing, width } = useWidth()
  const ended = groups.flatMap(({ runs }) => runs).filter(({ quality }) => quality !== null)
  const mostX = niceCeiling(Math.max(0, ...ended.map((run) => run[measure])))
  const mostY = Math.max(1, ...ended.map(({ quality }) => quality ?? 0))
  const x = (value: number) => LEFT + (value / (mostX || 1)) * (width - LEFT - RIGHT)
  const y = (value: number) => HEIGHT - BOTTOM - (value / mostY) * (HEIGHT - TOP - BOTTOM)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset can't be drawn in.
    <svg ref={drawing} className="plot" height={HEIGHT} role="group" aria-label={label}>
      {[0, 0.25, 0.5, 0.75, 1].map((part) => (
        <g key={part} className="plot-grid">
          <line x1={LEFT} x2={width - RIGHT} y1={y(part * mostY)} y2={y(part * mostY)} />
          <text x={LEFT - 6} y={y(part * mostY) + 4} textAnchor="end">
            {qualityText(part * mostY)}
          </text>
          {(mostX > 0 || part === 0) && (
            <text x={x(part * mostX)} y={HEIGHT - BOTTOM + 16} textAnchor={part === 1 ? 'end' : 'middle'}>
              {figureText(measure, part * mostX)}
            </text>
          )}
        </g>
      ))}
      <text className="plot-axis" x={width - RIGHT} y={HEIGHT - 4} textAnchor="end">
        {names.x}
      </text>
      <text className="plot-axis" x={4} y={12}>
        {names.y}
      </text>
      {groups.map(({ runs }, at) => runs.map((run) => drawn(run, at)))}
      {groups.map((group, at) => meanOf(group, at))}
    </svg>
  )

  function drawn(run: Compared, at: number) {
    if (run.quality === null) return null
    const { tone, shape } = markOf(at)
    // The goal comes last: whatever it does to the direction of the text, nothing follows it.
    const text = `${qualityText(run.quality)} · ${figureText(measure, run[measure])} · ${run.strategy} · ${run.goal}`
    return (
      <a key={run.id} href={addressOf(['runs', run.id])} aria-label={text}>
        <path
          className={`plot-mark plot-run tone-${tone}`}
          d={shape}
          transform={`translate(${x(run[measure])} ${y(run.quality)}) scale(4)`}
        >
          <title>{text}</title>
        </path>
      </a>
    )
  }

  function meanOf(group: Group, at: number) {
    if (group.quality === null || group.runs.length < 2) return null
    const { tone, shape } = markOf(at)
    return (
      <path
        key={group.name}
        className={`plot-mark tone-${tone}`}
        d={shape}
        transform={`translate(${x(group[measure])} ${y(group.quality)}) scale(8)`}
      >
        <title>{`${group.name}: ${figureText(measure, group[measure])}, ${qualityText(group.quality)}`}</title>
      </path>
    )
  }
}

/** Texts and marks are of the same size on every screen. */
function useWidth() {
  const drawing = useRef<SVGSVGElement>(null)
  const [width, setWidth] = useState(720)
  useEffect(() => {
    const { current } = drawing
    if (current === null) return
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width))
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return { drawing, width }
}

export function GroupMark({ at }: { at: number }) {
  const { tone, shape } = markOf(at)
  return (
    <svg className={`group-mark tone-${tone}`} viewBox="-1.500 -1.500 3 3" aria-hidden="true">
      <path className="plot-mark" d={shape} />
    </svg>
  )
}

/** 1, 2 or 5 of a power of ten. */
function niceCeiling(value: number): number {
  if (value <= 0) return 0
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power
}
