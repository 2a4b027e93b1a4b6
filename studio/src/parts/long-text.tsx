/** A text of a run: long ones are folded until they are asked for, and every one can be copied. */
import { type ReactNode, useState } from 'react'
import { useWords } from '../preferences.ts'
import { Button } from './button.tsx'

const WORDS = {
  en: {
    all: (chars: string) => `Show all ${chars} characters`,
    less: 'Show less',
    copy: 'Copy',
    copied: 'Copied',
    notCopied: 'The browser does not let the page copy.',
  },
  zh: {
    all: (chars: string) => `显示全部 ${chars} 个字符`,
    less: '收起',
    copy: '复制',
    copied: '已复制',
    notCopied: '浏览器不允许页面复制。',
  },
}

/** So much of a text is shown at first. */
const SHOWN_CHARS = 3_000

interface Props {
  text: string
  /** Written for people, not for machines. */
  prose?: boolean
  /** Not folded, however long. */
  isWhole?: boolean
}

export function LongText({ text, prose = false, isWhole = false }: Props) {
  const { shown, more } = useFolded(text, isWhole ? text.length : undefined)
  return (
    <div className="long-text">
      <pre className={prose ? 'text prose' : 'text'}>{shown}</pre>
      <CopyButton text={text} />
      {more}
    </div>
  )
}

/** What is shown of a text, and the button for the rest of a long one. */
export function useFolded(text: string, chars = SHOWN_CHARS): { shown: string; more: ReactNode } {
  const words = useWords(WORDS)
  const [isOpen, setOpen] = useState(false)
  if (text.length <= chars * 1.2) return { shown: text, more: null }
  return {
    shown: isOpen ? text : `${text.slice(0, chars)}…`,
    more: (
      <Button look="quiet" className="long-text-more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? words.less : words.all(text.length.toLocaleString('en-US'))}
      </Button>
    ),
  }
}

export function CopyButton({ text }: { text: string }) {
  const words = useWords(WORDS)
  const [said, setSaid] = useState<string | null>(null)
  const copy = async () => {
    const isCopied = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
    setSaid(isCopied ? words.copied : words.notCopied)
    setTimeout(() => setSaid(null), 2_000)
  }
  return (
    <Button
      look="quiet"
      className="copy"
      icon="copy"
      aria-label={said ?? words.copy}
      onClick={() => void copy()}
    >
      {said === null ? undefined : <span role="status">{said}</span>}
    </Button>
  )
}
