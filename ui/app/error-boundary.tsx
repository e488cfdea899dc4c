// Limits an exception to the page that threw it.
import { Component, type ReactNode } from 'react'
import { Failure } from '../parts/page/failure.tsx'
import { shell } from '../texts/en/shell.ts'

export class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: null }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (error === null) return this.props.children
    const { title, text } = shell.crash
    return <Failure title={title} text={text} error={error} onRetry={() => this.setState({ error: null })} />
  }
}
