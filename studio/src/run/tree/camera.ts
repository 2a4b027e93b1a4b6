/** What part of a drawing is seen. Moved without drawing anything anew: the world is one element that is moved as a whole. */
import { type RefObject, useEffect, useMemo, useRef } from 'react'
import { followFingers } from './fingers.ts'

export interface Rect {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

export interface Camera {
  readonly scale: number
  /** The part of the world that is seen. */
  seen(): Rect
  /** Moves so that a place is seen, as little as needed. */
  show(place: Rect): void
  zoom(factor: number, at?: { x: number; y: number }): void
  /** All of it, or its beginning where that would be too small to read. */
  fit(width: number, height: number): void
}

const SCALES = { least: 0.12, most: 2 } as const
const MARGIN = 24

export function useCamera(
  frame: RefObject<HTMLElement | null>,
  world: RefObject<HTMLElement | null>,
  onMove: () => void,
  /** The person has moved it, not the page. */
  onTaken: () => void,
): Camera {
  const position = useRef({ x: MARGIN, y: MARGIN, scale: 1 })
  const moved = useRef(onMove)
  moved.current = onMove
  const taken = useRef(onTaken)
  taken.current = onTaken
  const camera = useMemo(() => {
    const apply = () => {
      const { x, y, scale } = position.current
      if (world.current !== null) world.current.style.transform = `translate(${x}px, ${y}px) scale(${scale})`
      moved.current()
    }
    const moveBy = (dx: number, dy: number) => {
      position.current.x += dx
      position.current.y += dy
      apply()
    }
    const size = () => ({ width: frame.current?.clientWidth ?? 0, height: frame.current?.clientHeight ?? 0 })
    const made = {
      get scale() {
        return position.current.scale
      },
      apply,
      moveBy,
      seen(): Rect {
        const { x, y, scale } = position.current
        const { width, height } = size()
        return { left: -x / scale, top: -y / scale, right: (width - x) / scale, bottom: (height - y) / scale }
      },
      show(place: Rect) {
        const { left, top, right, bottom } = made.seen()
        const { scale } = position.current
        const room = MARGIN / scale
        const dx =
          place.left < left + room ? left + room - place.left : Math.min(0, right - room - place.right)
        const dy = place.top < top + room ? top + room - place.top : Math.min(0, bottom - room - place.bottom)
        if (dx !== 0 || dy !== 0) moveBy(dx * scale, dy * scale)
      },
      zoom(factor: number, at?: { x: number; y: number }) {
        const { x, y, scale } = position.current
        const { width, height } = size()
        const next = Math.min(SCALES.most, Math.max(SCALES.least, scale * factor))
        const to = at ?? { x: width / 2, y: height / 2 }
        const ratio = next / scale
        position.current = { x: to.x - (to.x - x) * ratio, y: to.y - (to.y - y) * ratio, scale: next }
        apply()
      },
      fit(worldWidth: number, worldHeight: number) {
        const { width, height } = size()
        const whole = Math.min((width - 2 * MARGIN) / worldWidth, (height - 2 * MARGIN) / worldHeight)
        position.current = { x: MARGIN, y: MARGIN, scale: Math.min(1, Math.max(0.5, whole)) }
        apply()
      },
    }
    return made
  }, [frame, world])

  useEffect(() => {
    const element = frame.current
    if (element === null) return
    camera.apply()
    const wheel = (event: WheelEvent) => {
      event.preventDefault()
      taken.current()
      const { left, top } = element.getBoundingClientRect()
      if (event.ctrlKey || event.metaKey)
        camera.zoom(Math.exp(-event.deltaY / 300), { x: event.clientX - left, y: event.clientY - top })
      else camera.moveBy(-(event.shiftKey ? event.deltaY : event.deltaX), event.shiftKey ? 0 : -event.deltaY)
    }
    const stopFollowing = followFingers(element, {
      moveBy(dx, dy) {
        taken.current()
        camera.moveBy(dx, dy)
      },
      zoom: camera.zoom,
    })
    const resized = new ResizeObserver(() => moved.current())
    resized.observe(element)
    element.addEventListener('wheel', wheel, { passive: false })
    return () => {
      resized.disconnect()
      element.removeEventListener('wheel', wheel)
      stopFollowing()
    }
  }, [camera, frame])
  return camera
}
