// The page, in the browser. Playhead compiles it and reloads it with the plugin. Browser types are available here,
// Node types are not.
import type { UiHost } from '@playhead/sdk/ui'

interface Answer {
  readonly last: { readonly result: string; readonly added: number; readonly removed: number } | null
}

/** Renders into the element, and returns a function that removes the content. */
export function mount(element: HTMLElement, host: UiHost): () => void {
  const line = document.createElement('p')
  element.append(line)
  const show = async () => {
    const answer = await host.request('/api/acme/last')
    const { last } = (await answer.json()) as Answer
    line.textContent =
      last === null
        ? 'There was no run yet.'
        : `The last run was ${last.result}: ${last.added} added, ${last.removed} removed.`
  }
  show().catch(() => {
    line.textContent = 'The last run could not be loaded.'
  })
  return () => line.remove()
}
