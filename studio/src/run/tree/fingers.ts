/** The pointer or fingers on an element: one moves what is below it, two also zoom it. What is only pressed is left to be clicked. */
interface Point {
  readonly x: number
  readonly y: number
}

interface Moves {
  moveBy(dx: number, dy: number): void
  zoom(factor: number, at: Point): void
}

/** A press that moves less is a click. */
const SLIP_PX = 4

/** Returns what ends it. */
export function followFingers(element: HTMLElement, { moveBy, zoom }: Moves): () => void {
  const fingers = new Map<number, Point>()
  const pointOf = ({ clientX, clientY }: PointerEvent): Point => {
    const { left, top } = element.getBoundingClientRect()
    return { x: clientX - left, y: clientY - top }
  }
  const press = (event: PointerEvent) => {
    if (event.button === 0 && event.target instanceof Element && event.target.closest('button') === null)
      fingers.set(event.pointerId, pointOf(event))
  }
  const drag = (event: PointerEvent) => {
    const before = fingers.get(event.pointerId)
    if (before === undefined) return
    const now = pointOf(event)
    if (!element.hasPointerCapture(event.pointerId)) {
      if (distance(before, now) < SLIP_PX) return
      // Now nothing below it is clicked.
      element.setPointerCapture(event.pointerId)
    }
    const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1]
    fingers.set(event.pointerId, now)
    const share = other === undefined ? 1 : 0.5
    moveBy((now.x - before.x) * share, (now.y - before.y) * share)
    if (other === undefined) return
    const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 }
    zoom(distance(now, other) / Math.max(1, distance(before, other)), middle)
  }
  const lift = (event: PointerEvent) => void fingers.delete(event.pointerId)
  const stop = new AbortController()
  const { signal } = stop
  element.addEventListener('pointerdown', press, { signal })
  element.addEventListener('pointermove', drag, { signal })
  for (const end of ['pointerup', 'pointercancel'] as const) window.addEventListener(end, lift, { signal })
  return () => stop.abort()
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y)
}
