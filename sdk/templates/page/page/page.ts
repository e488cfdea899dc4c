// The page, in the browser. It is compiled by Playhead and reloaded with the plugin. The types of the browser are known here, and
// those of Node are not.
import type { UiHost } from '@playhead/sdk/ui'

interface Answer {
  readonly last: { readonly result: string; readonly added: number; readonly removed: number } | null
}

/** Renders into the element, and returns what takes it out again. */
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
