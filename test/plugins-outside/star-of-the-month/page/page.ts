import type { UiHost } from '@playhead/sdk/ui'
import type { Month } from '../month.ts'

export function mount(element: HTMLElement, host: UiHost): () => void {
  const line = document.createElement('p')
  element.append(line)
  void host.request('/api/star-of-the-month').then(async (answer) => {
    const { month, changes } = (await answer.json()) as Month
    line.textContent = `${changes} ratings were changed in ${month}.`
  })
  return () => line.remove()
}
