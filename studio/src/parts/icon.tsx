/** Drawn on a grid of 16, with one line width. A button says what it does by itself: icons are for the eye alone. */
const PATHS = {
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM11 11l3 3',
  plus: 'M8 3v10M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  back: 'M10 3 5 8l5 5',
  next: 'M6 3l5 5-5 5',
  down: 'M3 6l5 5 5-5',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  moon: 'M13 10A6 6 0 0 1 6 3a5.5 5.5 0 1 0 7 7Z',
  half: 'M8 2a6 6 0 1 0 0 12V2Z',
  language:
    'M2 4h7M5.500 2.500V4M8 4c0 3-2.500 5-5.500 6M3.500 6c1 2 3 3.500 5 4M8.500 14l3-7 3 7M9.500 12h4',
  play: 'M5 3l8 5-8 5V3Z',
  pause: 'M5 3v10M11 3v10',
  stop: 'M4 4h8v8H4z',
  fork: 'M4 3v10M4 8c0-3 8 0 8-4M12 4V3',
  redo: 'M13 8a5 5 0 1 1-1.500-3.500M13 2v3h-3',
  skip: 'M4 3l6 5-6 5V3ZM12 3v10',
  message: 'M2 3h12v8H7l-3 3v-3H2z',
  download: 'M8 2v8M5 7l3 3 3-3M3 13h10',
  page: 'M4 2h5l3 3v9H4zM9 2v3h3M6.500 8h3M6.500 11h3',
  upload: 'M8 10V2M5 5l3-3 3 3M3 13h10',
  trash: 'M3 4h10M6 4V2h4v2M4.500 4l.5 10h6l.5-10',
  compare: 'M5 2v12M11 2v12M2 5h3M11 5h3M2 9h3M11 11h3',
  sides: 'M2 3h5v10H2zM9 3h5v10H9z',
  fold: 'M3 8h10',
  fit: 'M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4',
  tree: 'M3 3v8a2 2 0 0 0 2 2h4M3 6h6M12 6h1M12 13h1',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 5v3l2 2',
  check: 'M3 8l4 4 6-8',
  copy: 'M6 2h7v9H6zM10 13v1H3V5h1',
  up: 'M3 10l5-5 5 5',
  edit: 'M3 13l1-3 7-7 2 2-7 7-3 1Z',
  bell: 'M4 11V7a4 4 0 0 1 8 0v4l1 1H3ZM7 14h2',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}
