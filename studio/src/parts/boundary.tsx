/** What breaks in a view is told in its place; the frame around it stays, and another view can be opened. */
import { Component, type ReactNode } from 'react'

interface Props {
  /** Drawn anew when it changes. */
  place: string
  shown(problem: string, again: () => void): ReactNode
  children: ReactNode
}

export class Boundary extends Component<Props, { problem: string | null }> {
  override state = { problem: null }

  static getDerivedStateFromError(error: unknown): { problem: string } {
    return { problem: error instanceof Error ? error.message : String(error) }
  }

  override componentDidUpdate({ place }: Props): void {
    if (place !== this.props.place && this.state.problem !== null) this.setState({ problem: null })
  }

  override render(): ReactNode {
    const { problem } = this.state
    return problem === null
      ? this.props.children
      : this.props.shown(problem, () => this.setState({ problem: null }))
  }
}
