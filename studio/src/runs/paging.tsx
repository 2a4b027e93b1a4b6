import { Button } from '../parts/button.tsx'
import { useWords } from '../preferences.ts'
import { setQuery } from '../routing.ts'
import { PAGE_SIZE } from './use-runs.ts'
import { RUNS_WORDS } from './words.ts'

export function Paging({ page, total }: { page: number; total: number }) {
  const words = useWords(RUNS_WORDS)
  const pages = Math.ceil(total / PAGE_SIZE)
  if (pages <= 1 && page === 1) return null
  const to = (next: number) => {
    setQuery({ page: next === 1 ? null : String(next) })
    document.getElementById('content')?.scrollTo({ top: 0 })
  }
  return (
    <nav className="paging" aria-label={words.page(page, pages)}>
      <Button icon="back" isOff={page <= 1} onClick={() => to(page - 1)}>
        {words.previous}
      </Button>
      <span className="dim numbers">{words.page(page, pages)}</span>
      <Button icon="next" isOff={page >= pages} onClick={() => to(page + 1)}>
        {words.next}
      </Button>
    </nav>
  )
}
