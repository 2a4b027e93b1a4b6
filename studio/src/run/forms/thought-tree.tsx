/** A tree of thoughts, drawn as one: scores, what was pruned, merged or verified, and the best path through it. */
import { useMemo, useState } from 'react'
import type { Picture, PictureNode } from 'thinkon/views'
import { Icon } from '../../parts/icon.tsx'
import { useWords } from '../../preferences.ts'
import { edgeOf, mergeOf, placeThoughts } from './place-thoughts.ts'
import { FORM_WORDS } from './words.ts'

export function ThoughtTree({ picture }: { picture: Picture }) {
  const words = useWords(FORM_WORDS)
  const { thoughts, byId, width, height } = useMemo(() => placeThoughts(picture), [picture])
  const [chosen, setChosen] = useState<string | null>(null)
  const from = chosen === null ? undefined : byId.get(chosen)
  const into = byId.get(from?.node.mergedInto ?? '')
  const shown = from?.node
  return (
    <section className="thoughts">
      <div className="thoughts-frame">
        <div className="thoughts-world" style={{ width, height }}>
          <svg className="thoughts-edges" width={width} height={height} aria-hidden="true">
            {thoughts.map((thought) => {
              const { parent, look, id } = thought.node
              const above = parent === null ? undefined : byId.get(parent)
              return above && <path key={id} className={`edge-${look}`} d={edgeOf(above, thought)} />
            })}
            {from && into && <path className="edge-into" d={mergeOf(from, into)} />}
          </svg>
          {thoughts.map(({ node, x, y }) => (
            <button
              key={node.id}
              type="button"
              className={`thought thought-${node.look}`}
              style={{ transform: `translate(${x}px, ${y}px)` }}
              aria-pressed={chosen === node.id}
              onClick={() => setChosen(chosen === node.id ? null : node.id)}
            >
              <Thought node={node} />
            </button>
          ))}
        </div>
      </div>
      {shown !== undefined && (
        <div className="thought-more" role="status">
          <p className="text prose">{shown.text}</p>
          {shown.note && <p className="text prose dim">{shown.note}</p>}
        </div>
      )}
      {picture.result !== '' && (
        <section className="thoughts-result">
          <h2>{words.result}</h2>
          <p className="text prose">{picture.result}</p>
        </section>
      )}
    </section>
  )
}

function Thought({ node }: { node: PictureNode }) {
  const words = useWords(FORM_WORDS)
  const { text, badge, look, verified } = node
  return (
    <>
      <span className="thought-text two-lines text">{text}</span>
      <span className="thought-marks">
        {badge !== '' && <span className="thought-badge numbers">{badge}</span>}
        {verified && (
          <span className="thought-verified">
            <Icon name="check" />
            {words.verified}
          </span>
        )}
        {words.looks[look] !== '' && <span className="thought-look">{words.looks[look]}</span>}
      </span>
    </>
  )
}
